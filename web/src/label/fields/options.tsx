import type { VNode } from "preact";

import type { Option } from "../form_model.js";

/** Buttons of options, each with its key. `chosen` says which are pressed. */
export function Options(props: {
  options: readonly Option[];
  chosen: (option: Option) => boolean;
  choose: (place: number) => void;
  small?: boolean;
}): VNode {
  return (
    <div class={props.small ? "options options-small" : "options"}>
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
