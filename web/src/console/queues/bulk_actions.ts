/** Bulk actions of a queue: counted, started, followed to their end. */

import type { QueueActionFilter, QueueActionView } from "holdfast";

import { api } from "../../common/api.js";
import type { ActionKind } from "./action_model.js";

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
  for (let stops = false; view.status === "running";) {
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
