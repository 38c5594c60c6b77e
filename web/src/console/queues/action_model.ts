/** Bulk actions of a queue: one change of every task that a filter matches. */

import type { QueueActionFilter, QueueActionView } from "holdfast";

import { texts } from "../../texts/console.js";

export type ActionKind = "pause" | "resume" | "cancel" | "retry" | "redrive";

const LIVE_KINDS: readonly ActionKind[] = ["pause", "resume", "cancel", "retry"];

/** The actions that tasks of this status allow; an empty one is any. */
export function kindsFor(status: string): readonly ActionKind[] {
  switch (status) {
    case "":
      return [...LIVE_KINDS, "redrive"];
    case "QUEUED":
    case "EXECUTING":
      return LIVE_KINDS;
    case "FAILURE":
    case "ERROR":
      return ["redrive"];
    default:
      return []; // a completed or canceled task stays so
  }
}

/** The filter of a list of tasks as that of an action. Only ends have errors. */
export function filterFor(
  kind: ActionKind,
  list: { status: string; type: string; key: string; error: string; createdFrom?: string },
): QueueActionFilter {
  return {
    ...(list.status === "" ? {} : { status: list.status }),
    ...(list.type === "" ? {} : { type: list.type }),
    ...(list.key === "" ? {} : { key: list.key }),
    ...(list.error === "" || kind !== "redrive" ? {} : { error_code: list.error }),
    ...(list.createdFrom === undefined ? {} : { created_from: list.createdFrom }),
  };
}

/** The name of an action; a node of a later version may know others. */
export function verbOf(action: string): string {
  const verbs: Readonly<Record<string, string>> = texts.bulk.verbs;
  return verbs[action] ?? action;
}

export function refusedOf(view: QueueActionView): number {
  return view.refusals.reduce((sum, { tasks }) => sum + tasks, 0);
}
