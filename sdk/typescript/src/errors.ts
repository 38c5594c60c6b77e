/** Errors of the API. */

/**
 * Codes under which the same request may succeed a moment later. An outcome of a batch that has
 * one of them is repeated with the same ids.
 */
export const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  "unavailable",
  "overloaded",
  "fenced",
]);

/** Codes that tell a worker that its lease is over. */
export const LEASE_OVER_CODES: ReadonlySet<string> = new Set([
  "lease_not_held",
  "stale_token",
  "lease_expired",
  "not_found",
]);

/** One wrong place of a request. */
export interface ErrorPlace {
  place: string;
  detail: string;
}

export interface ErrorMembers {
  retryable?: boolean | undefined;
  errors?: readonly ErrorPlace[] | undefined;
  title?: string | undefined;
  retryAfter?: number | undefined;
  traceId?: string | undefined;
}

/** A request ended with an error. */
export class HoldfastError extends Error {
  override readonly name: string = "HoldfastError";
  /** The name of the error for programs, such as `stale_token`; `/docs` of a node lists all. */
  readonly code: string;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** A sentence for people. */
  readonly detail: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Each wrong place of the request. */
  readonly errors: readonly ErrorPlace[];
  readonly title: string;
  /** The seconds that the node asks the client to wait. */
  readonly retryAfter: number | undefined;
  readonly traceId: string | undefined;

  constructor(code: string, status: number, detail: string, members: ErrorMembers = {}) {
    super(`${code}${status ? ` (${status})` : ""}: ${detail || (members.title ?? "")}`);
    this.code = code;
    this.status = status;
    this.detail = detail;
    this.retryable = members.retryable ?? false;
    this.errors = members.errors ?? [];
    this.title = members.title ?? "";
    this.retryAfter = members.retryAfter;
    this.traceId = members.traceId;
  }
}

/**
 * No node answered before the deadline of the call. The outcome of the request is unknown: the
 * node may have done it. Send it again with the same ids. `code` is `unavailable`, `status` is 0.
 */
export class NoAnswerError extends HoldfastError {
  override readonly name: string = "NoAnswerError";

  constructor(detail: string) {
    super("unavailable", 0, detail, { retryable: true });
  }
}
