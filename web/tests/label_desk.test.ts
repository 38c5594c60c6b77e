import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";

import { HoldfastError, JsonText, NoAnswerError, type Assignment } from "holdfast";

import { Desk, type DeskApi } from "../src/label/desk.js";
import { Drafts, type TextStore } from "../src/label/drafts.js";

class MemoryStore implements TextStore {
  readonly texts = new Map<string, string>();
  getItem(key: string): string | null {
    return this.texts.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.texts.set(key, value);
  }
  removeItem(key: string): void {
    this.texts.delete(key);
  }
}

interface Grant {
  assignment: Assignment;
  over: boolean;
}

const refusal = (code: string, status = 409): HoldfastError =>
  new HoldfastError(code, status, code);

/** Lets all that is due happen; nothing here waits for real time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** A node that grants units by the rules of the API, and may be down. */
class FakeNode implements DeskApi {
  readonly grants = new Map<string, Grant>();
  readonly judgments = new Map<string, { unit: string; data: string }>();
  readonly log: string[] = [];
  units: string[];
  isDown = false;
  /** The answer to the next request is lost, though the node has done it. */
  losesAnswer = false;
  /** Units are granted, and the answers stay on their way until those who ask give up. */
  holdsGrants = false;
  refusesNext: HoldfastError | undefined;
  leaseSeconds = 90;
  isExtendable = true;
  private waiters: (() => void)[] = [];
  private recovery: (() => void)[] = [];

  constructor(count: number) {
    this.units = Array.from({ length: count }, (_one, at) => `unit${at}`);
  }

  up(): void {
    this.isDown = false;
    for (const go of this.recovery.splice(0)) go();
  }

  /** The pauses between requests end when the node is up; the patience of one who leaves, never. */
  readonly pause = (seconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (seconds < 4 && !this.isDown) return resolve();
      this.recovery.push(resolve);
      signal.addEventListener("abort", () => reject(signal.reason));
    });

  private begin(name: string): void {
    this.log.push(name);
    if (this.isDown) throw new NoAnswerError("down");
    const refused = this.refusesNext;
    this.refusesNext = undefined;
    if (refused !== undefined) throw refused;
  }

  private end(): void {
    if (!this.losesAnswer) return;
    this.losesAnswer = false;
    throw new NoAnswerError("lost");
  }

  private holder(unit: string): Grant | undefined {
    return [...this.grants.values()].find(
      ({ assignment, over }) => assignment.unit_id === unit && !over,
    );
  }

  async askAssignment(
    request: Parameters<DeskApi["askAssignment"]>[0],
    options: Parameters<DeskApi["askAssignment"]>[1] = {},
  ): Promise<Assignment | undefined> {
    this.begin("ask");
    const id = request.id ?? "";
    const known = this.grants.get(id);
    if (known?.over) throw refusal("already_exists");
    if (known === undefined && this.units.length === 0) {
      if ((request.wait ?? 0) === 0) return undefined;
      await new Promise<void>((resolve, reject) => {
        this.waiters.push(resolve);
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      });
    }
    const unit = known?.assignment.unit_id ?? this.units.shift() ?? "";
    const assignment: Assignment = known?.assignment ?? {
      assignment_id: id,
      unit_id: unit,
      step_id: request.step_id,
      token: this.grants.size + 1,
      lease_seconds: this.leaseSeconds,
      expires_at: null,
      input: { text: unit },
      ui: "",
    };
    this.grants.set(id, { assignment, over: false });
    this.end();
    if (this.holdsGrants) {
      await new Promise<void>((_resolve, reject) => {
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      });
    }
    return assignment;
  }

  add(unit: string): void {
    this.units.push(unit);
    for (const go of this.waiters.splice(0)) go();
  }

  async submitJudgment(
    request: Parameters<DeskApi["submitJudgment"]>[0],
  ): ReturnType<DeskApi["submitJudgment"]> {
    this.begin("submit");
    const id = request.id ?? "";
    const data = (request.data as JsonText).text;
    const known = this.judgments.get(id);
    if (known === undefined) {
      const grant = this.holder(request.unit_id);
      if (grant === undefined) throw refusal("lease_expired");
      this.judgments.set(id, { unit: request.unit_id, data });
      grant.over = true;
    }
    this.end();
    return { judgment_id: id, repeated: known !== undefined, surplus: false };
  }

  async releaseAssignment(
    id: string,
    request: Parameters<DeskApi["releaseAssignment"]>[1],
  ): ReturnType<DeskApi["releaseAssignment"]> {
    this.begin(request.decline ? "decline" : "release");
    const grant = this.grants.get(id);
    if (grant === undefined || grant.over) throw refusal("lease_not_held");
    grant.over = true;
    if (!request.decline) this.units.unshift(request.unit_id);
    this.end();
    return { unit_id: request.unit_id };
  }

  async extendAssignment(id: string): ReturnType<DeskApi["extendAssignment"]> {
    this.begin("extend");
    if (this.grants.get(id)?.over) throw refusal("lease_expired");
    if (!this.isExtendable) throw refusal("not_extendable");
    return { unit_id: "", lease_seconds: this.leaseSeconds, expires_at: null };
  }

  async getFeedback(): ReturnType<DeskApi["getFeedback"]> {
    this.begin("feedback");
    return { unit_id: "", test_question: true, right: false, counts: true };
  }
}

describe("the desk", () => {
  let node: FakeNode;
  let store: MemoryStore;
  let now: number;
  let ids: number;
  let accepted: string[];
  let signedOut: string[];

  beforeEach(() => {
    node = new FakeNode(5);
    store = new MemoryStore();
    now = 1000;
    ids = 0;
    accepted = [];
    signedOut = [];
  });

  const makeDesk = (stepId = "step"): Desk =>
    new Desk({
      api: node,
      lastApi: node,
      stepId,
      contributorId: "ana",
      store,
      clock: () => now,
      pause: node.pause,
      makeId: () => `id${ids++}`,
      onAccepted: (unit) => accepted.push(unit),
      onSignedOut: ({ code }) => signedOut.push(code),
    });

  const opened = async (stepId?: string): Promise<Desk> => {
    const desk = makeDesk(stepId);
    void desk.open();
    await settle();
    return desk;
  };
  const shown = (desk: Desk): string[] => desk.state.value.units.map(({ unitId }) => unitId);

  test("one_unit_is_on_the_screen_and_one_behind_it", async () => {
    const desk = await opened();
    assert.deepEqual(shown(desk), ["unit0", "unit1"]);
    assert.equal(node.units.length, 3);
  });

  test("the_next_unit_is_there_at_the_moment_of_handing_in", async () => {
    const desk = await opened();
    desk.handIn({ answer: 1 });
    assert.deepEqual(shown(desk), ["unit1"]);
    await settle();
    assert.deepEqual(shown(desk), ["unit1", "unit2"]);
    assert.deepEqual(accepted, ["unit0"]);
    assert.deepEqual([...node.judgments.values()], [{ unit: "unit0", data: '{"answer":1}' }]);
  });

  test("a_judgment_with_wait_keeps_the_unit_until_the_node_has_taken_it", async () => {
    const desk = await opened();
    desk.handIn({ answer: 1 }, { wait: true });
    assert.deepEqual(shown(desk), ["unit0", "unit1"]);
    assert.ok(desk.state.value.units[0]?.isSending);
    await settle();
    assert.deepEqual(shown(desk), ["unit1", "unit2"]);
  });

  test("judgments_without_an_answer_are_kept_and_counted_once", async () => {
    const desk = await opened();
    node.isDown = true;
    desk.handIn({ answer: 1 });
    desk.handIn({ answer: 2 });
    await settle();
    assert.equal(desk.state.value.unsent, 2);
    assert.deepEqual(shown(desk), []);
    node.losesAnswer = true; // and the first answer is lost besides
    node.up();
    await settle();
    assert.equal(desk.state.value.unsent, 0);
    assert.equal(desk.state.value.done, 2);
    assert.deepEqual(
      [...node.judgments.values()].map(({ unit }) => unit),
      ["unit0", "unit1"],
    );
    assert.deepEqual(shown(desk), ["unit2", "unit3"]);
  });

  test("a_unit_whose_grant_was_lost_is_the_same_unit_when_asked_again", async () => {
    node.losesAnswer = true;
    const desk = await opened();
    assert.deepEqual(shown(desk), ["unit0", "unit1"]);
    assert.equal(node.grants.size, 2);
  });

  test("a_reload_goes_on_with_the_same_unit_and_the_judgments_that_were_not_sent", async () => {
    const desk = await opened();
    node.isDown = true;
    desk.handIn({ answer: 1 });
    await settle();
    desk.suspend();
    await settle();
    node.up();
    const again = await opened();
    assert.deepEqual(accepted, ["unit0"]);
    assert.equal(shown(again)[0], "unit1");
    assert.equal([...node.judgments.values()].length, 1);
  });

  test("leaving_the_page_gives_back_the_unit_behind_the_screen_alone", async () => {
    const desk = await opened();
    desk.suspend();
    await settle();
    assert.deepEqual(node.units, ["unit1", "unit2", "unit3", "unit4"]);
    assert.deepEqual(shown(await opened()), ["unit0", "unit1"]);
  });

  test("stopping_gives_back_all_units_and_forgets_them", async () => {
    const desk = await opened();
    await desk.leave();
    assert.deepEqual([...node.units].sort(), ["unit0", "unit1", "unit2", "unit3", "unit4"]);
    assert.equal(store.texts.size, 0);
  });

  test("stopping_gives_back_a_unit_whose_grant_is_on_its_way", async () => {
    node.holdsGrants = true;
    const desk = await opened();
    assert.deepEqual(shown(desk), []);
    assert.equal(node.units.length, 4);
    node.holdsGrants = false;
    await desk.leave();
    assert.equal(node.units.length, 5);
    assert.equal(store.texts.size, 0);
  });

  test("stopping_without_a_unit_leaves_nothing_to_send", async () => {
    node.units = [];
    const desk = await opened();
    assert.equal(desk.state.value.phase, "waiting");
    await desk.leave();
    assert.equal(store.texts.size, 0);
    for (const code of ["no_unit_available", "limit_reached"]) {
      const next = await opened();
      node.log.length = 0;
      node.refusesNext = new HoldfastError(code, 429, code, { retryable: true });
      await next.leave();
      assert.deepEqual(node.log, ["ask"]); // once: who leaves does not wait for a unit
      assert.equal(store.texts.size, 0);
    }
  });

  test("a_grant_that_was_on_its_way_is_taken_up_by_its_step_and_given_back_by_another", async () => {
    node.holdsGrants = true;
    (await opened()).suspend();
    assert.deepEqual(node.units, ["unit1", "unit2", "unit3", "unit4"]);
    node.holdsGrants = false;
    const again = await opened();
    assert.deepEqual(shown(again), ["unit0", "unit1"]);
    again.handIn({ answer: 1 });
    await settle();
    node.holdsGrants = true;
    again.handIn({ answer: 1 });
    await settle();
    again.suspend();
    assert.equal(node.units.length, 1);
    node.holdsGrants = false;
    await opened("other");
    const held = [...node.grants.values()].filter(({ over }) => !over);
    assert.deepEqual(
      held.map(({ assignment }) => assignment.step_id),
      ["other", "other"],
    );
  });

  test("a_unit_of_another_step_is_given_back_when_a_step_is_opened", async () => {
    (await opened()).suspend();
    await settle();
    const other = await opened("other");
    assert.ok(node.log.includes("release"));
    assert.equal(other.state.value.units[0]?.stepId, "other");
  });

  test("a_refused_judgment_brings_its_unit_back_with_the_reason", async () => {
    const desk = await opened();
    node.refusesNext = refusal("payload_invalid", 422);
    desk.handIn({ answer: 1 });
    await settle();
    assert.equal(shown(desk)[0], "unit0");
    assert.equal(desk.state.value.units[0]?.refusal?.code, "payload_invalid");
    desk.handIn({ answer: 2 });
    await settle();
    assert.deepEqual([...node.judgments.values()], [{ unit: "unit0", data: '{"answer":2}' }]);
  });

  test("a_judgment_after_its_lease_is_told_and_not_repeated", async () => {
    const desk = await opened();
    node.refusesNext = refusal("lease_expired");
    desk.handIn({ answer: 1 });
    await settle();
    assert.equal(desk.state.value.late, 1);
    assert.equal(node.log.filter((one) => one === "submit").length, 1);
    assert.deepEqual(shown(desk), ["unit1", "unit2"]);
  });

  test("a_skipped_unit_is_declined_for_good", async () => {
    const desk = await opened();
    desk.decline();
    await settle();
    assert.ok(node.log.includes("decline"));
    assert.deepEqual(shown(desk), ["unit1", "unit2"]);
    assert.equal(desk.state.value.done, 0);
  });

  test("leases_are_extended_while_somebody_works_and_not_longer", async () => {
    const desk = await opened();
    const tickAt = async (time: number): Promise<void> => {
      now = time;
      desk.tick();
      await settle();
    };
    const extensions = (): number => node.log.filter((one) => one === "extend").length;
    now = 1010;
    desk.noteActivity();
    await tickAt(1029);
    assert.equal(extensions(), 0);
    await tickAt(1031);
    assert.equal(extensions(), 2); // of the unit on the screen and the one behind it
    await tickAt(1080);
    assert.equal(extensions(), 2); // nothing was done since
    await tickAt(1031 + 91);
    assert.deepEqual(shown(desk), ["unit0"]);
    assert.ok(desk.state.value.units[0]?.isOver);
    desk.handIn({ answer: 1 });
    assert.equal(node.judgments.size, 0);
    desk.dropOver();
    await settle();
    assert.deepEqual(shown(desk), ["unit2", "unit3"]);
  });

  test("a_lease_that_cannot_be_extended_runs_to_its_end", async () => {
    node.isExtendable = false;
    const desk = await opened();
    desk.noteActivity();
    for (now = 1031; now < 1089; now += 10) {
      desk.noteActivity();
      desk.tick();
      await settle();
    }
    assert.equal(node.log.filter((one) => one === "extend").length, 2);
    assert.ok(!desk.state.value.units[0]?.isOver);
  });

  test("a_unit_that_others_have_taken_is_over", async () => {
    const desk = await opened();
    for (const grant of node.grants.values()) grant.over = true;
    now = 1031;
    desk.noteActivity();
    desk.tick();
    await settle();
    assert.ok(desk.state.value.units[0]?.isOver);
    assert.equal(desk.state.value.units.length, 1);
  });

  test("without_units_the_desk_waits_and_shows_the_next_one_by_itself", async () => {
    node = new FakeNode(0);
    const desk = await opened();
    assert.equal(desk.state.value.phase, "waiting");
    node.add("late");
    await settle();
    assert.deepEqual(shown(desk), ["late"]);
    assert.equal(desk.state.value.phase, "working");
  });

  test("a_step_that_has_nothing_more_for_the_contributor_ends", async () => {
    node = new FakeNode(1);
    const desk = makeDesk();
    node.refusesNext = refusal("not_qualified", 403);
    void desk.open();
    await settle();
    assert.equal(desk.state.value.phase, "ended");
    assert.equal(desk.state.value.problem?.code, "not_qualified");
  });

  test("at_the_limit_of_leases_the_unit_on_the_screen_is_all", async () => {
    node = new FakeNode(0);
    const desk = await opened();
    node.refusesNext = new HoldfastError("limit_reached", 429, "");
    node.add("one");
    await settle();
    assert.deepEqual(shown(desk), ["one"]);
    const asked = node.log.length;
    await settle();
    assert.equal(node.log.length, asked); // it does not ask again and again
    node.add("two");
    desk.handIn({ answer: 2 });
    await settle();
    assert.deepEqual(shown(desk), ["two"]);
  });

  test("a_session_that_has_ended_keeps_everything_for_the_next_sign_in", async () => {
    const desk = await opened();
    node.refusesNext = refusal("not_allowed", 401);
    desk.handIn({ answer: 1 });
    await settle();
    assert.deepEqual(signedOut, ["not_allowed"]);
    await desk.leave(); // the page shows the form to sign in
    const again = await opened();
    assert.deepEqual(accepted, ["unit0"]);
    assert.equal(shown(again)[0], "unit1");
  });

  test("feedback_is_asked_for_where_the_step_gives_it", async () => {
    const desk = await opened();
    desk.handIn({ answer: 1 });
    await settle();
    assert.ok(!node.log.includes("feedback"));
    desk.givesFeedback = true;
    desk.handIn({ answer: 1 });
    await settle();
    assert.deepEqual(desk.state.value.verdict, { right: false, number: 1 });
  });

  test("storage_that_somebody_has_changed_breaks_nothing", async () => {
    store.setItem(
      "holdfast.label.desk:ana",
      '{"units":[{"assignmentId":1}],"outbox":[7],"askingAs":{}}',
    );
    assert.deepEqual(shown(await opened()), ["unit0", "unit1"]);
    store.setItem("holdfast.label.desk:ana", "not JSON");
    node = new FakeNode(2);
    assert.deepEqual(shown(await opened()), ["unit0", "unit1"]);
  });
});

describe("drafts", () => {
  test("the_oldest_go_first_and_a_full_storage_is_no_error", () => {
    const store = new MemoryStore();
    const drafts = new Drafts(store, "ana");
    for (let unit = 0; unit < 25; unit++) drafts.set(`u${unit}`, { answer: unit });
    assert.equal(drafts.get("u0"), undefined);
    assert.deepEqual(drafts.get("u24"), { answer: 24 });
    store.setItem = () => {
      throw new Error("full");
    };
    drafts.set("u25", { answer: 25 });
    assert.deepEqual(drafts.get("u24"), { answer: 24 });
  });

  test("a_draft_that_is_removed_leaves_nothing", () => {
    const store = new MemoryStore();
    const drafts = new Drafts(store, "ana");
    drafts.set("u", { answer: "a" });
    drafts.remove("u");
    drafts.remove("never");
    assert.equal(store.texts.size, 0);
  });
});
