import type { VNode } from "preact";

import { Badge, type Tone } from "./badge.js";

const WORD_TONES: Readonly<Record<string, Tone>> = {
  Open: "good",
  Running: "good",
  Paused: "warning",
  Completed: "neutral",
  Canceled: "neutral",
  active: "good",
  paused: "warning",
  failing: "bad",
  damaged: "bad",
  good: "good",
  expired: "neutral",
  revoked: "bad",
  Working: "good",
  Removed: "bad",
};

/** A state in the word of the API: of steps, webhooks, tokens and contributors. */
export function StateBadge(props: { state: string }): VNode {
  return <Badge tone={WORD_TONES[props.state] ?? "neutral"}>{props.state}</Badge>;
}
