import assert from "node:assert/strict";
import { test } from "node:test";

import { ContributorSession, NoAnswerError } from "../src/index.js";
import { FakeNode, answer, problem, silence } from "./fake_node.js";

const UNIT = {
  assignment_id: "a1",
  unit_id: "u1",
  step_id: "s1",
  token: 7,
  lease_seconds: 300,
  input: { image: "1.png" },
};

function sessionOf(node: FakeNode): ContributorSession {
  return new ContributorSession(node.client(), "ana");
}

/** A session that holds the unit. */
async function holding(node: FakeNode): Promise<ContributorSession> {
  const session = sessionOf(node);
  node.once("/v1/assignments", answer(200, UNIT));
  assert.deepEqual(await node.time.run(session.next("s1")), UNIT);
  return session;
}

test("a_unit_is_taken_extended_and_judged", async () => {
  const node = new FakeNode();
  const session = await holding(node);
  assert.deepEqual(node.seen[0]?.body, {
    step_id: "s1",
    contributor_id: "ana",
    id: node.seen[0]?.headers["idempotency-key"],
  });
  assert.equal(session.timeLeft, 300);
  await node.time.run(node.time.pause(100));
  assert.equal(session.timeLeft, 200);
  node.once("/extend", answer(200, { lease_seconds: 250 }));
  assert.equal(await node.time.run(session.extend()), 250);
  assert.equal(session.timeLeft, 250);
  node.once("/v1/judgments", answer(202, { judgment_id: "j1", repeated: false, surplus: false }));
  const accepted = await node.time.run(session.submit({ answer: "cat" }));
  assert.equal(accepted.judgment_id, "j1");
  assert.equal(session.assignment, undefined);
  assert.equal(session.timeLeft, 0);
  const { id, ...judgment } = node.seen[2]?.body as { id: string };
  assert.match(id, /^0{8}-/);
  assert.deepEqual(judgment, {
    step_id: "s1",
    unit_id: "u1",
    assignment_id: "a1",
    token: 7,
    data: { answer: "cat" },
    contributor_id: "ana",
  });
});

test("next_waits_for_a_unit_under_one_id", async () => {
  const node = new FakeNode();
  let requests = 0;
  node.scripts.push(() => (++requests < 4 ? problem(404, "no_unit_available") : answer(200, UNIT)));
  const unit = await node.time.run(sessionOf(node).next("s1", { wait: 60 }));
  assert.equal(unit?.unit_id, "u1");
  assert.equal(new Set(node.seen.map(({ headers }) => headers["idempotency-key"])).size, 1);
  assert.equal(node.time.now, 1004.5);
});

test("next_without_a_unit_is_undefined", async () => {
  const node = new FakeNode();
  node.scripts.push(() => problem(404, "no_unit_available"));
  assert.equal(await node.time.run(sessionOf(node).next("s1")), undefined);
  assert.equal(await node.time.run(sessionOf(node).next("s1", { wait: 5 })), undefined);
  assert.ok(node.time.now <= 1005);
});

test("a_unit_that_was_granted_unheard_is_the_next_one", async () => {
  const node = new FakeNode();
  const session = sessionOf(node);
  node.scripts.push(silence);
  await assert.rejects(node.time.run(session.next("s1")), NoAnswerError);
  node.scripts = [() => answer(200, UNIT)];
  await node.time.run(session.next("s1"));
  assert.equal(new Set(node.seen.map(({ headers }) => headers["idempotency-key"])).size, 1);
});

test("a_judgment_whose_outcome_is_unknown_is_submitted_again_under_its_id", async () => {
  const node = new FakeNode();
  const session = await holding(node);
  node.scripts.push(silence);
  await assert.rejects(node.time.run(session.submit({ answer: "cat" })), NoAnswerError);
  node.scripts = [() => answer(202, { judgment_id: "j1", repeated: true, surplus: false })];
  assert.equal((await node.time.run(session.submit({ answer: "cat" }))).repeated, true);
  const ids = node.requests("/v1/judgments").map(({ headers }) => headers["idempotency-key"]);
  assert.ok(ids.length > 1);
  assert.equal(new Set(ids).size, 1);
});

test("a_judgment_of_another_form_leaves_the_unit_held", async () => {
  const node = new FakeNode();
  const session = await holding(node);
  node.once("/v1/judgments", problem(422, "payload_invalid"));
  await assert.rejects(node.time.run(session.submit(1)), { code: "payload_invalid" });
  assert.ok(session.assignment);
});

for (const code of ["lease_expired", "stale_token", "lease_not_held", "already_judged"]) {
  test(`a_lease_that_is_over_lets_the_session_go_on: ${code}`, async () => {
    const node = new FakeNode();
    const session = await holding(node);
    node.once("/v1/judgments", problem(409, code));
    await assert.rejects(node.time.run(session.submit(1)), { code });
    assert.equal(session.assignment, undefined);
  });
}

test("a_unit_is_given_back_or_declined", async () => {
  const node = new FakeNode();
  let session = await holding(node);
  node.once("/release", answer(200, { released: true }));
  await node.time.run(session.release());
  assert.equal(session.assignment, undefined);
  session = await holding(node);
  node.once("/release", problem(409, "lease_not_held"));
  await node.time.run(session.decline());
  assert.equal(session.assignment, undefined);
  const declines = node.requests("/release").map(({ body }) => body.decline as unknown);
  assert.deepEqual(declines, [undefined, true]);
});

test("leaving_gives_everything_back", async () => {
  const node = new FakeNode();
  const session = await holding(node);
  node.once("/v1/sessions/ana", answer(200, { released: 1 }));
  assert.equal(await node.time.run(session.leave()), 1);
  assert.equal(session.assignment, undefined);
});

test("a_session_holds_one_unit", async () => {
  const node = new FakeNode();
  const session = await holding(node);
  await assert.rejects(session.next("s1"), /holds a unit already/);
  const other = sessionOf(node);
  await assert.rejects(other.submit(1), /holds no unit/);
  await assert.rejects(other.release(), /holds no unit/);
  await assert.rejects(other.extend(), /holds no unit/);
});
