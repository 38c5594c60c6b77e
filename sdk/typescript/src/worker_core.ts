/**
 * The decisions of a worker, without input, output, timers or clocks.
 *
 *     waiting ── nextToRun ──► running ── handlerEnded ──► ending ── reported ──► (gone)
 *        └────────── stop ─────────┴─────────────────────────►┘
 *
 * Every method takes the time as `now`: seconds of a monotonic clock, the same one in all calls.
 */

import { BATCH_BYTES_MAX, byteLength, fullJitter } from "./calls.js";
import { LEASE_OVER_CODES, TRANSIENT_CODES, type HoldfastError } from "./errors.js";
import type { LeasedTask, TaskOutcome, TaskReport } from "./generated.js";
import { encodeJson } from "./json.js";

/** A third of the lease: after one extension that was late or lost there is time for the next. */
const EXTENSIONS_PER_LEASE = 3;
/** The most leases of one request that extends. */
const EXTENSIONS_MAX = 1000;
/** The most tasks of one claim. */
const CLAIM_MAX = 1000;

/** Pauses after a claim that failed with all its repetitions. Seconds. */
const CLAIM_PAUSE_LEAST = 0.1;
const CLAIM_PAUSE_MOST = 10;
/** Pauses after a report that was not taken. Seconds. */
const REPORT_PAUSE_LEAST = 0.1;
const REPORT_PAUSE_MOST = 5;
/** The pause after an extension that failed is this share of the lease. */
const EXTENSION_PAUSE_SHARE = 0.1;
const EXTENSION_PAUSE_LEAST = 0.1;

/** Bytes of the detail of a failure that are sent. A node keeps 8 KiB. */
const DETAIL_BYTES_MAX = 4096;
const CODE_BYTES_MAX = 128;
/** Seconds. A node refuses more. */
const RETRY_AFTER_MAX = 86400;

/** The code of a failure by an error that no handler meant. */
export const HANDLER_EXCEPTION = "HANDLER_EXCEPTION";
/** The code of a failure in the place of a result that the node refused. */
const OUTCOME_REFUSED = "OUTCOME_REFUSED";

/** Errors of a whole request that one bad report in it may have caused. */
const CODES_OF_BAD_REPORTS: ReadonlySet<string> = new Set([
  "invalid_argument",
  "payload_invalid",
  "too_large",
  "body_too_large",
  "request_malformed",
]);

// --- the ways in which a handler ends ---

export interface Update {
  state?: string | undefined;
  data?: unknown;
  checkpoint?: unknown;
  percent?: number | undefined;
}

export type FailureKind = "transient" | "permanent" | "rate_limited";

export type Ending =
  | { readonly do: "complete"; readonly result: unknown }
  | {
      readonly do: "fail";
      readonly kind: FailureKind;
      readonly code: string;
      readonly detail: string;
      readonly retryAfter?: number | undefined;
    }
  | {
      readonly do: "release";
      readonly delay?: number | undefined;
      readonly update?: Update & { run_at?: string | undefined };
    };

/** The end of a text that a node takes: well-formed, without NUL. */
export function mended(text: string, bytesMax: number): string {
  const plain = Array.from(text, (one) =>
    one === "\0" || /^[\ud800-\udfff]$/.test(one) ? "\ufffd" : one,
  );
  let bytes = 0;
  let begin = plain.length;
  while (begin > 0) {
    bytes += byteLength(plain[begin - 1] ?? "");
    if (bytes > bytesMax) break;
    begin--;
  }
  return plain.slice(begin).join("");
}

function reportOf(task: LeasedTask, ending: Ending): TaskReport {
  const about = { task: task.id, token: task.token };
  switch (ending.do) {
    case "complete":
      return { ...about, do: "complete", result: ending.result };
    case "release": {
      const delay = ending.delay === undefined ? undefined : Math.max(ending.delay, 0);
      return { ...about, do: "release", ...ending.update, delay };
    }
    case "fail": {
      const { kind, retryAfter } = ending;
      const seconds =
        retryAfter === undefined ? undefined : Math.min(Math.max(retryAfter, 0), RETRY_AFTER_MAX);
      return {
        ...about,
        do: "fail",
        kind,
        code: mended(ending.code, CODE_BYTES_MAX) || "FAILED",
        detail: mended(ending.detail, DETAIL_BYTES_MAX),
        retry_after: seconds,
      };
    }
  }
}

/** The failure that is reported in the place of a report that the node refused. */
function refused(report: TaskReport, code: string, detail: string): Ending {
  const text = `${code}: ${detail}`;
  if (report.do !== "fail") {
    return { do: "fail", kind: "permanent", code: OUTCOME_REFUSED, detail: text };
  }
  return {
    do: "fail",
    kind: report.kind ?? "transient",
    code: OUTCOME_REFUSED,
    detail: `${text}; it was to say ${report.code}: ${report.detail}`,
    retryAfter: report.retry_after,
  };
}

// --- leases ---

/** `waiting`: claimed, and no handler is free. `ending`: the report is to be sent, or under way. */
export type Phase = "waiting" | "running" | "ending" | "gone";

/**
 * The reason for which a handler is told to stop. `lost`: the node says that the lease is over.
 * `expired`: no extension was confirmed in time. `stopping`: the worker stops. `given_back`: the
 * worker stops, and has given the task back.
 */
export type CancelReason = "lost" | "expired" | "stopping" | "given_back";

export class Lease {
  readonly key: string;
  /** The longest that the node has told for this task. */
  leaseSeconds: number;
  /** The time to ask for an extension. */
  extendAt: number;
  /** No lease that was granted or extended so far ends after this. */
  endsAt: number;
  phase: Phase = "waiting";
  lost = false;
  expired = false;
  extendable = true;
  /** The number of the last save. */
  saves = 0;
  report: TaskReport | undefined;
  /** The report as JSON. */
  reportText = "";
  reportAt = 0;
  reportFailures = 0;
  /** A request with this and other reports was refused as a whole. */
  reportAlone = false;
  /** The first report was refused, and this one says so. */
  reportReplaced = false;

  constructor(
    readonly task: LeasedTask,
    /** The text of the body as the node sent it. */
    readonly bodyText: () => string,
    now: number,
  ) {
    this.key = `${task.id} ${task.token}`;
    this.leaseSeconds = task.lease_seconds;
    this.extendAt = now + task.lease_seconds / EXTENSIONS_PER_LEASE;
    this.endsAt = now + task.lease_seconds;
  }
}

/**
 * Counts since the start of a worker. Each claimed task is in the end counted as one of completed,
 * failed, released or lost; `running` is the number of handlers now. A release or a failure that
 * was sent again after a lost answer may count as lost, because the first request has ended the
 * lease.
 */
export interface Counts {
  claimed: number;
  completed: number;
  failed: number;
  released: number;
  lost: number;
  running: number;
}

/** Whether every claim will meet this error: the token or the settings are wrong. */
export function nextClaimIsVain({ status, code }: HoldfastError): boolean {
  if (status === 404) return code === "route_unknown";
  return [400, 401, 403, 405, 415, 422].includes(status);
}

export interface CoreSettings {
  /** So many handlers run at once. */
  concurrency: number;
  /** So many tasks more may wait here. */
  prefetch: number;
  /** Reports are gathered for so many seconds. */
  gather: number;
  /** The most reports of one request. */
  batchMax: number;
  patience: number;
  cancelPatience: number;
  reportPatience: number;
  /** Called when the handler of the lease is to stop. */
  tell: (lease: Lease, reason: CancelReason) => void;
  warn: (text: string) => void;
  random: () => number;
}

/** The state of one worker. */
export class WorkerCore {
  readonly counts: Counts = {
    claimed: 0,
    completed: 0,
    failed: 0,
    released: 0,
    lost: 0,
    running: 0,
  };
  readonly held = new Map<string, Lease>();
  stopping = false;
  /** No claim is sent before this time. */
  claimAt = 0;
  private claimFailures = 0;
  private waiting: Lease[] = [];
  private readonly ending = new Map<string, Lease>(); // reports that are not under way
  private extendAt: number | undefined; // not after the first extension that is due
  private expiresAt: number | undefined; // not after the first lease that runs out
  private readonly givenBack = new Set<string>(); // while stopping
  private cancelAt: number | undefined;
  private giveBackAt: number | undefined;
  private endAt: number | undefined;

  constructor(private readonly settings: CoreSettings) {}

  // --- claims ---

  /** The most tasks of a claim that may be sent; 0: none may be sent. */
  claimLimit(): number {
    if (this.stopping) return 0;
    const { concurrency, prefetch } = this.settings;
    const free = concurrency + prefetch - this.counts.running - this.waiting.length;
    return Math.max(0, Math.min(free, CLAIM_MAX));
  }

  /** A claim was answered. Tasks for which there is no use go back. */
  claimed(leases: Iterable<Lease>, known: (type: string) => boolean, now: number): void {
    this.claimFailures = 0;
    for (const lease of leases) {
      // The same lease may be in a second answer.
      if (this.held.has(lease.key) || this.givenBack.has(lease.key)) continue;
      this.held.set(lease.key, lease);
      this.counts.claimed++;
      this.noteTimes(lease);
      if (this.stopping || lease.leaseSeconds <= 0 || !known(lease.task.type)) {
        this.end(lease, { do: "release" }, now);
      } else {
        this.waiting.push(lease);
      }
    }
  }

  claimFailed(now: number): void {
    this.claimFailures++;
    const share = this.settings.random();
    this.claimAt = now + fullJitter(this.claimFailures, CLAIM_PAUSE_LEAST, CLAIM_PAUSE_MOST, share);
  }

  // --- handlers ---

  /** The lease whose handler is to start now. */
  nextToRun(): Lease | undefined {
    if (this.counts.running >= this.settings.concurrency) return undefined;
    const lease = this.waiting.shift();
    if (lease === undefined) return undefined;
    lease.phase = "running";
    this.counts.running++;
    return lease;
  }

  handlerEnded(lease: Lease, ending: Ending, now: number): void {
    this.counts.running--;
    if (lease.phase !== "running") return; // it was given back before
    if (lease.lost) this.forget(lease);
    else this.end(lease, ending, now);
  }

  /** The node says that a lease is over. */
  lost(lease: Lease, why: string): void {
    if (lease.lost || lease.phase === "gone") return;
    lease.lost = true;
    this.counts.lost++;
    this.settings.warn(`the lease on task ${lease.task.id} is lost: ${why}`);
    if (lease.phase === "running") this.settings.tell(lease, "lost");
    else this.forget(lease);
  }

  // --- extensions ---

  /** The time at which leases are to be extended. */
  extensionAt(): number | undefined {
    return this.extendAt;
  }

  /** The leases of the next request, which has all of them when one is due. */
  leasesToExtend(now: number): Lease[] {
    if (this.extendAt === undefined || now < this.extendAt) return [];
    const extendable = [...this.held.values()].filter((one) => one.extendable && !one.lost);
    if (!extendable.some((one) => one.extendAt <= now)) {
      this.extendAt = least(extendable.map((one) => one.extendAt));
      return [];
    }
    extendable.sort((one, other) => one.extendAt - other.extendAt);
    const chosen = extendable.slice(0, EXTENSIONS_MAX);
    for (const lease of chosen) lease.extendAt = now + lease.leaseSeconds / EXTENSIONS_PER_LEASE;
    this.extendAt = least(extendable.map((one) => one.extendAt));
    return chosen;
  }

  extended(leases: readonly Lease[], outcomes: readonly TaskOutcome[], now: number): void {
    for (const [place, lease] of leases.entries()) {
      const outcome = outcomes[place];
      if (outcome === undefined || lease.phase === "gone") continue;
      const { code } = outcome;
      if (code === undefined) {
        const { lease_seconds: seconds } = outcome as { lease_seconds?: number };
        if (seconds !== undefined) lease.leaseSeconds = seconds;
        lease.endsAt = now + lease.leaseSeconds;
        lease.expired = false;
        this.noteTimes(lease);
      } else if (code === "not_extendable") {
        lease.extendable = false;
      } else if (LEASE_OVER_CODES.has(code)) {
        // The report of a lease that ends may have been faster: its outcome tells.
        if (lease.phase !== "ending") this.lost(lease, `${code}: ${outcome.detail ?? ""}`);
      } else {
        this.extendSoon(lease, now);
      }
    }
  }

  extensionFailed(leases: readonly Lease[], now: number): void {
    for (const lease of leases) {
      if (lease.phase !== "gone") this.extendSoon(lease, now);
    }
  }

  private extendSoon(lease: Lease, now: number): void {
    const pause = Math.max(EXTENSION_PAUSE_LEAST, lease.leaseSeconds * EXTENSION_PAUSE_SHARE);
    lease.extendAt = Math.min(lease.extendAt, now + pause);
    this.noteTimes(lease);
  }

  private noteTimes(lease: Lease): void {
    this.extendAt = least([this.extendAt, lease.extendAt]);
    this.expiresAt = least([this.expiresAt, lease.endsAt]);
  }

  // --- reports ---

  /** The time at which reports are to be sent. */
  batchAt(): number | undefined {
    const reports = [...this.ending.values()];
    const full = this.stopping || reports.length >= this.settings.batchMax;
    if (full && reports.some((one) => one.reportFailures === 0)) return 0;
    return least(reports.map((one) => one.reportAt));
  }

  /** The leases whose reports go into the next request. */
  takeBatch(now: number): Lease[] {
    const at = this.batchAt();
    if (at === undefined || now < at) return [];
    const chosen: Lease[] = [];
    let size = 0;
    for (const lease of this.ending.values()) {
      // Those that have just come need not wait for a request of their own.
      if (lease.reportFailures > 0 && lease.reportAt > now) continue;
      size += byteLength(lease.reportText);
      if (chosen.length > 0 && (lease.reportAlone || size > BATCH_BYTES_MAX)) break;
      chosen.push(lease);
      if (lease.reportAlone || chosen.length >= this.settings.batchMax) break;
    }
    for (const lease of chosen) this.ending.delete(lease.key);
    return chosen;
  }

  reported(leases: readonly Lease[], outcomes: readonly TaskOutcome[], now: number): void {
    for (const [place, lease] of leases.entries()) {
      const { code, detail = "" } = outcomes[place] ?? { code: "unavailable" };
      if (code === undefined) {
        this.countEnd(lease);
        this.forget(lease);
      } else {
        this.reportRefused(lease, code, detail, now);
      }
    }
  }

  /** A whole request with reports failed. */
  reportFailed(leases: readonly Lease[], error: HoldfastError, now: number): void {
    const isBad = CODES_OF_BAD_REPORTS.has(error.code);
    for (const lease of leases) {
      if (isBad && leases.length > 1) {
        lease.reportAlone = true;
        this.ending.set(lease.key, lease);
      } else if (isBad) {
        this.reportRefused(lease, error.code, error.detail, now);
      } else {
        this.reportAgain(lease, error.code, error.detail, now);
      }
    }
  }

  private reportRefused(lease: Lease, code: string, detail: string, now: number): void {
    if (TRANSIENT_CODES.has(code)) return this.reportAgain(lease, code, detail, now);
    if (LEASE_OVER_CODES.has(code) || lease.reportReplaced || lease.report === undefined) {
      this.lost(lease, `${code}: ${detail}`);
      return this.forget(lease);
    }
    this.settings.warn(`the report about task ${lease.task.id} was refused: ${code}: ${detail}`);
    lease.reportReplaced = true;
    this.setReport(lease, refused(lease.report, code, detail), now);
  }

  private reportAgain(lease: Lease, code: string, detail: string, now: number): void {
    const isOver = now >= lease.endsAt || (this.endAt !== undefined && now >= this.endAt);
    if (lease.lost || isOver) {
      this.lost(lease, `its report was not taken in time: ${code}: ${detail}`);
      return this.forget(lease);
    }
    lease.reportFailures++;
    const most = Math.min(REPORT_PAUSE_MOST, lease.leaseSeconds / EXTENSIONS_PER_LEASE);
    const share = this.settings.random();
    lease.reportAt =
      now +
      fullJitter(
        lease.reportFailures,
        REPORT_PAUSE_LEAST,
        Math.max(most, REPORT_PAUSE_LEAST),
        share,
      );
    this.ending.set(lease.key, lease);
  }

  private end(lease: Lease, ending: Ending, now: number): void {
    lease.phase = "ending";
    this.setReport(lease, ending, now);
  }

  private setReport(lease: Lease, ending: Ending, now: number): void {
    lease.report = reportOf(lease.task, ending);
    try {
      lease.reportText = encodeJson(lease.report);
    } catch (error) {
      this.settings.warn(`the outcome of task ${lease.task.id} is not JSON: ${String(error)}`);
      lease.reportReplaced = true;
      const detail = String(error);
      const failed = { do: "fail", kind: "permanent", code: OUTCOME_REFUSED, detail } as const;
      lease.report = reportOf(lease.task, failed);
      lease.reportText = encodeJson(lease.report);
    }
    lease.reportAt = now + this.settings.gather;
    lease.reportFailures = 0;
    this.ending.set(lease.key, lease);
  }

  private countEnd(lease: Lease): void {
    if (lease.lost) return;
    if (lease.report?.do === "complete") this.counts.completed++;
    else if (lease.report?.do === "fail") this.counts.failed++;
    else this.counts.released++;
  }

  private forget(lease: Lease): void {
    if (lease.phase === "waiting") this.waiting = this.waiting.filter((one) => one !== lease);
    lease.phase = "gone";
    this.held.delete(lease.key);
    this.ending.delete(lease.key);
    if (this.stopping) this.givenBack.add(lease.key);
  }

  // --- time ---

  /** The time at which `tick` has something to do. */
  nextTime(): number | undefined {
    return least([this.expiresAt, this.cancelAt, this.giveBackAt, this.endAt]);
  }

  /** Does what only the time brings about. */
  tick(now: number): void {
    if (this.expiresAt !== undefined && this.expiresAt <= now) this.expire(now);
    if (this.cancelAt !== undefined && this.cancelAt <= now) {
      this.cancelAt = undefined;
      this.giveBackAt = now + this.settings.cancelPatience;
      for (const lease of this.running()) this.settings.tell(lease, "stopping");
    }
    if (this.giveBackAt !== undefined && this.giveBackAt <= now) {
      this.giveBackAt = undefined;
      for (const lease of this.running()) {
        this.settings.warn(`the handler of task ${lease.task.id} does not return`);
        this.settings.tell(lease, "given_back");
        if (lease.lost) this.forget(lease);
        else this.end(lease, { do: "release" }, now);
      }
    }
    if (this.stopping && this.endAt === undefined && this.running().length === 0) {
      this.cancelAt = this.giveBackAt = undefined;
      this.endAt = now + this.settings.reportPatience;
    }
  }

  private expire(now: number): void {
    for (const lease of [...this.held.values()]) {
      if (lease.lost || lease.expired || now < lease.endsAt) continue;
      lease.expired = true;
      if (lease.phase === "waiting") {
        this.lost(lease, "it has run out");
      } else if (lease.phase === "running") {
        // The node has the last word: a result is offered to it all the same.
        this.settings.warn(`the lease on task ${lease.task.id} has run out`);
        this.settings.tell(lease, "expired");
      }
    }
    const live = [...this.held.values()].filter((one) => !one.lost && !one.expired);
    this.expiresAt = least(live.map((one) => one.endsAt));
  }

  private running(): Lease[] {
    return [...this.held.values()].filter((one) => one.phase === "running");
  }

  // --- the end ---

  /**
   * Claims no more, gives back the tasks that wait, and the others after their patience. A second
   * call may shorten the patience.
   */
  stop(now: number, patience = this.settings.patience): void {
    if (this.endAt !== undefined || (this.stopping && this.cancelAt === undefined)) return;
    if (this.cancelAt !== undefined) {
      this.cancelAt = Math.min(this.cancelAt, now + patience);
      return;
    }
    this.stopping = true;
    this.cancelAt = now + patience;
    const waiting = this.waiting;
    this.waiting = [];
    for (const lease of waiting) this.end(lease, { do: "release" }, now);
  }

  /** Whether nothing is held any more, or there is no time left to wait for that. */
  hasEnded(now: number): boolean {
    if (this.endAt === undefined) return false;
    return this.held.size === 0 || now >= this.endAt;
  }
}

/** The least of the numbers; undefined where there is none. */
export function least(values: Iterable<number | undefined>): number | undefined {
  let found: number | undefined;
  for (const value of values) {
    if (value !== undefined && (found === undefined || value < found)) found = value;
  }
  return found;
}
