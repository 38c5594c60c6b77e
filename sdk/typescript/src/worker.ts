/** A worker: claims the tasks of a queue, has handlers do them, and reports how they ended. */

import { environmentOf, type Holdfast } from "./client.js";
import { Engine } from "./engine.js";
import { HoldfastError } from "./errors.js";
import type { LeasedTask } from "./generated.js";
import { makeId } from "./ids.js";
import {
  HANDLER_EXCEPTION,
  WorkerCore,
  type CancelReason,
  type Counts,
  type Ending,
  type FailureKind,
  type Lease,
  type Update,
} from "./worker_core.js";

/** The most types of one claim. */
const TYPES_MAX = 100;
/** Reports of handlers that end together go in one request. Seconds. */
const GATHER_SECONDS = 0.005;
const BATCH_MAX = 100;
/** The longest time for the last reports of a worker that stops. Seconds. */
const REPORT_PATIENCE = 10;

// --- errors that end an attempt ---

/** The base of the errors by which a handler ends an attempt. */
export class TaskFailure extends Error {
  override readonly name: string = "TaskFailure";
  readonly kind: FailureKind = "transient";

  /** `code` is for programs, 1 to 128 bytes; `detail` is for operators. */
  constructor(
    readonly code: string,
    readonly detail = "",
    readonly retryAfter?: number,
  ) {
    super(`${code}: ${detail}`);
  }
}

/**
 * The attempt failed, and the next one may go well. No attempt begins before `retryAfter` seconds
 * have passed. Any other error of a handler is a transient failure as well, with the code
 * `HANDLER_EXCEPTION`.
 */
export class TransientFailure extends TaskFailure {
  override readonly name: string = "TransientFailure";
}

/** The task fails for good: no further attempt can help. */
export class PermanentFailure extends TaskFailure {
  override readonly name: string = "PermanentFailure";
  override readonly kind: FailureKind = "permanent";

  constructor(code: string, detail = "") {
    super(code, detail);
  }
}

/**
 * Another service asked to come back after `retryAfter` seconds, at most 86400. All tasks of the
 * same type and credential wait. It does not count as a failed attempt.
 */
export class RateLimited extends TaskFailure {
  override readonly name: string = "RateLimited";
  override readonly kind: FailureKind = "rate_limited";

  constructor(retryAfter: number, code = "RATE_LIMITED", detail = "") {
    super(code, detail, retryAfter);
  }
}

export interface GiveBackUpdate extends Update {
  /** Seconds after which others may claim the task. */
  delay?: number;
  /** The time from which others may claim the task. */
  runAt?: string | Date;
}

/**
 * The handler gives the task back, neither done nor failed, for instance because the worker stops,
 * or because the task waits for something. Others may claim it at once, or at the time that
 * `update` says; its other members are those of `Task.save`.
 */
export class GiveBack extends Error {
  override readonly name: string = "GiveBack";

  constructor(readonly update: GiveBackUpdate = {}) {
    super("the task is given back");
  }
}

function endingOf(error: unknown): Ending {
  if (error instanceof TaskFailure) {
    const { kind, code, detail, retryAfter } = error;
    return { do: "fail", kind, code, detail, retryAfter };
  }
  if (error instanceof GiveBack) {
    const { delay, runAt, ...rest } = error.update;
    const run_at = runAt instanceof Date ? runAt.toISOString() : runAt;
    return { do: "release", delay, update: { ...rest, run_at } };
  }
  const detail = error instanceof Error ? (error.stack ?? String(error)) : String(error);
  return { do: "fail", kind: "transient", code: HANDLER_EXCEPTION, detail };
}

// --- tasks ---

/** A leased task, as its handler gets it. */
export class Task<Body = any> {
  readonly id: string;
  readonly type: string;
  readonly version: string;
  /** The work. An integer that no double holds exactly is a `bigint`; `bodyText` has all digits. */
  readonly body: Body;
  /** Counts from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly key: string | undefined;
  readonly traceparent: string | undefined;
  /** The named state of the task, and the JSON that belongs to it. */
  state: string;
  data: unknown;
  /** JSON that earlier attempts saved; null where none did. */
  checkpoint: unknown;
  /**
   * Aborted once the handler has no reason to go on: the lease is lost, or the worker stops. Pass
   * it on, as in `fetch(url, { signal: task.signal })`.
   */
  readonly signal: AbortSignal;
  /** Set before `signal` is aborted. */
  cancelReason: CancelReason | undefined;
  readonly #aborter = new AbortController();
  readonly #lease: Lease;
  readonly #clock: () => number;
  readonly #store: (update: Update) => Promise<void>;

  constructor(
    /** The whole object of the API. */
    readonly raw: LeasedTask,
    readonly queue: string,
    /** The name of the worker. */
    readonly worker: string,
    lease: Lease,
    clock: () => number,
    store: (update: Update) => Promise<void>,
  ) {
    this.id = raw.id;
    this.type = raw.type;
    this.version = raw.version;
    this.body = raw.body as Body;
    this.attempt = raw.attempt;
    this.maxAttempts = raw.max_attempts;
    this.key = raw.key;
    this.traceparent = raw.traceparent;
    this.state = raw.state;
    this.data = raw.data;
    this.checkpoint = raw.checkpoint;
    this.signal = this.#aborter.signal;
    this.#lease = lease;
    this.#clock = clock;
    this.#store = store;
  }

  /** The text of the body, byte for byte as it was handed in. */
  get bodyText(): string {
    return this.#lease.bodyText();
  }

  /**
   * The seconds until the lease ends, as far as this process knows; 0 when it is over. The worker
   * extends the lease while the handler runs.
   */
  get leaseLeft(): number {
    return this.#lease.lost ? 0 : Math.max(0, this.#lease.endsAt - this.#clock());
  }

  /**
   * Stores the progress of the task under its lease; a member that is undefined stays as it is.
   * `checkpoint` is JSON that the next worker of the task gets; `percent` is 0 to 100. The saves of
   * a lease are numbered, so that a late one changes nothing.
   *
   * Rejects with `lease_not_held`, `stale_token`, `lease_expired` or `not_found` when the lease is
   * over; with `wrong_state` when the type does not allow `state`.
   */
  async save(update: Update): Promise<void> {
    await this.#store(update);
    if (update.state !== undefined) this.state = update.state;
    if (update.data !== undefined) this.data = update.data;
    if (update.checkpoint !== undefined) this.checkpoint = update.checkpoint;
  }

  /** For the worker: tells the handler to stop. */
  cancel(reason: CancelReason): void {
    this.cancelReason = reason;
    this.#aborter.abort(new HoldfastError("lease_not_held", 0, `the task is cancelled: ${reason}`));
  }
}

export type Handler<Body = any> = (task: Task<Body>) => unknown;

// --- the worker ---

export interface WorkerSettings {
  queue: string;
  /**
   * 1 to 128 bytes that belong to one process alone; by default made of the process and a random
   * part. The token of a worker that is bound to a name wants that one.
   */
  name?: string;
  /** So many tasks beside those whose handlers run wait here. */
  prefetch?: number;
  /** Each claim waits so many seconds (0 to 60) for a task. */
  wait?: number;
  /** The seconds that running handlers have to end when the worker stops. */
  patience?: number;
  /** The seconds that they have after `task.signal` was aborted. */
  cancelPatience?: number;
  /** Gets warnings; `console.warn` by default. */
  warn?: (text: string) => void;
}

export interface RunSettings {
  /** So many handlers run at once: 8 by default. */
  concurrency?: number;
  /** In Node SIGTERM and SIGINT stop the worker, and a second one ends the patience. */
  handleSignals?: boolean;
}

interface Signals {
  pid?: number;
  on(name: string, listener: () => void): unknown;
  off(name: string, listener: () => void): unknown;
}

/** The process of Node; undefined in browsers. */
const { process } = globalThis as { process?: Partial<Signals> };

function ownName(): string {
  return `js-${process?.pid ?? "browser"}-${makeId().slice(-12)}`;
}

/**
 * Does the tasks of one queue.
 *
 *     const worker = new Worker(client, { queue: "mail" });
 *     worker.handle("send", async (task) => …);
 *     await worker.run({ concurrency: 8 });
 *
 * The result of a handler completes its task and is any JSON; undefined completes it without one.
 * An error fails the attempt: `PermanentFailure`, `RateLimited` and `TransientFailure` say how,
 * every other error is a transient failure, and `GiveBack` gives the task back.
 *
 * The worker claims as many tasks as it has free handlers, and `prefetch` tasks more that wait
 * here. It extends each lease after a third of its time, and reports ends, up to 100 in a request.
 * A lease that is lost aborts `task.signal`, and the outcome of its handler is dropped. Timers
 * extend the leases: a handler must not hold up the event loop for a third of a lease.
 *
 * `stop`, SIGTERM and SIGINT end the worker: it claims no more, gives running handlers `patience`
 * seconds, aborts `task.signal`, gives them `cancelPatience` seconds more, and gives back the tasks
 * of those that still run.
 */
export class Worker {
  readonly name: string;
  readonly #client: Holdfast;
  readonly #settings: Required<WorkerSettings>;
  readonly #handlers = new Map<string, Handler>();
  #core: WorkerCore | undefined;
  #engine: Engine | undefined;
  #stopAsked = false;

  constructor(client: Holdfast, settings: WorkerSettings) {
    const { prefetch = 0, wait = 20, patience = 10, cancelPatience = 2 } = settings;
    const {
      queue,
      name = ownName(),
      warn = (text) => console.warn(`holdfast: ${text}`),
    } = settings;
    if (!(prefetch >= 0 && wait >= 0 && wait <= 60 && patience >= 0 && cancelPatience >= 0)) {
      throw new RangeError(
        "prefetch, patience and cancelPatience are not below 0; wait is 0 to 60",
      );
    }
    this.name = name;
    this.#client = client;
    this.#settings = { queue, name, prefetch, wait, patience, cancelPatience, warn };
  }

  /** Makes a function the handler of a type of tasks, or of several. */
  handle<Body = any>(types: string | readonly string[], handler: Handler<Body>): this {
    for (const type of [types].flat()) {
      if (this.#handlers.has(type)) throw new Error(`the type ${type} has a handler already`);
      if (this.#handlers.size >= TYPES_MAX) {
        throw new Error(`a worker has at most ${TYPES_MAX} types`);
      }
      this.#handlers.set(type, handler);
    }
    return this;
  }

  /** The counts of the run that is under way, or of the last one. */
  get counts(): Readonly<Counts> {
    return (
      this.#core?.counts ?? {
        claimed: 0,
        completed: 0,
        failed: 0,
        released: 0,
        lost: 0,
        running: 0,
      }
    );
  }

  /**
   * Works until `stop` is called or a signal arrives. Rejects with a `HoldfastError` when the node
   * refuses every claim: the token, the name or the queue is wrong. A queue that is not there yet,
   * and a node that does not answer, are waited for.
   */
  async run({ concurrency = 8, handleSignals = true }: RunSettings = {}): Promise<void> {
    if (this.#engine !== undefined) throw new Error("the worker runs already");
    if (this.#handlers.size === 0) throw new Error("the worker has no handler");
    if (!(concurrency >= 1)) throw new RangeError("concurrency is at least 1");
    const engine = this.#makeEngine(concurrency);
    if (this.#stopAsked) engine.stop();
    let signals = 0;
    const onSignal = (): void => engine.stop(signals++ === 0 ? undefined : 0);
    const names = handleSignals ? ["SIGTERM", "SIGINT"] : [];
    for (const name of names) process?.on?.(name, onSignal);
    try {
      await engine.run();
    } finally {
      for (const name of names) process?.off?.(name, onSignal);
      this.#engine = undefined;
      this.#stopAsked = false;
    }
  }

  /**
   * Asks the worker to stop and returns at once; the promise of `run` resolves when it has stopped.
   * `patience` replaces that of the constructor; a second call may shorten it. Called before `run`,
   * it makes that return at once.
   */
  stop(patience?: number): void {
    if (this.#engine === undefined) this.#stopAsked = true;
    else this.#engine.stop(patience);
  }

  #makeEngine(concurrency: number): Engine {
    const { queue, prefetch, wait, patience, cancelPatience, warn } = this.#settings;
    const { clock, random } = this.#client[environmentOf];
    const tasks = new Map<Lease, Task>();
    const core = new WorkerCore({
      concurrency,
      prefetch,
      gather: GATHER_SECONDS,
      batchMax: BATCH_MAX,
      patience,
      cancelPatience,
      reportPatience: REPORT_PATIENCE,
      tell: (lease, reason) => tasks.get(lease)?.cancel(reason),
      warn,
      random,
    });
    const start = (lease: Lease): void => {
      const store = (update: Update): Promise<void> => engine.save(lease, update);
      const task = new Task(lease.task, queue, this.name, lease, clock, store);
      tasks.set(lease, task);
      void this.#runHandler(task).then((ending) => {
        tasks.delete(lease);
        engine.handlerEnded(lease, ending);
      });
    };
    const types = [...this.#handlers.keys()];
    const engine = new Engine(this.#client, core, {
      queue,
      worker: this.name,
      types,
      wait,
      warn,
      start,
    });
    this.#core = core;
    this.#engine = engine;
    return engine;
  }

  async #runHandler(task: Task): Promise<Ending> {
    try {
      const result: unknown = await this.#handlers.get(task.type)?.(task);
      return { do: "complete", result };
    } catch (error) {
      return endingOf(error);
    }
  }
}
