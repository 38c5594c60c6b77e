import assert from "node:assert/strict";
import { test } from "node:test";

import { HoldfastError, NoAnswerError } from "../src/index.js";
import { FakeNode, answer, problem, silence, type Reply, type Script } from "./fake_node.js";

const MADE = answer(201, { id: "x", repeated: false });

/** A node that gives one reply after the other, the last one for ever. */
function nodeOf(...replies: (Reply | Script)[]): FakeNode {
  const node = new FakeNode();
  node.scripts.push((seen) => {
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    return typeof reply === "function" ? reply(seen) : reply;
  });
  return node;
}

/** The pauses between the requests. */
function pauses(node: FakeNode): number[] {
  const times = node.seen.map(({ at }) => at);
  return times.slice(1).map((at, place) => at - (times[place] ?? 0));
}

async function errorOf(work: Promise<unknown>): Promise<HoldfastError> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof HoldfastError, String(error));
    return error;
  }
  assert.fail("no error");
}

const PASSING: Record<string, Reply | Script> = {
  "a refused connection": new TypeError("fetch failed"),
  "a node that is frozen": silence,
  overloaded: problem(503, "overloaded", { retryable: true, headers: { "retry-after": "1" } }),
  fenced: problem(503, "fenced", { retryable: true }),
  "a rate limit": problem(429, "rate_limited", { headers: { "retry-after": "2" } }),
  "a slow request": problem(408, "request_timeout"),
  "a gateway": answer(502, "<html>bad gateway</html>"),
  "a slow gateway": answer(504),
};

for (const [name, failure] of Object.entries(PASSING)) {
  test(`a_failure_that_passes_is_repeated_with_the_same_ids: ${name}`, async () => {
    const node = nodeOf(failure, failure, MADE);
    const made = await node.time.run(node.client().enqueue("q", "t", { n: 1 }));
    assert.equal(made.id, "x");
    assert.equal(node.seen.length, 3);
    const ids = new Set(node.seen.map(({ headers }) => headers["idempotency-key"]));
    assert.equal(ids.size, 1);
    assert.match([...ids][0] ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(new Set(node.seen.map(({ text }) => text)).size, 1);
  });
}

for (const [status, code] of [
  [400, "invalid_argument"],
  [401, "unauthenticated"],
  [403, "not_qualified"],
  [404, "not_found"],
  [409, "stale_token"],
  [413, "too_large"],
  [422, "payload_invalid"],
  [429, "limit_reached"],
  [500, "damaged"],
] as const) {
  test(`other_errors_come_at_once: ${code}`, async () => {
    const node = nodeOf(problem(status, code, { detail: "why" }));
    const error = await errorOf(node.time.run(node.client().getTask("x")));
    assert.deepEqual([error.code, error.status, error.detail], [code, status, "why"]);
    assert.equal(node.seen.length, 1);
  });
}

test("an_error_has_the_members_of_its_problem", async () => {
  const body = {
    code: "payload_invalid",
    title: "Mend it",
    detail: "two places",
    retryable: false,
    errors: [{ place: "/priority", detail: "not a number" }],
    trace_id: "t1",
  };
  const node = nodeOf(answer(422, body));
  const error = await errorOf(node.time.run(node.client().listQueues()));
  assert.deepEqual(error.errors, body.errors);
  assert.deepEqual([error.title, error.traceId, error.retryable], ["Mend it", "t1", false]);
  assert.equal(error.message, "payload_invalid (422): two places");
});

test("an_error_that_is_no_problem_says_what_came", async () => {
  const node = nodeOf(answer(418, "I am a teapot"));
  const error = await errorOf(node.time.run(node.client().listQueues()));
  assert.deepEqual([error.code, error.detail], ["http_418", "I am a teapot"]);
});

test("an_answer_that_is_not_json_is_an_error", async () => {
  const node = nodeOf(answer(200, "<html>"));
  const error = await errorOf(node.time.run(node.client().listQueues()));
  assert.equal(error.code, "answer_malformed");
});

test("pauses_double_up_to_a_bound_and_end_with_the_deadline", async () => {
  const node = nodeOf(problem(503, "unavailable"));
  const error = await errorOf(node.time.run(node.client({ timeout: 30 }).listQueues()));
  assert.equal(error.code, "unavailable");
  const rounded = pauses(node).map((one) => Number(one.toFixed(3)));
  assert.deepEqual(rounded.slice(0, 7), [0.1, 0.2, 0.4, 0.8, 1.6, 2.5, 2.5]);
  assert.ok(node.time.now - 1000 < 30);
});

test("retry_after_is_the_least_pause", async () => {
  const node = nodeOf(problem(503, "overloaded", { headers: { "retry-after": "7" } }), MADE);
  await node.time.run(node.client().enqueue("q", "t", {}));
  assert.ok((pauses(node)[0] ?? 0) >= 7);
});

test("a_date_in_retry_after_counts_as_none", async () => {
  const date = { "retry-after": "Wed, 21 Oct 2065 07:28:00 GMT" };
  const node = nodeOf(problem(503, "overloaded", { headers: date }), MADE);
  await node.time.run(node.client().enqueue("q", "t", {}));
  assert.ok((pauses(node)[0] ?? 9) < 1);
});

test("a_pause_beyond_the_deadline_ends_the_call_at_once", async () => {
  const busy = problem(503, "overloaded", { headers: { "retry-after": "70" } });
  const node = nodeOf(busy);
  const error = await errorOf(node.time.run(node.client().listQueues()));
  assert.equal(error.retryAfter, 70);
  assert.equal(node.time.now, 1000);
});

test("no_answer_leaves_the_outcome_unknown", async () => {
  const failed = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  const node = nodeOf(failed);
  const error = await errorOf(node.time.run(node.client({ timeout: 3 }).getTask("x")));
  assert.ok(error instanceof NoAnswerError);
  assert.deepEqual([error.code, error.status, error.retryable], ["unavailable", 0, true]);
  assert.match(error.detail, /GET \/v1\/tasks\/x: TypeError: fetch failed: connect ECONNREFUSED/);
});

test("a_frozen_node_ends_an_attempt_after_its_timeout", async () => {
  const node = nodeOf(silence);
  const client = node.client({ timeout: 20, attemptTimeout: 8 });
  const error = await errorOf(node.time.run(client.listQueues()));
  assert.match(error.detail, /no answer within/);
  assert.ok(node.time.now - 1000 <= 20.2, String(node.time.now));
  assert.equal(Math.round(pauses(node)[0] ?? 0), 8);
});

test("a_body_that_does_not_come_ends_the_attempt", async () => {
  const halfAnswer: Script = (seen) => ({
    ...MADE,
    text: () => silence(seen) as Promise<never>,
  });
  const node = nodeOf((seen) => Promise.resolve(halfAnswer(seen) as Reply), MADE);
  assert.equal((await node.time.run(node.client().enqueue("q", "t", {}))).id, "x");
  assert.equal(node.seen.length, 2);
});

test("a_long_poll_waits_for_the_rest_of_its_time_when_repeated", async () => {
  const late: Script = async (seen) => {
    await node.time.pause(5);
    assert.equal(seen.signal.aborted, false);
    return new TypeError("disconnected");
  };
  const node = nodeOf(late, answer(204));
  const answered = await node.time.run(node.client().claimTasks("q", { worker: "w", wait: 20 }));
  assert.equal(answered, undefined);
  assert.deepEqual(
    node.seen.map(({ query }) => query.get("wait")),
    ["20", "14.9"],
  );
  assert.equal(node.seen[0]?.headers["idempotency-key"], node.seen[1]?.headers["idempotency-key"]);
});

test("a_signal_of_the_caller_ends_a_call", async () => {
  const node = nodeOf(silence);
  const aborter = new AbortController();
  const call = node.client().claim("q", { wait: 60 }, { signal: aborter.signal });
  node.time.schedule(3, () => aborter.abort(new Error("enough")));
  await assert.rejects(node.time.run(call), /enough/);
  assert.equal(node.time.now, 1003);
});

test("a_signal_of_the_caller_ends_a_pause", async () => {
  const node = nodeOf(problem(503, "overloaded", { headers: { "retry-after": "30" } }));
  const aborter = new AbortController();
  const call = node.client().listQueues({}, { signal: aborter.signal });
  node.time.schedule(3, () => aborter.abort(new Error("enough")));
  await assert.rejects(node.time.run(call), /enough/);
  assert.equal(node.time.now, 1003);
});

test("a_call_may_have_a_timeout_of_its_own", async () => {
  const node = nodeOf(problem(503, "unavailable"));
  await errorOf(node.time.run(node.client().listQueues({}, { timeout: 1 })));
  assert.ok(node.time.now - 1000 < 1);
  await assert.rejects(node.client().listQueues({}, { timeout: 0 }), RangeError);
});

// --- batches ---

const outcomesOf = (texts: string[], code?: string): unknown[] =>
  texts.map((task) => ({ task, repeated: false, ...(code === undefined ? {} : { code }) }));

test("items_with_a_transient_outcome_are_sent_again_alone", async () => {
  const node = new FakeNode();
  node.scripts.push((seen) => {
    const ids = seen.body.tasks.map((one: { id: string }) => one.id);
    const outcomes = outcomesOf(ids);
    if (node.seen.length === 1) outcomes[1] = { task: ids[1], code: "overloaded" };
    return answer(200, { outcomes });
  });
  const tasks = ["a", "b", "c"].map((type) => ({ type, body: {} }));
  const outcomes = await node.time.run(node.client().enqueueMany("q", tasks));
  assert.deepEqual(
    outcomes.map(({ code }) => code),
    [undefined, undefined, undefined],
  );
  const sent = node.seen.map(({ body }) => body.tasks.map((one: { type: string }) => one.type));
  assert.deepEqual(sent, [["a", "b", "c"], ["b"]]);
  assert.equal(node.seen[0]?.body.tasks[1].id, node.seen[1]?.body.tasks[0].id);
});

test("many_items_are_divided_and_keep_their_order", async () => {
  const node = new FakeNode();
  node.scripts.push((seen) => {
    const bodies = seen.body.tasks.map((one: { body: number }) => String(one.body));
    return answer(200, { outcomes: outcomesOf(bodies) });
  });
  const tasks = Array.from({ length: 2500 }, (_, n) => ({ type: "t", body: n }));
  const outcomes = await node.time.run(node.client().enqueueMany("q", tasks));
  assert.deepEqual(
    node.seen.map(({ body }) => body.tasks.length),
    [1000, 1000, 500],
  );
  assert.deepEqual(
    outcomes.map(({ task }) => Number(task)),
    tasks.map(({ body }) => body),
  );
});

test("large_items_are_divided_by_their_bytes", async () => {
  const node = new FakeNode();
  node.scripts.push((seen) =>
    answer(200, { outcomes: outcomesOf(seen.body.tasks.map(() => "x")) }),
  );
  const tasks = Array.from({ length: 4 }, () => ({ type: "t", body: "é".repeat(1_000_000) }));
  await node.time.run(node.client().enqueueMany("q", tasks));
  assert.deepEqual(
    node.seen.map(({ body }) => body.tasks.length),
    [2, 2],
  );
});

test("a_later_request_that_fails_does_not_hide_the_outcomes_before", async () => {
  const node = new FakeNode();
  node.scripts.push((seen) =>
    node.seen.length === 1
      ? answer(200, { outcomes: outcomesOf(seen.body.tasks.map(() => "x")) })
      : problem(404, "not_found", { detail: "gone" }),
  );
  const tasks = Array.from({ length: 1001 }, () => ({ type: "t", body: 1 }));
  const outcomes = await node.time.run(node.client().enqueueMany("q", tasks));
  assert.equal(outcomes[999]?.code, undefined);
  assert.deepEqual([outcomes[1000]?.code, outcomes[1000]?.detail], ["not_found", "gone"]);
  assert.match(outcomes[1000]?.task ?? "", /^0{8}-/);
});

test("a_first_request_that_fails_rejects", async () => {
  const node = nodeOf(problem(404, "not_found"));
  const call = node.client().enqueueMany("q", [{ type: "t", body: 1 }]);
  assert.equal((await errorOf(node.time.run(call))).code, "not_found");
});

test("no_items_are_no_request", async () => {
  const node = new FakeNode();
  assert.deepEqual(await node.client().enqueueMany("q", []), []);
  assert.deepEqual(node.seen, []);
});
