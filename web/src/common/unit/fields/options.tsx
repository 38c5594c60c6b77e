import type { VNode } from "preact";

import type { Option } from "../form_model.js";

/** Buttons of options, each with its key. `chosen` says which are pressed. */
export function Options(props: {
  options: readonly Option[];
  chosen: (option: Option) => boolean;
  choose: (place: number) => void;
  /** In a row below a text or above an image. */
  isSmall?: boolean;
  /** Below each other. */
  isList?: boolean;
}): VNode {
  const shape = props.isSmall ? " options-small" : props.isList ? " options-list" : "";
  return (
    <div class={`options${shape}`}>
      {props.options.map((option, place) => {
        const isChosen = props.chosen(option);
        return (
          <button
            key={place}
            type="button"
            class={`option tone-${place % 8}`}
            aria-pressed={isChosen}
            data-form
            onClick={() => props.choose(place)}
          >
            {option.keys[0] !== undefined && <kbd aria-hidden="true">{option.keys[0]}</kbd>}
            <span>{option.title}</span>
            <span class="option-mark" aria-hidden="true">
              {isChosen ? "✓" : ""}
            </span>
          </button>
        );
      })}
    </div>
  );
}
