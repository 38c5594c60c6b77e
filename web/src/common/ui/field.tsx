import type { ComponentChildren, JSX, VNode } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  hint?: string | undefined;
  /** The reason why the value is refused. */
  problem?: string | undefined;
}

/** The attributes that tie a control to its label, hint and problem. */
interface ControlProps {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
}

/** A labelled control of any kind: `children` gets the attributes for it. */
export function Field(
  props: FieldProps & { children: (control: ControlProps) => ComponentChildren },
): VNode {
  const id = useId();
  const described = [
    ...(props.hint === undefined ? [] : [`${id}-hint`]),
    ...(props.problem === undefined ? [] : [`${id}-problem`]),
  ].join(" ");
  const control: ControlProps = {
    id,
    ...(described === "" ? {} : { "aria-describedby": described }),
    ...(props.problem === undefined ? {} : { "aria-invalid": true }),
  };
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(control)}
      {props.hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {props.problem !== undefined && (
        <p class="field-problem" id={`${id}-problem`} role="alert">
          {props.problem}
        </p>
      )}
    </div>
  );
}

type ValueProps = FieldProps & { value: string; onValue: (value: string) => void };

export function TextField({
  label,
  hint,
  problem,
  onValue,
  ...rest
}: ValueProps & Omit<JSX.IntrinsicElements["input"], "label" | "value">): VNode {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <input
          type="text"
          {...rest}
          {...control}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  problem,
  onValue,
  ...rest
}: ValueProps & Omit<JSX.IntrinsicElements["textarea"], "label" | "value">): VNode {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <textarea
          {...rest}
          {...control}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function Select({
  label,
  hint,
  problem,
  value,
  options,
  onValue,
}: ValueProps & { options: readonly (readonly [value: string, text: string])[] }): VNode {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <select
          {...control}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {options.map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
