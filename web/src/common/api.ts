/** The one client of the pages: that of the SDK, with the session cookie of this origin. */

import { Holdfast, HoldfastError, NoAnswerError } from "holdfast";

import { texts } from "../texts/common.js";

/** A person waits for no longer; the pages show a quiet line meanwhile. Seconds. */
const CALL_TIMEOUT = 20;

export const api = new Holdfast(location.origin, { token: null, timeout: CALL_TIMEOUT });

/** A sentence for people about a failed call. */
export function sentenceOf(error: unknown): string {
  if (error instanceof NoAnswerError) return texts.noAnswer;
  if (!(error instanceof HoldfastError)) return String(error);
  const places = error.errors.map(({ place, detail }) => `${place}: ${detail}`);
  const detail = places.length > 0 ? places.join("; ") : error.detail || error.title;
  return detail === "" ? error.code : `${detail} (${error.code})`;
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof HoldfastError && error.code === code;
}

/** Whether the call was given up by its own page, which shows nothing of it. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
