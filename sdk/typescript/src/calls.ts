/** Requests, answers and the retry rule. */

import { HoldfastError, NoAnswerError, TRANSIENT_CODES, type ErrorPlace } from "./errors.js";
import { makeId } from "./ids.js";
import { encodeJson, parseAnswer } from "./json.js";

/** Statuses of answers after which the request is sent again. Proxies answer 502 and 504. */
const REPEATED_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Codes whose answers are final in spite of their status: `limit_reached` (429) lasts until the
 * caller hands something in. */
const FINAL_CODES: ReadonlySet<string> = new Set(["limit_reached"]);

/** Bounds of one request with many items. Above them it is divided. */
export const BATCH_ITEMS_MAX = 1000;
export const BATCH_BYTES_MAX = 4 * 1024 * 1024;

/** The shortest time for one attempt, however near the deadline is. Seconds. */
const ATTEMPT_TIMEOUT_LEAST = 0.1;

/** No timer of JavaScript is longer. Seconds. */
const TIMER_MOST = 2 ** 31 / 1000 - 1;

// --- the world outside ---

/** The part of an answer of `fetch` that is read. */
export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Read for streams of events alone. */
  readonly body?: ReadableStream<Uint8Array> | null;
}

export interface FetchRequest {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  redirect: "manual";
  cache: "no-store";
}

/** `fetch`, or a function that takes its place. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>;

/** The retry rule of all calls. All members are seconds. */
export interface RetryRule {
  /** A call ends this long after its begin, with all repetitions. A long poll may wait besides. */
  readonly timeout: number;
  /** An attempt ends after this long without the head of the answer, or without its rest. */
  readonly attemptTimeout: number;
  /** Pauses are random, from 0 to twice this after the first failure, and double with each. */
  readonly pauseLeast: number;
  /** No random pause is longer than this. */
  readonly pauseMost: number;
}

/** The things outside a call that it needs. Tests put virtual ones in their place. */
export interface Environment {
  readonly rule: RetryRule;
  /** Seconds of a monotonic clock. */
  clock(): number;
  /** Calls `work` after so many seconds, unless the function that it returns is called before. */
  schedule(seconds: number, work: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
  makeId(): string;
}

export const REAL_WORLD: Omit<Environment, "rule"> = {
  clock: () => performance.now() / 1000,
  schedule: (seconds, work) => {
    const timer = setTimeout(work, Math.ceil(Math.min(Math.max(seconds, 0), TIMER_MOST) * 1000));
    return () => clearTimeout(timer);
  },
  random: Math.random,
  makeId,
};

/** Waits. Rejects with the reason of `signal` when that is aborted. */
export function pause(
  environment: Environment,
  seconds: number,
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = environment.schedule(seconds, () => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    });
    signal?.addEventListener("abort", aborted, { once: true });
  });
}

// --- the retry rule ---

/** The pause after the n-th failure in a row: random, with a bound that doubles. */
export function fullJitter(failures: number, least: number, most: number, share: number): number {
  return share * Math.min(most, least * 2 ** Math.min(failures, 32));
}

/** The end of a call and the pauses until then. */
export class Deadline {
  private readonly until: number;
  private failures = 0;

  constructor(
    private readonly environment: Environment,
    wait = 0,
  ) {
    this.until = environment.clock() + environment.rule.timeout + wait;
  }

  timeLeft(): number {
    return this.until - this.environment.clock();
  }

  /** The seconds to pause before the next attempt; undefined when the call has to end. */
  pauseAfterFailure(retryAfter = 0): number | undefined {
    const { rule } = this.environment;
    this.failures++;
    // The jitter comes on top, so that clients that were told the same do not come together.
    const seconds =
      retryAfter +
      fullJitter(this.failures, rule.pauseLeast, rule.pauseMost, this.environment.random());
    return seconds < this.timeLeft() ? seconds : undefined;
  }
}

interface Answer {
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly text: string;
}

/** The seconds of `Retry-After`. A date counts as none: no clock of a client is trusted. */
function retryAfterOf(header: string | null): number | undefined {
  return header !== null && /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : undefined;
}

interface Problem {
  code: unknown;
  detail?: unknown;
  retryable?: unknown;
  errors?: ErrorPlace[];
  title?: unknown;
  trace_id?: string;
}

function problemOf(text: string): Problem | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null && "code" in parsed ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The error that an answer tells. */
function errorOf({ status, retryAfter, text }: Answer): HoldfastError {
  const problem = problemOf(text);
  if (problem === undefined) {
    // Not from a node, but from something in front of it.
    const retryable = REPEATED_STATUSES.has(status);
    const code = retryable ? "unavailable" : `http_${status}`;
    return new HoldfastError(code, status, text.slice(0, 200), { retryable, retryAfter });
  }
  return new HoldfastError(String(problem.code), status, String(problem.detail ?? ""), {
    retryable: problem.retryable === true,
    errors: Array.isArray(problem.errors) ? problem.errors : [],
    title: String(problem.title ?? ""),
    retryAfter,
    traceId: problem.trace_id,
  });
}

/** The error of an answer that was not read otherwise. */
export async function refusalOf(answer: FetchAnswer): Promise<HoldfastError> {
  const retryAfter = retryAfterOf(answer.headers.get("retry-after"));
  return errorOf({ status: answer.status, retryAfter, text: await answer.text() });
}

function isRepeated(error: HoldfastError): boolean {
  return REPEATED_STATUSES.has(error.status) && !FINAL_CODES.has(error.code);
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call: it rejects with the reason of the signal. The node may have done the work. */
  signal?: AbortSignal | undefined;
  /** Seconds, in the place of those of the client. */
  timeout?: number | undefined;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Seconds of a long poll; undefined: the request has none. */
  readonly wait: number | undefined;
}

/** Such as `20` or `0.25`. */
function numberText(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** The settings of a client that its requests need. */
export interface Connection {
  readonly url: string;
  readonly fetch: Fetch;
  /** Headers of all requests. */
  headers(): Promise<Record<string, string>>;
}

/** Sends a request until it has a final answer; returns its text. Rejects unless that is 2xx. */
export async function send(
  connection: Connection,
  environment: Environment,
  request: Request,
  signal?: AbortSignal,
): Promise<string> {
  const deadline = new Deadline(environment, request.wait);
  const began = environment.clock();
  for (;;) {
    const query = [...request.query];
    let waitLeft = 0;
    if (request.wait !== undefined) {
      // A repeated long poll waits for the rest of the time alone.
      waitLeft = Math.max(0, request.wait - (environment.clock() - began));
      query.push(["wait", numberText(waitLeft)]);
    }
    const timeout = Math.min(environment.rule.attemptTimeout + waitLeft, deadline.timeLeft());
    const answer = await attempt(
      connection,
      environment,
      request,
      query,
      Math.max(timeout, ATTEMPT_TIMEOUT_LEAST),
      signal,
    );
    if (!(answer instanceof HoldfastError) && answer.status >= 200 && answer.status < 300) {
      return answer.text;
    }
    const error = answer instanceof HoldfastError ? answer : errorOf(answer);
    if (!(error instanceof NoAnswerError) && !isRepeated(error)) throw error;
    const seconds = deadline.pauseAfterFailure(error.retryAfter);
    if (seconds === undefined) throw error;
    await pause(environment, seconds, signal);
  }
}

/** One try of a request: the answer, or the error that there is none. */
async function attempt(
  connection: Connection,
  environment: Environment,
  request: Request,
  query: readonly (readonly [string, string])[],
  timeout: number,
  signal?: AbortSignal,
): Promise<Answer | NoAnswerError> {
  signal?.throwIfAborted();
  const headers = { ...(await connection.headers()), ...request.headers };
  const aborter = new AbortController();
  const aborted = (): void => aborter.abort(signal?.reason);
  signal?.addEventListener("abort", aborted, { once: true });
  let timedOut = false;
  const startTimer = (): (() => void) =>
    environment.schedule(timeout, () => {
      timedOut = true;
      aborter.abort();
    });
  let stopTimer = startTimer();
  try {
    const answer = await connection.fetch(
      `${connection.url}${request.path}${query.length > 0 ? `?${queryText(query)}` : ""}`,
      {
        method: request.method,
        headers,
        ...(request.body === undefined ? {} : { body: request.body }),
        signal: aborter.signal,
        redirect: "manual",
        cache: "no-store",
      },
    );
    stopTimer();
    stopTimer = startTimer();
    const text = await answer.text();
    const retryAfter = retryAfterOf(answer.headers.get("retry-after"));
    return { status: answer.status, retryAfter, text };
  } catch (error) {
    signal?.throwIfAborted();
    const reason = timedOut ? `no answer within ${numberText(timeout)} s` : reasonOf(error);
    return new NoAnswerError(`${request.method} ${request.path}: ${reason}`);
  } finally {
    stopTimer();
    signal?.removeEventListener("abort", aborted);
  }
}

export function queryText(query: readonly (readonly [string, string])[]): string {
  return query.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
}

/** `fetch` of Node hides the reason of a failed connection in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.name}: ${error.message}${cause}`;
}

// --- requests of operations ---

/** The form of one operation, as the generated methods give it. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** The members of the request that go into the query. */
  readonly query?: readonly string[];
  /** The member that is the id of the request, which makes it repeatable. */
  readonly id?: string;
  /** The body is one document of the caller. */
  readonly document?: true;
}

export interface Parts {
  /** The texts that fill the braces of the path, in their order. */
  readonly path: readonly (string | number)[];
  /** The members of the query and of the body. */
  readonly members?: object | undefined;
  /** The body where it is one document. */
  readonly document?: unknown;
  /** The body, encoded already. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

function memberText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** The request of an operation. Every POST has an `Idempotency-Key` that all attempts share. */
export function requestOf(route: Route, parts: Parts, newId: () => string): Request {
  const query: [string, string][] = [];
  const body: Record<string, unknown> = {};
  let wait: number | undefined;
  let id: unknown;
  for (const [name, value] of Object.entries(parts.members ?? {})) {
    if (value === undefined) continue;
    if (name === route.id) id = value;
    if (!(route.query ?? []).includes(name)) body[name] = value as unknown;
    else if (name === "wait") wait = Number(value);
    else for (const one of [value].flat()) query.push([name, memberText(one)]);
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(parts.headers ?? {})) {
    if (value !== undefined) headers[name] = value;
  }
  let text = parts.text;
  if (text === undefined && route.document) text = encodeJson(parts.document);
  if (text === undefined && Object.keys(body).length > 0) text = encodeJson(body);
  if (text !== undefined) headers["content-type"] = "application/json";
  if (route.method === "POST") headers["idempotency-key"] = String(id ?? newId());
  const filled = [...parts.path];
  const path = route.path.replace(/\{\w+\}/g, () => encodeURIComponent(filled.shift() ?? ""));
  return { method: route.method, path, query, headers, body: text, wait };
}

/** The JSON of an answer; undefined where it has no body. */
export function valueOf(text: string): unknown {
  if (text === "") return undefined;
  try {
    return parseAnswer(text);
  } catch {
    throw new HoldfastError("answer_malformed", 200, "the answer is not JSON");
  }
}

// --- batches ---

/** The length of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The places of the items, divided so that each part fits into one request. */
export function partsOf(texts: readonly string[]): number[][] {
  const parts: number[][] = [];
  let part: number[] = [];
  let size = 0;
  for (const [place, text] of texts.entries()) {
    const bytes = byteLength(text);
    if (parts.length === 0 || part.length >= BATCH_ITEMS_MAX || size + bytes > BATCH_BYTES_MAX) {
      part = [];
      parts.push(part);
      size = 0;
    }
    part.push(place);
    size += bytes;
  }
  return parts;
}

/** The outcome of one item of a batch. */
export interface ItemOutcome {
  code?: string;
  detail?: string;
}

/**
 * Sends items in as many requests as it takes; returns the outcome of each, in order. An item whose
 * outcome has a transient code is sent again, unless `repeat` is false. A request that fails
 * rejects while no item has an outcome; later the items of that request have outcomes with its
 * code.
 */
export async function sendEach<Outcome extends ItemOutcome>(
  environment: Environment,
  texts: readonly string[],
  repeat: boolean,
  ask: (items: string) => Promise<readonly Outcome[]>,
  failed: (place: number, error: HoldfastError) => Outcome,
  signal?: AbortSignal,
): Promise<Outcome[]> {
  const outcomes: (Outcome | undefined)[] = texts.map(() => undefined);
  for (let part of partsOf(texts)) {
    const deadline = new Deadline(environment);
    for (;;) {
      try {
        const told = await ask(part.map((place) => texts[place]).join(","));
        part.forEach((place, n) => (outcomes[place] = told[n]));
      } catch (error) {
        if (!(error instanceof HoldfastError) || outcomes.every((one) => one === undefined)) {
          throw error;
        }
        for (const place of part) outcomes[place] = failed(place, error);
        break;
      }
      part = part.filter((place) => TRANSIENT_CODES.has(outcomes[place]?.code ?? ""));
      if (part.length === 0 || !repeat) break;
      const seconds = deadline.pauseAfterFailure();
      if (seconds === undefined) break;
      await pause(environment, seconds, signal);
    }
  }
  return outcomes as Outcome[];
}
