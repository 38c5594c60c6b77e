import type { VNode } from "preact";

import { texts } from "../../../texts/label.js";
import { movedItem, toggled } from "../ranking.js";
import { FieldBox } from "./field_box.js";
import type { PropsOf } from "./field_props.js";
import { Options } from "./options.js";

export function ChoiceField(props: PropsOf<"choice">): VNode {
  const { field, value, set } = props;
  const choose = (place: number): void => set(field.options[place]?.value);
  props.answerKeys({ option: choose });
  return (
    <FieldBox {...props}>
      <Options options={field.options} chosen={(one) => one.value === value} choose={choose} />
    </FieldBox>
  );
}

export function ChoicesField(props: PropsOf<"choices">): VNode {
  const { field, set } = props;
  const chosen = props.value as readonly unknown[];
  const choose = (place: number): void => {
    const item = field.options[place]?.value;
    // In the order of the schema, so that equal answers are equal.
    const next = field.options
      .map((one) => one.value)
      .filter((one) => (one === item ? !chosen.includes(one) : chosen.includes(one)));
    set(next);
  };
  props.answerKeys({ option: choose });
  return (
    <FieldBox {...props}>
      <Options
        options={field.options}
        chosen={(one) => chosen.includes(one.value)}
        choose={choose}
      />
    </FieldBox>
  );
}

export function RankingField(props: PropsOf<"ranking">): VNode {
  const { field, set } = props;
  const ranked = props.value as readonly (string | number | boolean)[];
  const all = field.options.map((one) => one.value);
  const choose = (place: number): void => {
    const item = all[place];
    if (item !== undefined) set(toggled(ranked, item, all));
  };
  props.answerKeys({ option: choose });
  const optionOf = (item: unknown): number => all.findIndex((one) => one === item);
  const rest = field.options.filter((one) => !ranked.includes(one.value));
  return (
    <FieldBox {...props} help={texts.ranking.help}>
      {ranked.length > 0 && <h4>{texts.ranking.ranked}</h4>}
      <ol class="ranking" aria-label={texts.ranking.ranked}>
        {ranked.map((item, place) => {
          const option = field.options[optionOf(item)];
          if (option === undefined) return null;
          return (
            <li key={String(item)}>
              <button
                type="button"
                class="option"
                aria-pressed={true}
                data-form
                onClick={() => choose(optionOf(item))}
              >
                <kbd aria-hidden="true">{option.keys[0]}</kbd>
                <span>{option.title}</span>
              </button>
              <button
                type="button"
                class="button button-quiet"
                data-form
                aria-label={texts.ranking.up(option.title)}
                disabled={place === 0}
                onClick={() => set(movedItem(ranked, item, -1))}
              >
                ↑
              </button>
              <button
                type="button"
                class="button button-quiet"
                data-form
                aria-label={texts.ranking.down(option.title)}
                disabled={place === ranked.length - 1}
                onClick={() => set(movedItem(ranked, item, 1))}
              >
                ↓
              </button>
            </li>
          );
        })}
      </ol>
      {rest.length > 0 && (
        <>
          <h4>{texts.ranking.rest}</h4>
          <Options
            options={rest}
            isList
            chosen={() => false}
            choose={(place) => choose(optionOf(rest[place]?.value))}
          />
        </>
      )}
    </FieldBox>
  );
}
