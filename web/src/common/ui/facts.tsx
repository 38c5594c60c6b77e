import { Fragment, type ComponentChildren, type VNode } from "preact";

/** Names and values below each other; a value that is undefined is left out. */
export function Facts(props: {
  facts: readonly (readonly [name: string, value: ComponentChildren])[];
}): VNode {
  return (
    <dl class="facts">
      {props.facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** One number with its name, for a row of them. */
export function Figure(props: {
  name: string;
  value: ComponentChildren;
  tone?: "bad" | "warning" | undefined;
  note?: ComponentChildren;
}): VNode {
  return (
    <div class={`figure${props.tone === undefined ? "" : ` figure-${props.tone}`}`}>
      <div class="figure-name">{props.name}</div>
      <div class="figure-number">{props.value}</div>
      {props.note !== undefined && <div class="figure-note">{props.note}</div>}
    </div>
  );
}
