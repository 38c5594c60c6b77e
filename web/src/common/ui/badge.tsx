import type { ComponentChildren, VNode } from "preact";

/** Colour never says it alone: the text of a badge does. */
export type Tone = "neutral" | "good" | "busy" | "warning" | "bad";

export function Badge(props: { tone?: Tone; children: ComponentChildren }): VNode {
  return <span class={`badge badge-${props.tone ?? "neutral"}`}>{props.children}</span>;
}
