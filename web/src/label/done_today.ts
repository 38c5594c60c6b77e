/** The person's own progress. The API tells contributors no figures, so the page counts itself. */

import { readJson, writeJson, type TextStore } from "./drafts.js";
import { isRecord } from "../common/unit/pointer.js";

const keyOf = (contributor: string): string => `holdfast.label.done:${contributor}`;

/** The day in the zone of the person. */
function dayOf(now: Date): string {
  return `${now.getFullYear()}-${now.getMonth() + 1}-${now.getDate()}`;
}

/** Judgments accepted today. */
export function doneToday(store: TextStore, contributor: string, now = new Date()): number {
  const stored = readJson(store, keyOf(contributor));
  return isRecord(stored) && stored.day === dayOf(now) && typeof stored.count === "number"
    ? stored.count
    : 0;
}

export function countDone(store: TextStore, contributor: string, now = new Date()): number {
  const count = doneToday(store, contributor, now) + 1;
  writeJson(store, keyOf(contributor), { day: dayOf(now), count });
  return count;
}
