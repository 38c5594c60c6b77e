/** Requests about units that the person is done with: sent in order, until a node has answered. */

import { HoldfastError } from "holdfast";

import { isRecord } from "../common/unit/pointer.js";

/** The parts of a lease that requests name. They are the same in each repetition. */
export interface LeaseNames {
  assignmentId: string;
  /** The id of the judgment that the lease may bring. */
  judgmentId: string;
  stepId: string;
  unitId: string;
  token: number;
}

const KINDS = ["judgment", "release", "decline", "withdraw"] as const;

export interface Sending extends LeaseNames {
  /**
   * `release` gives the unit back, `decline` for good. `withdraw` gives back the unit of a grant
   * that may be on its way: only the assignment and the step are known of it.
   */
  kind: (typeof KINDS)[number];
  /** The JSON of a judgment. */
  data: string;
}

export function isSending(value: unknown): value is Sending {
  return (
    isRecord(value) &&
    KINDS.some((kind) => kind === value.kind) &&
    ["assignmentId", "judgmentId", "stepId", "unitId", "data"].every(
      (name) => typeof value[name] === "string",
    ) &&
    typeof value.token === "number"
  );
}

/**
 * `again`: no node has answered. `signed_out`: somebody has to sign in first. `late`: the lease was
 * over. `new_id`: the id stands for another judgment. `refused`: the person has to mend it.
 */
export type Outcome = "again" | "signed_out" | "late" | "new_id" | "refused";

const LATE_CODES: ReadonlySet<string> = new Set([
  "lease_not_held",
  "stale_token",
  "lease_expired",
  "not_found",
  "already_judged",
  "not_qualified",
]);

export function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof HoldfastError)) return "again";
  if (error.status === 401) return "signed_out";
  if (error.status === 0 || error.retryable || error.status >= 500) return "again";
  if (LATE_CODES.has(error.code)) return "late";
  return error.code === "already_exists" ? "new_id" : "refused";
}
