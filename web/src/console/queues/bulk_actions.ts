/** Bulk actions of a queue: one change of every task that a filter matches. */

import type { QueueActionFilter, QueueActionView } from "holdfast";

import { api } from "../../common/api.js";
import { texts } from "../../texts/console.js";

export type ActionKind = "pause" | "resume" | "cancel" | "retry" | "redrive";

const LIVE_KINDS: readonly ActionKind[] = ["pause", "resume", "cancel", "retry"];

/** What can be done with tasks of this status; an empty one is any. */
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

export function countMatching(
  queue: string,
  action: ActionKind,
  filter: QueueActionFilter,
  signal: AbortSignal,
): Promise<QueueActionView> {
  return api.startQueueAction(queue, { action, filter, dry_run: true }, { signal });
}

/** Seconds between two looks at an action that runs. */
const LOOK_EVERY = 0.5;

/**
 * Starts an action and follows it to its end. `onProgress` hears how far it is; the signal stops
 * it behind its present chunk: what it has changed stays changed.
 */
export async function runAction(
  queue: string,
  action: ActionKind,
  filter: QueueActionFilter,
  signal: AbortSignal,
  onProgress: (now: QueueActionView) => void,
): Promise<QueueActionView> {
  let view = await api.startQueueAction(queue, { action, filter });
  for (let stops = false; view.status === "running"; ) {
    onProgress(view);
    if (signal.aborted && !stops) {
      stops = true;
      view = await api.stopQueueAction(queue, view.id);
      continue;
    }
    await pause(LOOK_EVERY, signal);
    view = await api.getQueueAction(queue, view.id);
  }
  onProgress(view);
  return view;
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return new Promise((done) => setTimeout(done, seconds * 1000));
  return new Promise((done) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      done();
    };
    const timer = setTimeout(end, seconds * 1000);
    signal.addEventListener("abort", end);
  });
}

/** The name of an action; a node of a later version may know others. */
export function verbOf(action: string): string {
  const verbs: Readonly<Record<string, string>> = texts.bulk.verbs;
  return verbs[action] ?? action;
}

export function refusedOf(view: QueueActionView): number {
  return view.refusals.reduce((sum, { tasks }) => sum + tasks, 0);
}
