/** The requests of a worker. The decisions are those of `WorkerCore`. */

import { pause, type Environment } from "./calls.js";
import { environmentOf, type Holdfast } from "./client.js";
import { HoldfastError, LEASE_OVER_CODES } from "./errors.js";
import { JsonText, textAt } from "./json.js";
import {
  Lease,
  least,
  nextClaimIsVain,
  type Ending,
  type Update,
  type WorkerCore,
} from "./worker_core.js";

/** The longest time for calling a claim off when the worker stops. Seconds. */
const CALL_OFF_TIMEOUT = 5;
/** The shortest time for one request that extends leases. Seconds. */
const EXTENSION_TIMEOUT_LEAST = 0.5;

export interface EngineSettings {
  queue: string;
  worker: string;
  types: readonly string[];
  wait: number;
  warn: (text: string) => void;
  /** Starts the handler of a lease; `handlerEnded` is called when it has ended. */
  start: (lease: Lease) => void;
}

/** A claim that is under way. */
interface Claim {
  readonly aborter: AbortController;
  readonly done: Promise<void>;
}

/**
 * Claims tasks, has their handlers run, extends their leases and reports their ends. At most one
 * claim, one request that extends and one request with reports are under way.
 */
export class Engine {
  private readonly environment: Environment;
  private readonly underWay = new Set<Promise<void>>();
  private readonly aborter = new AbortController();
  private claimId: string | undefined; // undefined: the last claim was answered
  private claimLimit = 0;
  private claiming: Claim | undefined;
  private callingOff = false;
  private extending = false;
  private reporting = false;
  private hasFailed = false;
  private failure: unknown;
  private hasChanged = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly client: Holdfast,
    private readonly core: WorkerCore,
    private readonly settings: EngineSettings,
  ) {
    this.environment = client[environmentOf];
  }

  stop(patience?: number): void {
    const isFirst = !this.core.stopping;
    this.core.stop(this.environment.clock(), patience);
    if (isFirst && this.claiming !== undefined) {
      this.callingOff = true;
      this.begin(this.callOff(this.claiming).finally(() => (this.callingOff = false)));
    }
    this.changed();
  }

  handlerEnded(lease: Lease, ending: Ending): void {
    this.core.handlerEnded(lease, ending, this.environment.clock());
    this.changed();
  }

  /** Stores the progress of a task. The saves of a lease are numbered in the order of the calls. */
  async save(lease: Lease, update: Update): Promise<void> {
    const number = ++lease.saves;
    if (lease.lost || lease.phase !== "running") {
      throw new HoldfastError("lease_not_held", 0, "the lease on the task is over");
    }
    const { id, token } = lease.task;
    const { worker, queue } = this.settings;
    try {
      await this.client.saveTask(id, { token, number, worker, queue, ...update });
    } catch (error) {
      if (error instanceof HoldfastError && LEASE_OVER_CODES.has(error.code)) {
        this.core.lost(lease, error.message);
        this.changed();
      }
      throw error;
    }
  }

  /** Works until `stop`. Rejects with the error of a claim that no repetition mends. */
  async run(): Promise<void> {
    try {
      for (;;) {
        const now = this.environment.clock();
        this.core.tick(now);
        if (this.core.hasEnded(now) && !this.callingOff) break;
        this.beginWhatIsDue(now);
        await this.nextChange();
      }
    } finally {
      this.aborter.abort();
      this.claiming?.aborter.abort();
      await Promise.all(this.underWay);
    }
    if (this.hasFailed) throw this.failure;
  }

  // --- the loop ---

  private beginWhatIsDue(now: number): void {
    const { core } = this;
    for (let lease = core.nextToRun(); lease !== undefined; lease = core.nextToRun()) {
      this.settings.start(lease);
    }
    if (this.claiming === undefined && core.claimAt <= now && core.claimLimit() > 0) {
      this.claimLimit = core.claimLimit();
      const aborter = new AbortController();
      const done = this.claim(aborter.signal).finally(() => (this.claiming = undefined));
      this.claiming = { aborter, done };
      this.begin(done);
    }
    if (!this.extending) {
      const leases = core.leasesToExtend(now);
      if (leases.length > 0) {
        this.extending = true;
        this.begin(this.extend(leases).finally(() => (this.extending = false)));
      }
    }
    if (!this.reporting) {
      const leases = core.takeBatch(now);
      if (leases.length > 0) {
        this.reporting = true;
        this.begin(this.report(leases).finally(() => (this.reporting = false)));
      }
    }
  }

  private begin(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!this.aborter.signal.aborted) this.fail(error);
      })
      .finally(() => {
        this.underWay.delete(tracked);
        this.changed();
      });
    this.underWay.add(tracked);
  }

  private fail(error: unknown): void {
    if (!this.hasFailed) this.failure = error;
    this.hasFailed = true;
    this.core.stop(this.environment.clock());
  }

  private changed(): void {
    this.hasChanged = true;
    this.wake();
  }

  /** Waits until something happens or is due. */
  private async nextChange(): Promise<void> {
    const { core } = this;
    const at = least([
      core.nextTime(),
      this.claiming === undefined && core.claimLimit() > 0 ? core.claimAt : undefined,
      this.extending ? undefined : core.extensionAt(),
      this.reporting ? undefined : core.batchAt(),
    ]);
    if (!this.hasChanged) {
      await new Promise<void>((resolve) => {
        const cancel =
          at === undefined
            ? () => undefined
            : this.environment.schedule(at - this.environment.clock(), resolve);
        this.wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.wake = () => undefined;
    this.hasChanged = false;
  }

  // --- requests ---

  private async claim(signal: AbortSignal): Promise<void> {
    this.claimId ??= this.environment.makeId();
    let leases: Lease[];
    try {
      leases = await this.sendClaim(this.settings.wait, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HoldfastError)) throw error;
      this.settings.warn(`a claim failed: ${error.message}`);
      this.core.claimFailed(this.environment.clock());
      // Refused: nothing was granted under it.
      if (error.status !== 0 && !error.retryable) this.claimId = undefined;
      if (nextClaimIsVain(error)) this.fail(error);
      return;
    }
    this.claimId = undefined;
    this.take(leases);
  }

  /**
   * Ends a claim that waits: the same claim without a wait ends the wait of both. Tasks that were
   * granted in that moment are in both answers, and go back.
   */
  private async callOff(claim: Claim): Promise<void> {
    if (this.claimId === undefined) return; // the claim has been answered meanwhile
    try {
      const { signal } = this.aborter;
      this.take(await this.sendClaim(0, { timeout: CALL_OFF_TIMEOUT, signal }));
      const over = new AbortController();
      const ended = claim.done.finally(() => over.abort());
      await Promise.race([
        ended,
        pause(this.environment, CALL_OFF_TIMEOUT, over.signal).catch(() => undefined),
      ]);
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      this.settings.warn(`the last claim could not be called off: ${error.message}`);
    }
    claim.aborter.abort();
  }

  private async sendClaim(
    wait: number,
    options: { signal?: AbortSignal; timeout?: number },
  ): Promise<Lease[]> {
    const { queue, worker, types } = this.settings;
    const request = {
      worker,
      limit: this.claimLimit,
      types: [...types],
      wait,
      claim: this.claimId,
    };
    const answer = await this.client.claimAnswer(queue, request, options);
    const now = this.environment.clock();
    return answer.tasks.map(
      (task, place) => new Lease(task, () => textAt(answer, "tasks", place, "body") ?? "null", now),
    );
  }

  private take(leases: readonly Lease[]): void {
    const known = (type: string): boolean => this.settings.types.includes(type);
    this.core.claimed(leases, known, this.environment.clock());
  }

  private async extend(leases: readonly Lease[]): Promise<void> {
    const { queue, worker } = this.settings;
    // An extension that comes later than the next one is of no use.
    const shortest = Math.min(...leases.map((one) => one.leaseSeconds)) / 2;
    const timeout = Math.max(EXTENSION_TIMEOUT_LEAST, shortest);
    const reports = leases.map(({ task: { id, token } }) => ({
      task: id,
      token,
      do: "extend" as const,
    }));
    const { signal } = this.aborter;
    try {
      const options = { worker, timeout, repeat: false, signal };
      const outcomes = await this.client.reportMany(queue, reports, options);
      this.core.extended(leases, outcomes, this.environment.clock());
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      this.settings.warn(`leases could not be extended: ${error.message}`);
      this.core.extensionFailed(leases, this.environment.clock());
    }
  }

  private async report(leases: readonly Lease[]): Promise<void> {
    const { queue, worker } = this.settings;
    const reports = leases.map((one) => new JsonText(one.reportText));
    const { signal } = this.aborter;
    try {
      const options = { worker, repeat: false, signal };
      const outcomes = await this.client.reportMany(queue, reports, options);
      this.core.reported(leases, outcomes, this.environment.clock());
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      this.settings.warn(`outcomes of tasks could not be reported: ${error.message}`);
      this.core.reportFailed(leases, error, this.environment.clock());
    }
  }
}
