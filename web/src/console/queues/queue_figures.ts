/** The figures of queues, and their samples. */

import type { QueueMetrics, QueueView } from "holdfast";

import { api } from "../../common/api.js";
import { addSample } from "../samples.js";
import { eachOf } from "../../common/view.js";

/** The counts are about so many seconds. */
export const WINDOW = 60;

/** Seconds that a task may be ready before somebody should know. */
export const OLDEST_READY_BOUND = 300;

/** The share of errors from which it stands out. */
export const ERROR_SHARE_BOUND = 0.2;

/** Requests for figures at a time: a browser has six connections to a node, one is a stream. */
const REQUESTS_AT_ONCE = 4;

/** Queues that one view asks about. */
export const QUEUES_PER_VIEW = 25;

export interface QueueFigures {
  queue: QueueView;
  metrics: QueueMetrics | undefined;
  /** The reason why there are no figures, such as a damaged policy. */
  problem: Error | undefined;
}

export const rateSeries = (queue: string): string => `queue ${queue} rate`;
export const depthSeries = (queue: string): string => `queue ${queue} depth`;

/** Keeps the figures as samples for charts. */
export function keepSample(queue: string, metrics: QueueMetrics): void {
  const at = metrics.now === null ? Date.now() : Date.parse(metrics.now);
  addSample(rateSeries(queue), at, metrics.completed_per_second);
  addSample(depthSeries(queue), at, metrics.ready);
}

/** The figures of these queues. They come from the memory of the nodes. */
export async function figuresOf(
  queues: readonly QueueView[],
  signal: AbortSignal,
): Promise<QueueFigures[]> {
  const answers = await eachOf(queues, REQUESTS_AT_ONCE, ({ queue }) =>
    api.getQueueMetrics(queue, { window: WINDOW }, { signal }),
  );
  return queues.map((queue, place) => {
    const answer = answers[place];
    if (answer instanceof Error || answer === undefined) {
      return { queue, metrics: undefined, problem: answer };
    }
    keepSample(queue.queue, answer);
    return { queue, metrics: answer, problem: undefined };
  });
}

/** The seconds that the oldest ready task waits, by the clock of the node; 0 when none waits. */
export function oldestSeconds({ ready_since, now }: QueueMetrics): number {
  if (ready_since === undefined || now === null) return 0;
  return Math.max(0, (Date.parse(now) - Date.parse(ready_since)) / 1000);
}

/** Completed tasks a second before now, from windows of different lengths. */
export function pastRates(windows: readonly QueueMetrics[]): { at: number; value: number }[] {
  const known = windows
    .filter(({ counted_from, now }) => counted_from !== null && now !== null)
    .map(({ counted_from, completed }) => ({ from: Date.parse(counted_from ?? ""), completed }))
    .sort((one, other) => other.from - one.from);
  const rates: { at: number; value: number }[] = [];
  for (const [place, window] of known.entries()) {
    const shorter = known[place - 1];
    if (shorter === undefined || shorter.from - window.from < 1000) continue;
    const completed = Math.max(0, window.completed - shorter.completed);
    rates.unshift({ at: shorter.from, value: completed / ((shorter.from - window.from) / 1000) });
  }
  return rates;
}
