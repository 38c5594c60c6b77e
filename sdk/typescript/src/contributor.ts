/** A contributor at work: asks for units, hands in judgments. */

import { pause, type CallOptions, type Environment } from "./calls.js";
import { environmentOf, type Holdfast } from "./client.js";
import { HoldfastError, LEASE_OVER_CODES } from "./errors.js";
import type { Assignment, JudgmentAccepted, JudgmentFeedback, StepOffers } from "./generated.js";

/** `next` asks again after a random pause between half of this and all of it. Seconds. */
const ASK_AGAIN_SECONDS = 2;

export interface NextOptions extends CallOptions {
  /** Seconds to wait for a unit; the session asks every few seconds meanwhile. */
  wait?: number;
}

/**
 * One contributor at work. A session holds one unit at a time. `contributorId` is the name of the
 * contributor in your own identity system, 1 to 128 bytes. Two sessions of one contributor are one
 * to the nodes.
 *
 *     const session = new ContributorSession(client, "ana");
 *     const unit = await session.next(stepId, { wait: 60 });
 *     if (unit !== undefined) await session.submit({ answer: label(unit.input) });
 */
export class ContributorSession {
  /** The unit that the contributor holds. */
  assignment: Assignment | undefined;
  readonly #client: Holdfast;
  readonly #environment: Environment;
  #askedAs: string | undefined; // the id of an assignment whose outcome is unknown
  #askedFor: string | undefined; // its step
  #judgmentId: string | undefined; // of the unit that is held
  #endsAt = 0;

  constructor(
    client: Holdfast,
    readonly contributorId: string,
  ) {
    this.#client = client;
    this.#environment = client[environmentOf];
  }

  /** The seconds until the lease on the unit ends, by a monotonic clock; 0 without a unit. */
  get timeLeft(): number {
    if (this.assignment === undefined) return 0;
    return Math.max(0, this.#endsAt - this.#environment.clock());
  }

  /** The steps that are offered to the contributor, the most urgent first: 20 by default. */
  steps(limit?: number, options?: CallOptions): Promise<StepOffers> {
    return this.#client.findSteps({ contributor_id: this.contributorId, limit }, options);
  }

  /**
   * Takes a unit of a step; undefined when there is none within `wait` seconds.
   *
   * Rejects with `not_found`; `not_qualified` (this contributor gets no unit of this step any
   * more); `limit_reached` (they hold too many units). Rejects while a unit is held: submit,
   * release or decline it first.
   */
  async next(stepId: string, options: NextOptions = {}): Promise<Assignment | undefined> {
    if (this.assignment !== undefined) throw new Error("the session holds a unit already");
    const { clock, random, makeId } = this.#environment;
    const until = clock() + (options.wait ?? 0);
    if (this.#askedAs === undefined || this.#askedFor !== stepId) {
      this.#askedAs = makeId();
      this.#askedFor = stepId;
    }
    for (;;) {
      const given = await this.#ask(stepId, this.#askedAs, options);
      if (given !== undefined) {
        this.#askedAs = undefined;
        this.assignment = given;
        this.#judgmentId = makeId();
        this.#endsAt = clock() + given.lease_seconds;
        return given;
      }
      const seconds = (ASK_AGAIN_SECONDS * (1 + random())) / 2;
      if (clock() + seconds > until) {
        this.#askedAs = undefined;
        return undefined;
      }
      await pause(this.#environment, seconds, options.signal);
    }
  }

  /**
   * Hands in the judgment of the unit, any JSON that the schema of the step takes. After it no unit
   * is held.
   *
   * Rejects with `payload_invalid` (the detail names the place; the unit is still held);
   * `NoAnswerError` (submit the same again, and it counts once); `lease_expired`, `stale_token`,
   * `lease_not_held` or `already_judged` (the unit is no longer held).
   */
  async submit(data: unknown, options?: CallOptions): Promise<JudgmentAccepted> {
    const { step_id, unit_id, assignment_id, token } = this.#held();
    const { contributorId: contributor_id } = this;
    const judgment = { step_id, unit_id, assignment_id, token, data, contributor_id };
    const accepted = await this.#forgettingAfterErrors(
      this.#client.submitJudgment({ ...judgment, id: this.#judgmentId }, options),
    );
    this.assignment = undefined;
    return accepted;
  }

  /** Gives the unit back; others get it at once. A lease that is over already is no error. */
  release(options?: CallOptions): Promise<void> {
    return this.#giveBack(false, options);
  }

  /** Gives the unit back for good: this contributor is never offered it again. */
  decline(options?: CallOptions): Promise<void> {
    return this.#giveBack(true, options);
  }

  /**
   * Extends the lease on the unit; returns the seconds until its new end.
   *
   * Rejects with `not_extendable` (the lease has lived as long as it may); `lease_expired`,
   * `stale_token` or `lease_not_held` (the unit is no longer held).
   */
  async extend(options?: CallOptions): Promise<number> {
    const { assignment_id, step_id, unit_id, token } = this.#held();
    const lease = { step_id, unit_id, token, contributor_id: this.contributorId };
    const { lease_seconds } = await this.#forgettingAfterErrors(
      this.#client.extendAssignment(assignment_id, lease, options),
    );
    this.#endsAt = this.#environment.clock() + lease_seconds;
    return lease_seconds;
  }

  /**
   * Reads whether a unit that the contributor has judged was a test question that they answered
   * right. Rejects with `wrong_state` (the step tells nobody).
   */
  feedback(
    judgmentId: string,
    stepId: string,
    unitId: string,
    options?: CallOptions,
  ): Promise<JudgmentFeedback> {
    const query = { step_id: stepId, unit_id: unitId, contributor_id: this.contributorId };
    return this.#client.getFeedback(judgmentId, query, options);
  }

  /** Gives back every unit that the contributor holds; returns their number. */
  async leave(options?: CallOptions): Promise<number> {
    const { released } = await this.#client.endSession(this.contributorId, options);
    this.assignment = undefined;
    return released;
  }

  /** Asks under the id of a request whose outcome is unknown: a unit that was granted to it is
   * this one. */
  async #ask(stepId: string, id: string, options: CallOptions): Promise<Assignment | undefined> {
    const request = { step_id: stepId, contributor_id: this.contributorId, id };
    try {
      return await this.#client.assign(request, options);
    } catch (error) {
      if (error instanceof HoldfastError && !error.retryable) this.#askedAs = undefined;
      throw error;
    }
  }

  async #giveBack(decline: boolean, options?: CallOptions): Promise<void> {
    const { assignment_id, step_id, unit_id, token } = this.#held();
    const lease = { step_id, unit_id, token, contributor_id: this.contributorId };
    const request = decline ? { ...lease, decline } : lease;
    try {
      await this.#client.releaseAssignment(assignment_id, request, options);
    } catch (error) {
      // A repeated request finds the lease over, because the first one has ended it.
      if (!(error instanceof HoldfastError) || !LEASE_OVER_CODES.has(error.code)) throw error;
    }
    this.assignment = undefined;
  }

  #held(): Assignment {
    if (this.assignment === undefined) throw new Error("the session holds no unit");
    return this.assignment;
  }

  async #forgettingAfterErrors<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const code = error instanceof HoldfastError ? error.code : "";
      if (LEASE_OVER_CODES.has(code) || code === "already_judged") this.assignment = undefined;
      throw error;
    }
  }
}
