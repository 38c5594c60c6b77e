import type { TestQuestionSummary } from "holdfast";

/** So many answers say something about a question. */
const ANSWERS_LEAST = 5;

/** Most who answered were wrong: often the truth is. */
export function isDoubtful(one: Pick<TestQuestionSummary, "answered" | "right">): boolean {
  return one.answered >= ANSWERS_LEAST && one.right * 2 < one.answered;
}
