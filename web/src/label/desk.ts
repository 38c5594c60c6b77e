/**
 * The work of one contributor in one step: holds the unit on the screen and the next one, sends
 * what was handed in, and extends the leases while the person works.
 */

import { HoldfastError, JsonText, encodeJson, type Assignment, type Holdfast } from "holdfast";

import { Signal } from "../common/signal.js";
import { readJson, writeJson, type TextStore } from "./drafts.js";
import { isDue, isOver, leaseFrom, type Lease } from "./lease_clock.js";
import { isSending, outcomeOf, type LeaseNames, type Sending } from "./outbox.js";
import { isRecord } from "../common/unit/pointer.js";

export interface HeldUnit extends LeaseNames {
  input: unknown;
  ui: string;
  lease: Lease;
  /** The lease has ended; somebody else may have the unit. */
  isOver: boolean;
  /** Its judgment is on the way, and the person waits for the answer. */
  isSending: boolean;
  /** Why the judgment that was handed in is not taken. */
  refusal: HoldfastError | undefined;
}

export interface DeskState {
  /** `ended`: the step has no more units for this contributor; `problem` has the reason. */
  phase: "opening" | "working" | "waiting" | "ended";
  /** The first one is on the screen. */
  units: readonly HeldUnit[];
  /** Judgments that no node has answered yet. */
  unsent: number;
  /** Judgments that came after their leases had ended. */
  late: number;
  /** Judgments accepted since the page was opened. */
  done: number;
  problem: HoldfastError | undefined;
  /** Of the last answer to a test question, where the step tells. */
  verdict: { right: boolean; number: number } | undefined;
}

export type DeskApi = Pick<
  Holdfast,
  "askAssignment" | "submitJudgment" | "releaseAssignment" | "extendAssignment" | "getFeedback"
>;

export interface DeskSettings {
  api: DeskApi;
  /** In the place of `api` when the page is left: its requests outlive the page. */
  lastApi: DeskApi;
  stepId: string;
  contributorId: string;
  store: TextStore;
  /** Seconds of a monotonic clock. */
  clock: () => number;
  pause: (seconds: number, signal: AbortSignal) => Promise<void>;
  makeId: () => string;
  /** A judgment was accepted. */
  onAccepted: (unitId: string) => void;
  onSignedOut: (error: HoldfastError) => void;
}

/** Units on the screen and behind it. */
const UNITS_HELD = 2;
/** Seconds that a request for a unit waits for one. */
const WAIT_SECONDS = 20;
/** Seconds before a request is repeated that no node has answered, beyond the pauses of calls. */
const AGAIN_SECONDS = 1;
/** Seconds before a contributor who holds too many units elsewhere asks again. */
const LIMIT_SECONDS = 5;
/** Seconds for the last requests when the person leaves. */
const LEAVE_SECONDS = 4;

function storedNames(value: unknown): value is LeaseNames {
  return isSending({ ...(isRecord(value) ? value : {}), kind: "release", data: "" });
}

function namesOf(unit: LeaseNames): LeaseNames {
  const { assignmentId, judgmentId, stepId, unitId, token } = unit;
  return { assignmentId, judgmentId, stepId, unitId, token };
}

export class Desk {
  readonly state: Signal<DeskState>;
  /** Whether the step tells contributors about test questions. */
  givesFeedback = false;
  readonly #settings: DeskSettings;
  readonly #key: string;
  readonly #aborter = new AbortController();
  #outbox: readonly Sending[] = [];
  /** Units whose judgments are on the way, for those that are refused. */
  readonly #sentUnits = new Map<string, HeldUnit>();
  #askingAs: string | undefined;
  #isAsking = false;
  #sending: Promise<void> | undefined;
  /** The last requests are sent although the desk asks for nothing more. */
  #isLeaving = false;
  /** Another desk may have the stored state now. */
  #isRetired = false;
  /** No other unit is asked for before one is handed in. */
  #isFull = false;
  #noMore: HoldfastError | undefined;
  /** The last answer was that there is no unit now. */
  #knowsNone = false;
  #activeAt = -Infinity;
  readonly #extending = new Set<string>();
  #verdicts = 0;

  constructor(settings: DeskSettings) {
    this.#settings = settings;
    this.#key = `holdfast.label.desk:${settings.contributorId}`;
    this.state = new Signal<DeskState>({
      phase: "opening",
      units: [],
      unsent: 0,
      late: 0,
      done: 0,
      problem: undefined,
      verdict: undefined,
    });
  }

  // --- for the page ---

  /** Begins where the contributor was when the page was left. */
  async open(): Promise<void> {
    const stored = readJson(this.#settings.store, this.#key);
    const kept = isRecord(stored) ? stored : {};
    const outbox = Array.isArray(kept.outbox) ? kept.outbox.filter(isSending) : [];
    const units = Array.isArray(kept.units) ? kept.units.filter(storedNames) : [];
    const here = units.filter(({ stepId }) => stepId === this.#settings.stepId);
    const elsewhere = units.filter((one) => !here.includes(one));
    this.#outbox = [...outbox, ...elsewhere.map((one) => this.#giveBackOf(one))];
    const { askingAs, askingFor } = kept;
    if (typeof askingAs === "string" && typeof askingFor === "string") {
      if (askingFor === this.#settings.stepId) this.#askingAs = askingAs;
      else this.#outbox = [...this.#outbox, this.#withdrawalOf(askingAs, askingFor)];
    }
    this.#set({ unsent: this.#unsent() });
    void this.#send();
    for (const one of here) await this.#takeUpAgain(one);
    if (this.#aborter.signal.aborted) return;
    this.#save();
    void this.#fill();
  }

  noteActivity(): void {
    this.#activeAt = this.#settings.clock();
  }

  /** Once a second: ends and extends leases. */
  tick(): void {
    const now = this.#settings.clock();
    const { units } = this.state.value;
    if (units.some((one) => !one.isOver && isOver(one.lease, now))) {
      this.#setUnits(
        units
          .map((one) => ({ ...one, isOver: one.isOver || isOver(one.lease, now) }))
          .filter((one, place) => place === 0 || !one.isOver),
      );
    }
    for (const unit of this.state.value.units) {
      if (!unit.isOver && isDue(unit.lease, now, this.#activeAt)) void this.#extend(unit);
    }
  }

  /**
   * Hands in the judgment of the first unit. The next one is there at once; with `wait` the unit
   * stays on the screen until the node has taken it.
   */
  handIn(data: unknown, { wait = false } = {}): void {
    const [unit, ...others] = this.state.value.units;
    if (unit === undefined || unit.isOver || unit.isSending) return;
    const text = data instanceof JsonText ? data.text : encodeJson(data);
    const sent = { ...unit, refusal: undefined };
    this.#sentUnits.set(unit.assignmentId, sent);
    this.#outbox = [...this.#outbox, { ...namesOf(unit), kind: "judgment", data: text }];
    this.#noteChange(wait ? [{ ...sent, isSending: true }, ...others] : others);
  }

  /** Gives the first unit back for good. */
  decline(): void {
    const [unit, ...others] = this.state.value.units;
    if (unit === undefined || unit.isSending) return;
    if (!unit.isOver) {
      this.#outbox = [...this.#outbox, { ...namesOf(unit), kind: "decline", data: "" }];
    }
    this.#noteChange(others);
  }

  /** Goes on after the lease of the first unit has ended. */
  dropOver(): void {
    this.noteActivity();
    this.#noteChange(this.state.value.units.filter((one) => !one.isOver));
  }

  forgetLate(): void {
    this.#set({ late: 0 });
  }

  /** Gives all units back; resolves when that is done, or cannot be done now. */
  async leave(): Promise<void> {
    if (this.#aborter.signal.aborted) return;
    const { units } = this.state.value;
    const asked = this.#askingAs;
    this.#isLeaving = true;
    this.#aborter.abort();
    this.#askingAs = undefined;
    this.#outbox = [
      ...this.#outbox,
      ...units.filter((one) => !one.isOver && !one.isSending).map((one) => this.#giveBackOf(one)),
      ...(asked === undefined ? [] : [this.#withdrawalOf(asked, this.#settings.stepId)]),
    ];
    this.#setUnits([]);
    this.#save();
    const over = new AbortController();
    const patience = this.#settings.pause(LEAVE_SECONDS, over.signal).catch(() => undefined);
    await Promise.race([this.#send(), patience]);
    over.abort();
    this.#isLeaving = false;
    this.#isRetired = true;
  }

  /**
   * The page is left, perhaps by a reload. The unit on the screen stays the contributor's until its
   * lease ends; the one behind it goes back. One that is on its way is taken up or given back by
   * the next desk, or its lease ends: nothing here runs once its answer comes.
   */
  suspend(): void {
    const [first, ...others] = this.state.value.units;
    for (const one of others) {
      void this.#settings.lastApi
        .releaseAssignment(one.assignmentId, this.#leaseOf(one))
        .catch(() => undefined);
    }
    this.#setUnits(first === undefined ? [] : [first]);
    this.#save();
    this.#isRetired = true;
    this.#aborter.abort();
  }

  // --- asking ---

  #wantsUnit(): boolean {
    const { units, phase } = this.state.value;
    if (this.#aborter.signal.aborted || phase === "ended" || this.#noMore !== undefined) {
      return false;
    }
    if (units[0]?.isOver || (this.#isFull && units.length > 0)) return false;
    return units.length < UNITS_HELD;
  }

  async #fill(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#wantsUnit()) await this.#askOne();
    } finally {
      this.#isAsking = false;
    }
    if (this.#noMore !== undefined && this.state.value.units.length === 0) {
      this.#set({ phase: "ended", problem: this.#noMore });
    }
  }

  async #askOne(): Promise<void> {
    const { api, stepId, contributorId, makeId } = this.#settings;
    const { signal } = this.#aborter;
    this.#askingAs ??= makeId();
    const id = this.#askingAs;
    this.#save();
    const wait = this.#knowsNone ? WAIT_SECONDS : 0;
    try {
      const request = { step_id: stepId, contributor_id: contributorId, id, wait };
      this.#granted(await api.askAssignment(request, { signal }));
    } catch (error) {
      if (!signal.aborted) await this.#askFailed(error);
    }
  }

  #granted(given: Assignment | undefined): void {
    this.#knowsNone = given === undefined;
    if (given === undefined) {
      if (this.state.value.units.length === 0) this.#set({ phase: "waiting" });
      return;
    }
    this.#askingAs = undefined;
    const unit = this.#unitOf(given, this.#settings.makeId());
    if (this.#aborter.signal.aborted) {
      this.#outbox = [...this.#outbox, this.#giveBackOf(unit)];
      this.#save();
      void this.#send();
      return;
    }
    this.#setUnits([...this.state.value.units, unit]);
    this.#save();
  }

  async #askFailed(error: unknown): Promise<void> {
    const code = error instanceof HoldfastError ? error.code : "";
    if (code === "no_unit_available") {
      this.#granted(undefined);
      return this.#pause(AGAIN_SECONDS);
    }
    if (code === "limit_reached") {
      this.#isFull = this.state.value.units.length > 0;
      return this.#isFull ? undefined : this.#pause(LIMIT_SECONDS);
    }
    switch (outcomeOf(error)) {
      case "again":
        return this.#pause(AGAIN_SECONDS);
      case "new_id":
        this.#askingAs = undefined;
        return undefined;
      case "signed_out":
        return this.#signedOut(error);
      case "late":
      case "refused":
        this.#askingAs = undefined;
        this.#noMore = error as HoldfastError;
        return undefined;
    }
  }

  /** The unit of a lease of before the reload. The same id is the same lease. */
  async #takeUpAgain(names: LeaseNames): Promise<void> {
    const { api, contributorId } = this.#settings;
    const { signal } = this.#aborter;
    const request = {
      step_id: names.stepId,
      contributor_id: contributorId,
      id: names.assignmentId,
    };
    while (!signal.aborted) {
      try {
        const given = await api.askAssignment(request, { signal });
        if (given === undefined || given.assignment_id !== names.assignmentId) return;
        const unit = this.#unitOf(given, names.judgmentId);
        this.#setUnits([...this.state.value.units, unit]);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const outcome = outcomeOf(error);
        if (outcome === "signed_out") return this.#signedOut(error);
        if (outcome !== "again") return;
        await this.#pause(AGAIN_SECONDS);
      }
    }
  }

  #unitOf(given: Assignment, judgmentId: string): HeldUnit {
    return {
      assignmentId: given.assignment_id,
      judgmentId,
      stepId: given.step_id,
      unitId: given.unit_id,
      token: given.token,
      input: given.input,
      ui: given.ui,
      lease: leaseFrom(given.lease_seconds, this.#settings.clock()),
      isOver: false,
      isSending: false,
      refusal: undefined,
    };
  }

  // --- sending ---

  /** Sends what waits, in order; one loop at a time. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let [first] = this.#outbox; first !== undefined; [first] = this.#outbox) {
      if (this.#aborter.signal.aborted && !this.#isLeaving) return;
      if (!(await this.#sendOne(first))) return;
    }
  }

  /** Returns whether to go on. */
  async #sendOne(sending: Sending): Promise<boolean> {
    try {
      await this.#request(sending);
    } catch (error) {
      return this.#sendFailed(sending, error);
    }
    this.#sent(sending);
    if (sending.kind === "judgment") {
      this.#set({ done: this.state.value.done + 1 });
      this.#settings.onAccepted(sending.unitId);
      if (this.givesFeedback) void this.#askFeedback(sending);
    }
    return true;
  }

  async #request(sending: Sending): Promise<void> {
    const { api, contributorId } = this.#settings;
    if (sending.kind === "withdraw") return this.#withdraw(sending);
    const lease = this.#leaseOf(sending);
    if (sending.kind !== "judgment") {
      const decline = sending.kind === "decline";
      await api.releaseAssignment(sending.assignmentId, decline ? { ...lease, decline } : lease);
      return;
    }
    await api.submitJudgment({
      ...lease,
      assignment_id: sending.assignmentId,
      contributor_id: contributorId,
      data: new JsonText(sending.data),
      id: sending.judgmentId,
    });
  }

  /** The same id is the same lease, so asking again tells which unit it is. */
  async #withdraw({ assignmentId, stepId }: Sending): Promise<void> {
    const { api, contributorId } = this.#settings;
    const request = { step_id: stepId, contributor_id: contributorId, id: assignmentId };
    let given: Assignment | undefined;
    try {
      given = await api.askAssignment(request);
    } catch (error) {
      const code = error instanceof HoldfastError ? error.code : "";
      if (code !== "no_unit_available" && code !== "limit_reached") throw error;
    }
    if (given === undefined) return;
    const lease = this.#leaseOf(this.#unitOf(given, ""));
    await api.releaseAssignment(assignmentId, lease);
  }

  async #sendFailed(sending: Sending, error: unknown): Promise<boolean> {
    switch (outcomeOf(error)) {
      case "again":
        await this.#settings.pause(AGAIN_SECONDS, new AbortController().signal);
        return true;
      case "signed_out":
        this.#signedOut(error);
        return false;
      case "late":
        // A repeated release finds the lease over, because the first one has ended it.
        if (sending.kind === "judgment") this.#set({ late: this.state.value.late + 1 });
        this.#sent(sending);
        return true;
      case "new_id":
        if (sending.kind !== "judgment") this.#sent(sending);
        else this.#replaceFirst({ ...sending, judgmentId: this.#settings.makeId() });
        return true;
      case "refused":
        await this.#refused(sending, error as HoldfastError);
        return true;
    }
  }

  /** The unit comes back to the screen, with the reason. */
  async #refused(sending: Sending, refusal: HoldfastError): Promise<void> {
    const unit = this.#sentUnits.get(sending.assignmentId);
    this.#sent(sending);
    if (sending.kind !== "judgment") return;
    if (unit === undefined) {
      await this.#takeUpAgain(sending); // it was handed in before a reload
      return;
    }
    const others = this.state.value.units.filter((one) => one.assignmentId !== unit.assignmentId);
    this.#setUnits([{ ...unit, isSending: false, refusal }, ...others]);
    this.#save();
  }

  #sent(sending: Sending): void {
    this.#outbox = this.#outbox.filter((one) => one.assignmentId !== sending.assignmentId);
    this.#sentUnits.delete(sending.assignmentId);
    this.#noteChange(
      this.state.value.units.filter((one) => one.assignmentId !== sending.assignmentId),
    );
  }

  #replaceFirst(sending: Sending): void {
    this.#outbox = [sending, ...this.#outbox.slice(1)];
    this.#save();
  }

  async #askFeedback(sending: Sending): Promise<void> {
    const { api, contributorId } = this.#settings;
    try {
      const told = await api.getFeedback(sending.judgmentId, {
        step_id: sending.stepId,
        unit_id: sending.unitId,
        contributor_id: contributorId,
      });
      const verdict = told.test_question
        ? { right: told.right, number: ++this.#verdicts }
        : undefined;
      this.#set({ verdict });
    } catch {
      this.givesFeedback = false; // the step tells nobody, whatever its page says
    }
  }

  // --- leases ---

  async #extend(unit: HeldUnit): Promise<void> {
    const { assignmentId } = unit;
    if (this.#extending.has(assignmentId)) return;
    this.#extending.add(assignmentId);
    const { signal } = this.#aborter;
    try {
      const { lease_seconds } = await this.#settings.api.extendAssignment(
        assignmentId,
        this.#leaseOf(unit),
        { signal },
      );
      this.#change(assignmentId, { lease: leaseFrom(lease_seconds, this.#settings.clock()) });
    } catch (error) {
      if (signal.aborted) return;
      const code = error instanceof HoldfastError ? error.code : "";
      if (code === "not_extendable") {
        this.#change(assignmentId, { lease: { ...unit.lease, isFinal: true } });
      } else if (outcomeOf(error) === "late") {
        this.#change(assignmentId, { isOver: true });
        this.#setUnits(this.state.value.units.filter((one, place) => place === 0 || !one.isOver));
      } else if (outcomeOf(error) === "signed_out") {
        this.#signedOut(error);
      }
      // Else no node has answered: the next tick tries again.
    } finally {
      this.#extending.delete(assignmentId);
    }
  }

  // --- state ---

  #leaseOf(unit: LeaseNames): {
    step_id: string;
    unit_id: string;
    contributor_id: string;
    token: number;
  } {
    const { contributorId: contributor_id } = this.#settings;
    return { step_id: unit.stepId, unit_id: unit.unitId, contributor_id, token: unit.token };
  }

  #giveBackOf(unit: LeaseNames): Sending {
    return { ...namesOf(unit), kind: "release", data: "" };
  }

  #withdrawalOf(assignmentId: string, stepId: string): Sending {
    const unknown = { judgmentId: "", unitId: "", token: 0, data: "" };
    return { ...unknown, assignmentId, stepId, kind: "withdraw" };
  }

  #unsent(): number {
    return this.#outbox.filter(({ kind }) => kind === "judgment").length;
  }

  #set(change: Partial<DeskState>): void {
    this.state.set({ ...this.state.value, ...change });
  }

  #setUnits(units: readonly HeldUnit[]): void {
    const phase = units.length > 0 ? "working" : this.state.value.phase;
    this.#set({ units, phase, unsent: this.#unsent() });
  }

  #change(assignmentId: string, change: Partial<HeldUnit>): void {
    this.#setUnits(
      this.state.value.units.map((one) =>
        one.assignmentId === assignmentId ? { ...one, ...change } : one,
      ),
    );
  }

  /** After the person has done something, or a node has answered about it. */
  #noteChange(units: readonly HeldUnit[]): void {
    if (units.length < this.state.value.units.length) this.#isFull = false;
    const isEmptied = units.length === 0 && this.state.value.units.length > 0;
    const phase = isEmptied ? (this.#knowsNone ? "waiting" : "opening") : this.state.value.phase;
    this.#set({ units, unsent: this.#unsent(), phase });
    this.#save();
    void this.#send();
    void this.#fill();
  }

  #signedOut(error: unknown): void {
    if (this.#aborter.signal.aborted) return;
    this.#save();
    this.#isRetired = true;
    this.#aborter.abort();
    this.#settings.onSignedOut(error as HoldfastError);
  }

  async #pause(seconds: number): Promise<void> {
    await this.#settings.pause(seconds, this.#aborter.signal).catch(() => undefined);
  }

  #save(): void {
    if (this.#isRetired) return;
    const { store, stepId } = this.#settings;
    const units = this.state.value.units
      .filter((one) => !one.isOver && !this.#outbox.some((sent) => sent.unitId === one.unitId))
      .map(namesOf);
    if (units.length === 0 && this.#outbox.length === 0 && this.#askingAs === undefined) {
      store.removeItem(this.#key);
      return;
    }
    const asking =
      this.#askingAs === undefined ? {} : { askingAs: this.#askingAs, askingFor: stepId };
    writeJson(store, this.#key, { units, outbox: this.#outbox, ...asking });
  }
}
