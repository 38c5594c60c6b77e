import type { VNode } from "preact";

import { texts } from "../../texts/common.js";
import { addressOf, go, usePlace } from "../router.js";
import { Button } from "./button.js";
import { Select, TextField } from "./field.js";

export interface Filter {
  /** The name in the query of the address. */
  name: string;
  label: string;
  /** The values to choose from; any text where it is left out. */
  options?: readonly (readonly [value: string, text: string])[];
  placeholder?: string;
}

/** The filters of a list. Their values stand in the address, so that a link shows the same list. */
export function FilterBar(props: { filters: readonly Filter[] }): VNode {
  const { path, query } = usePlace();
  const set = (name: string, value: string, replace: boolean): void =>
    go(addressOf(path, { ...query, [name]: value }), { replace });
  const isFiltered = props.filters.some(({ name }) => (query[name] ?? "") !== "");
  const cleared = Object.fromEntries(props.filters.map(({ name }) => [name, undefined]));
  return (
    <form
      class="filter-bar"
      role="search"
      aria-label={texts.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      {props.filters.map(({ name, label, options, placeholder }) =>
        options === undefined ? (
          <TextField
            key={name}
            label={label}
            type="search"
            placeholder={placeholder ?? ""}
            value={query[name] ?? ""}
            onValue={(value) => set(name, value, true)}
          />
        ) : (
          <Select
            key={name}
            label={label}
            options={options}
            value={query[name] ?? ""}
            onValue={(value) => set(name, value, false)}
          />
        ),
      )}
      {isFiltered && (
        <Button kind="quiet" onClick={() => go(addressOf(path, { ...query, ...cleared }))}>
          {texts.clearFilters}
        </Button>
      )}
    </form>
  );
}
