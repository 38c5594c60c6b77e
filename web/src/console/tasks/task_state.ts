/** What a task's state allows. */

import type { TaskAttempt, TaskView } from "holdfast";

export function isLive({ status }: Pick<TaskView, "status">): boolean {
  return status === "QUEUED" || status === "EXECUTING";
}

export type TaskAction = "retry" | "pause" | "resume" | "eject" | "cancel";

/** The actions that the queue takes for a task in this state. */
export function actionsOf(
  task: Pick<TaskView, "status" | "paused" | "run_at">,
  now: number,
): TaskAction[] {
  if (!isLive(task)) return [];
  if (task.status === "EXECUTING") return ["eject", task.paused ? "resume" : "pause", "cancel"];
  if (task.paused) return ["resume", "cancel"];
  const waits = task.run_at !== undefined && Date.parse(task.run_at) > now;
  return [...(waits ? (["retry"] as const) : []), "pause", "cancel"];
}

export interface Span {
  attempt: TaskAttempt;
  /** Seconds that the task waited before, since it was made or the attempt before ended. */
  waited: number;
  /** Seconds that the attempt took, or takes so far. */
  took: number;
  /** Begin and length as shares of the whole time, from 0 to 1. */
  begin: number;
  length: number;
}

/** The attempts on one scale of time, from the making of the task to its end, or to now. */
export function spansOf(
  task: Pick<TaskView, "created_at" | "finished_at">,
  attempts: readonly TaskAttempt[],
  now: number,
): Span[] {
  const timeOf = (text: string | null | undefined, otherwise: number): number =>
    text === null || text === undefined ? otherwise : Date.parse(text);
  const made = timeOf(task.created_at, timeOf(attempts[0]?.granted_at, now));
  const end = Math.max(
    timeOf(task.finished_at, now),
    ...attempts.map(({ ended_at }) => timeOf(ended_at, now)),
  );
  const whole = Math.max(end - made, 1);
  let before = made;
  return attempts.map((attempt) => {
    const from = timeOf(attempt.granted_at, before);
    const until = Math.max(from, timeOf(attempt.ended_at, now));
    const waited = Math.max(0, from - before) / 1000;
    before = until;
    return {
      attempt,
      waited,
      took: (until - from) / 1000,
      begin: Math.max(0, from - made) / whole,
      length: (until - from) / whole,
    };
  });
}
