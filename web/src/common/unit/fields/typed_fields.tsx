import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { Field } from "../../ui/index.js";
import { texts } from "../../../texts/label.js";
import type { PropsOf } from "./field_props.js";

function labelOf(field: { title: string; required: boolean }): string {
  return field.required ? field.title : `${field.title} ${texts.optional}`;
}

export function TextAnswer(props: PropsOf<"text">): VNode {
  const { field, set } = props;
  const value = typeof props.value === "string" ? props.value : "";
  const hint = field.lines > 1 ? texts.textHint : texts.lineHint;
  return (
    <div class="answer-field" data-field={field.name}>
      <Field label={labelOf(field)} hint={`${field.help} ${hint}`.trim()} problem={props.problem}>
        {(control) =>
          field.lines > 1 ? (
            <textarea
              {...control}
              rows={field.lines}
              value={value}
              onInput={(event) => set(event.currentTarget.value, "typed")}
            />
          ) : (
            <input
              {...control}
              type="text"
              value={value}
              autocomplete="off"
              onInput={(event) => set(event.currentTarget.value, "typed")}
            />
          )
        }
      </Field>
    </div>
  );
}

export function NumberAnswer(props: PropsOf<"number">): VNode {
  const { field, set } = props;
  // The text as it was typed: `1.` is on the way to a number.
  const [text, setText] = useState(props.value === undefined ? "" : String(props.value));
  const isNumber = (typed: string): boolean =>
    typed.trim() !== "" && Number.isFinite(Number(typed));
  const problem = text.trim() !== "" && !isNumber(text) ? texts.notANumber : props.problem;
  return (
    <div class="answer-field" data-field={field.name}>
      <Field
        label={labelOf(field)}
        hint={`${field.help} ${texts.lineHint}`.trim()}
        problem={problem}
      >
        {(control) => (
          <input
            {...control}
            type="text"
            inputMode={field.integer ? "numeric" : "decimal"}
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
              set(isNumber(currentTarget.value) ? Number(currentTarget.value) : undefined, "typed");
            }}
          />
        )}
      </Field>
    </div>
  );
}
