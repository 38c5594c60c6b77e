import type { VNode } from "preact";

import { Badge, type Tone } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";

const TASK_TONES: Readonly<Record<string, Tone>> = {
  QUEUED: "neutral",
  EXECUTING: "busy",
  COMPLETED: "good",
  FAILURE: "warning",
  ERROR: "bad",
  CANCELED: "neutral",
};

/** The status of a task, in words; the code of the API on hover. */
export function TaskStatus(props: { status: string; paused?: boolean }): VNode {
  const { status, paused = false } = props;
  const word = (texts.taskStatus as Readonly<Record<string, string>>)[status] ?? status;
  return (
    <span class="row tight" title={status}>
      <Badge tone={TASK_TONES[status] ?? "neutral"}>{word}</Badge>
      {paused && <Badge tone="warning">{texts.paused}</Badge>}
    </span>
  );
}
