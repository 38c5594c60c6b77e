/** Values of a form with the way back. */

import type { Values } from "./form_model.js";

export interface History {
  now: Values;
  past: readonly Values[];
}

/** Steps back that are remembered. */
const PAST_MAX = 200;

export function historyOf(now: Values): History {
  return { now, past: [] };
}

/** After a change that `u` undoes. */
export function changed(history: History, name: string, value: unknown): History {
  const past = [...history.past, history.now].slice(-PAST_MAX);
  return { now: { ...history.now, [name]: value }, past };
}

/** After typing into a field, which undoes it by itself. */
export function typed(history: History, name: string, value: unknown): History {
  return { ...history, now: { ...history.now, [name]: value } };
}

export function undone(history: History): History {
  const last = history.past[history.past.length - 1];
  return last === undefined ? history : { now: last, past: history.past.slice(0, -1) };
}
