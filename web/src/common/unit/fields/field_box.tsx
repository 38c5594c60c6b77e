import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";

import { texts } from "../../../texts/label.js";
import type { Field } from "../form_model.js";

/** Title, help and problem of a field that is no single control. */
export function FieldBox(props: {
  field: Field;
  problem: string | undefined;
  isActive: boolean;
  help?: string;
  children: ComponentChildren;
}): VNode {
  const id = useId();
  const { field, problem } = props;
  const help = [field.help, props.help ?? ""].filter((one) => one !== "").join(" ");
  return (
    <div
      class={`answer-field${props.isActive ? " is-active" : ""}`}
      role="group"
      aria-labelledby={`${id}-title`}
      aria-describedby={help === "" ? undefined : `${id}-help`}
      data-field={field.name}
    >
      <h3 id={`${id}-title`}>
        {field.title} {!field.required && <span class="soft optional">{texts.optional}</span>}
      </h3>
      {help !== "" && (
        <p class="soft field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {props.children}
      {problem !== undefined && (
        <p class="field-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
