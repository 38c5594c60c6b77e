import assert from "node:assert/strict";
import { test } from "node:test";

import {
  GiveBack,
  HoldfastError,
  PermanentFailure,
  RateLimited,
  TransientFailure,
  Worker,
  type Task,
  type WorkerSettings,
} from "../src/index.js";
import { FakeNode, answer, problem, silence, type FakeTask } from "./fake_node.js";

/** A worker that stops when every task has ended. */
function workerOf(node: FakeNode, settings: Partial<WorkerSettings> = {}): Worker {
  const worker = new Worker(node.client(), { queue: "q", warn: () => undefined, ...settings });
  node.onFinished = () => worker.stop();
  return worker;
}

/** Resolves when the signal of the task is aborted. */
function aborted(task: Task): Promise<void> {
  return new Promise((resolve) => task.signal.addEventListener("abort", () => resolve()));
}

const run = (node: FakeNode, worker: Worker, concurrency = 4): Promise<void> =>
  node.time.run(worker.run({ concurrency, handleSignals: false }));

/** The reports about a task, those that extend left out. */
const endings = (task: FakeTask): string[] =>
  task.reports.map((one) => one.do as string).filter((one) => one !== "extend");

test("tasks_are_claimed_done_and_reported_together", async () => {
  const node = new FakeNode();
  const tasks = Array.from({ length: 10 }, (_, n) => node.add("work", { n }));
  const worker = workerOf(node);
  let running = 0;
  let most = 0;
  worker.handle<{ n: number }>("work", async (task) => {
    most = Math.max(most, ++running);
    await node.time.pause(1);
    running--;
    return task.body.n * 2;
  });
  await run(node, worker);
  assert.deepEqual(
    tasks.map(({ result }) => result),
    tasks.map((_, n) => n * 2),
  );
  assert.equal(most, 4);
  assert.equal(node.reportRequests().length, 3);
  const { claimed, completed, running: now } = worker.counts;
  assert.deepEqual([claimed, completed, now], [10, 10, 0]);
  const claim = node.requests("/claims")[0];
  assert.deepEqual(claim?.body.types, ["work"]);
  assert.deepEqual([claim?.body.worker, claim?.body.limit], [worker.name, 4]);
});

test("a_claim_waits_at_the_node_and_gets_a_task_that_is_made", async () => {
  const node = new FakeNode();
  const worker = workerOf(node).handle("work", () => undefined);
  node.time.schedule(50, () => node.add("work"));
  await run(node, worker);
  assert.ok(node.time.now - 1050 < 1);
  assert.deepEqual(
    node.requests("/claims").map(({ query }) => query.get("wait")),
    ["20", "20", "20", "20", "0"],
  );
  assert.equal(worker.counts.completed, 1);
});

test("prefetched_tasks_wait_until_a_handler_is_free", async () => {
  const node = new FakeNode();
  for (let n = 0; n < 6; n++) node.add("work");
  const worker = workerOf(node, { prefetch: 2 });
  worker.handle("work", () => node.time.pause(1));
  await run(node, worker, 2);
  assert.equal(node.requests("/claims")[0]?.body.limit, 4);
  assert.equal(worker.counts.completed, 6);
});

test("leases_are_extended_while_handlers_run", async () => {
  const node = new FakeNode();
  const task = node.add("work", null, { leaseSeconds: 30 });
  const worker = workerOf(node).handle("work", async (leased) => {
    await node.time.pause(95);
    assert.equal(leased.signal.aborted, false);
    assert.ok(leased.leaseLeft > 15 && leased.leaseLeft <= 30, String(leased.leaseLeft));
  });
  await run(node, worker);
  assert.equal(task.status, "COMPLETED");
  assert.deepEqual(
    task.extensions.map((at) => Math.round(at - 1000)),
    [10, 20, 30, 40, 50, 60, 70, 80, 90],
  );
});

test("an_extension_that_fails_is_tried_again_soon", async () => {
  const node = new FakeNode();
  const task = node.add("work", null, { leaseSeconds: 30 });
  const worker = workerOf(node).handle("work", async (leased) => {
    node.once("/completions", problem(500, "damaged"));
    await node.time.pause(15);
    assert.equal(leased.signal.aborted, false);
  });
  await run(node, worker);
  assert.deepEqual(
    task.extensions.map((at) => Math.round(at - 1000)),
    [13],
  );
});

test("a_lost_lease_aborts_the_signal_and_drops_the_outcome", async () => {
  const node = new FakeNode();
  const task = node.add("work", null, { leaseSeconds: 30 });
  const worker = workerOf(node);
  let reason: unknown;
  worker.handle("work", async (leased) => {
    task.token++; // another worker has it
    task.type = "elsewhere";
    await aborted(leased);
    reason = leased.cancelReason;
    assert.equal(leased.leaseLeft, 0);
    worker.stop();
    return "late";
  });
  await run(node, worker);
  assert.equal(reason, "lost");
  assert.deepEqual(endings(task), []);
  assert.equal(worker.counts.lost, 1);
});

test("a_lease_that_ran_out_unheard_tells_the_handler_and_offers_its_outcome", async () => {
  const node = new FakeNode();
  const task = node.add("work", null, { leaseSeconds: 9 });
  const worker = workerOf(node);
  worker.handle("work", async (leased) => {
    node.scripts.push((seen) => (seen.path.endsWith("/completions") ? silence(seen) : undefined));
    await aborted(leased);
    assert.equal(leased.cancelReason, "expired");
    assert.equal(Math.round(node.time.now - 1000), 9);
    node.scripts = [];
    return "in the nick of time";
  });
  await run(node, worker);
  assert.equal(task.result, "in the nick of time");
  assert.equal(worker.counts.completed, 1);
});

test("errors_say_how_an_attempt_ends", async () => {
  const node = new FakeNode();
  const thrown: Record<string, unknown> = {
    permanent: new PermanentFailure("NO_SUCH_ADDRESS", "550"),
    limited: new RateLimited(30, undefined, "429"),
    transient: new TransientFailure("GREYLISTED", "later", 60),
    long: new TransientFailure("é".repeat(200), `${"x".repeat(9000)}\0é`, 1e9),
    other: new TypeError("to"),
    text: "no error at all",
    back: new GiveBack({ delay: 5, checkpoint: { page: 3 }, runAt: new Date(0) }),
  };
  const tasks = Object.keys(thrown).map((type) => node.add(type));
  const worker = workerOf(node).handle(Object.keys(thrown), (task) => {
    const { type } = task;
    const known = node.tasks.get(task.id);
    if (type === "back" && known) known.type = "gone"; // else it would come again at once
    throw thrown[type];
  });
  node.scripts.push(() => {
    if (tasks.every(({ reports }) => reports.length > 0)) worker.stop();
    return undefined;
  });
  await run(node, worker, 1);
  const said = Object.fromEntries(
    tasks.map(({ reports }, n) => [Object.keys(thrown)[n], reports[0]]),
  );
  const fail = (kind: string, code: string, detail: string, more = {}): object => ({
    do: "fail",
    kind,
    code,
    detail,
    ...more,
  });
  const about = (name: string): unknown => {
    const { task: _, token: __, ...rest } = said[name];
    return rest;
  };
  assert.deepEqual(about("permanent"), fail("permanent", "NO_SUCH_ADDRESS", "550"));
  const limited = fail("rate_limited", "RATE_LIMITED", "429", { retry_after: 30 });
  assert.deepEqual(about("limited"), limited);
  const transient = fail("transient", "GREYLISTED", "later", { retry_after: 60 });
  assert.deepEqual(about("transient"), transient);
  assert.deepEqual(
    about("long"),
    fail("transient", "é".repeat(64), `${"x".repeat(4091)}\ufffdé`, { retry_after: 86400 }),
  );
  assert.equal(said.other.code, "HANDLER_EXCEPTION");
  assert.match(said.other.detail, /^TypeError: to\n.*worker\.test/s);
  assert.equal(said.text.detail, "no error at all");
  assert.deepEqual(about("back"), {
    do: "release",
    delay: 5,
    checkpoint: { page: 3 },
    run_at: "1970-01-01T00:00:00.000Z",
  });
});

test("a_body_keeps_all_digits", async () => {
  const node = new FakeNode();
  const bodyText = '{"n": 9400110200881234567890, "price": 1.10}';
  const task = node.add("work", null, { bodyText });
  const other = node.add("work", null, { bodyText: "[1 ]" });
  const worker = workerOf(node);
  const texts: string[] = [];
  worker.handle<{ n: bigint }>("work", (leased) => {
    texts.push(leased.bodyText);
    return leased.body;
  });
  await run(node, worker);
  assert.deepEqual(texts, [bodyText, "[1 ]"]);
  assert.match(
    node.reportRequests()[0]?.text ?? "",
    /"result":\{"n":9400110200881234567890,"price":1.1\}/,
  );
  assert.deepEqual([task.status, other.status], ["COMPLETED", "COMPLETED"]);
});

test("a_result_that_is_not_json_fails_its_task_for_good", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  await run(
    node,
    workerOf(node).handle("work", () => ({ x: NaN })),
  );
  const { kind, code, detail } = task.reports[0];
  assert.deepEqual([kind, code], ["permanent", "OUTCOME_REFUSED"]);
  assert.match(detail, /not JSON: NaN/);
});

test("one_bad_report_does_not_take_the_others_with_it", async () => {
  const node = new FakeNode();
  const tasks = [node.add("work", "bad"), node.add("work", "good")];
  const worker = workerOf(node).handle("work", (task) => task.body as unknown);
  node.scripts.push((seen) =>
    seen.path.endsWith("/completions") &&
    seen.body.outcomes.some((one: { result?: string }) => one.result === "bad")
      ? problem(422, "payload_invalid", { detail: "/outcomes/0" })
      : undefined,
  );
  await run(node, worker);
  assert.equal(tasks[1]?.status, "COMPLETED");
  assert.equal(tasks[0]?.reports[0].code, "OUTCOME_REFUSED");
  assert.match(tasks[0]?.reports[0].detail, /payload_invalid: \/outcomes\/0/);
  const { completed, failed } = worker.counts;
  assert.deepEqual([completed, failed], [1, 1]);
});

test("a_report_that_is_not_taken_now_comes_again", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const worker = workerOf(node).handle("work", () => "done");
  let refusals = 0;
  node.scripts.push((seen) => {
    if (!seen.path.endsWith("/completions") || ++refusals > 3) return undefined;
    const outcome = { task: task.id, code: "overloaded", detail: "", repeated: false };
    return answer(200, { outcomes: [outcome] });
  });
  await run(node, worker);
  assert.equal(task.result, "done");
  assert.equal(refusals, 4);
});

test("a_node_that_is_away_costs_no_result", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const worker = workerOf(node).handle("work", () => {
    const away = node.time.now + 30;
    node.scripts.push(() => (node.time.now < away ? new TypeError("fetch failed") : undefined));
    return "done";
  });
  await run(node, worker);
  assert.equal(task.result, "done");
  assert.equal(worker.counts.lost, 0);
});

test("a_claim_that_was_answered_unheard_is_repeated_under_its_id", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const worker = workerOf(node).handle("work", () => undefined);
  let isFirst = true;
  node.scripts.push((seen) => {
    if (!seen.path.endsWith("/claims") || !isFirst) return undefined;
    isFirst = false;
    // The node grants the task, and the answer is lost.
    const { method, url, headers, text = "", signal } = seen;
    const again = { method, headers, body: text, signal, redirect: "manual", cache: "no-store" };
    return node.fetch(url, again as never).then(() => new TypeError("disconnected"));
  });
  await run(node, worker);
  assert.deepEqual([task.status, task.attempt], ["COMPLETED", 1]);
});

test("a_queue_that_is_not_there_yet_is_waited_for", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  for (let n = 0; n < 3; n++) node.once("/claims", problem(404, "not_found"));
  await run(
    node,
    workerOf(node).handle("work", () => undefined),
  );
  assert.equal(task.status, "COMPLETED");
});

for (const [status, code] of [
  [401, "unauthenticated"],
  [403, "forbidden"],
  [404, "route_unknown"],
  [422, "payload_invalid"],
] as const) {
  test(`a_claim_that_is_refused_for_good_ends_the_worker: ${code}`, async () => {
    const node = new FakeNode();
    node.scripts.push(() => problem(status, code));
    await assert.rejects(
      run(
        node,
        workerOf(node).handle("work", () => undefined),
      ),
      { code },
    );
  });
}

test("saves_are_numbered_and_a_lost_lease_is_heard_of", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const worker = workerOf(node);
  worker.handle("work", async (leased) => {
    await leased.save({ checkpoint: { page: 1 }, percent: 50 });
    await leased.save({ data: { x: 1 }, state: "half" });
    const { checkpoint, data, state } = leased;
    assert.deepEqual([checkpoint, data, state], [{ page: 1 }, { x: 1 }, "half"]);
    task.token++;
    task.type = "elsewhere";
    await assert.rejects(leased.save({ percent: 60 }), { code: "stale_token" });
    assert.equal(leased.cancelReason, "lost");
    await assert.rejects(leased.save({ percent: 70 }), { code: "lease_not_held", status: 0 });
    worker.stop();
  });
  await run(node, worker);
  assert.deepEqual(
    task.saves.map(({ number, percent, state }) => [number, percent, state]),
    [
      [1, 50, undefined],
      [2, undefined, "half"],
    ],
  );
  assert.deepEqual(endings(task), []);
});

test("a_stop_calls_the_waiting_claim_off", async () => {
  const node = new FakeNode();
  const worker = workerOf(node).handle("work", () => undefined);
  node.time.schedule(3, () => worker.stop());
  await run(node, worker);
  assert.ok(node.time.now - 1003 < 1);
  const claims = node.requests("/claims");
  assert.deepEqual(
    claims.map(({ query }) => query.get("wait")),
    ["20", "0"],
  );
  assert.equal(claims[0]?.headers["idempotency-key"], claims[1]?.headers["idempotency-key"]);
});

test("a_task_that_comes_as_the_claim_is_called_off_goes_back", async () => {
  const node = new FakeNode();
  const worker = workerOf(node);
  let done = 0;
  worker.handle("work", () => done++);
  let task: FakeTask | undefined;
  node.time.schedule(3, () => {
    worker.stop();
    task = node.add("work");
  });
  await run(node, worker);
  assert.equal(done, 0);
  assert.equal(task?.status, "QUEUED");
  assert.deepEqual(endings(task), ["release"]);
});

test("a_stop_gives_prefetched_tasks_back_and_lets_the_others_end", async () => {
  const node = new FakeNode();
  const tasks = [1, 2, 3, 4].map((n) => node.add("work", n));
  const worker = workerOf(node, { prefetch: 2 });
  worker.handle("work", async () => {
    await node.time.pause(3);
    return "done";
  });
  node.time.schedule(1, () => worker.stop());
  await run(node, worker, 2);
  assert.deepEqual(
    tasks.map(({ status }) => status),
    ["COMPLETED", "COMPLETED", "QUEUED", "QUEUED"],
  );
  const { completed, released } = worker.counts;
  assert.deepEqual([completed, released], [2, 2]);
});

test("a_handler_that_sees_the_stop_gives_its_task_back", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const worker = workerOf(node).handle("work", async (leased) => {
    await aborted(leased);
    assert.equal(leased.cancelReason, "stopping");
    throw new GiveBack({ checkpoint: { page: 7 } });
  });
  node.time.schedule(1, () => worker.stop());
  await run(node, worker);
  assert.equal(Math.round(node.time.now - 1000), 11);
  assert.deepEqual(endings(task), ["release"]);
  assert.deepEqual(task.reports[0].checkpoint, { page: 7 });
});

test("a_stop_gives_back_the_task_whose_handler_does_not_end", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const worker = workerOf(node);
  let leased: Task | undefined;
  worker.handle("work", (one) => {
    leased = one;
    return new Promise(() => undefined);
  });
  node.time.schedule(1, () => worker.stop(4));
  await run(node, worker);
  assert.equal(Math.round(node.time.now - 1000), 7);
  assert.deepEqual(endings(task), ["release"]);
  assert.equal(leased?.cancelReason, "given_back");
  await assert.rejects(leased.save({ percent: 1 }), { code: "lease_not_held" });
});

test("a_stop_without_a_node_ends_in_time", async () => {
  const node = new FakeNode();
  node.add("work", null, { leaseSeconds: 600 });
  const worker = workerOf(node).handle("work", () => {
    node.scripts.push(silence);
    worker.stop();
    return "done";
  });
  await run(node, worker);
  assert.ok(node.time.now - 1000 <= 21, String(node.time.now));
  assert.equal(worker.counts.running, 0);
});

test("a_second_stop_may_shorten_the_patience", async () => {
  const node = new FakeNode();
  node.add("work");
  const worker = workerOf(node, { patience: 1000 }).handle("work", async (leased) => {
    await aborted(leased);
    throw new GiveBack();
  });
  node.time.schedule(1, () => worker.stop());
  node.time.schedule(2, () => worker.stop(0));
  await run(node, worker);
  assert.equal(Math.round(node.time.now - 1000), 2);
});

test("signals_stop_the_worker_and_a_second_one_ends_the_patience", async () => {
  const node = new FakeNode();
  const task = node.add("work");
  const before = process.listenerCount("SIGTERM");
  const worker = workerOf(node, { patience: 1000 }).handle("work", async (leased) => {
    process.emit("SIGTERM");
    await node.time.pause(5);
    assert.equal(leased.signal.aborted, false);
    process.emit("SIGINT");
    await aborted(leased);
    throw new GiveBack();
  });
  await node.time.run(worker.run());
  assert.equal(task.status, "QUEUED");
  assert.equal(process.listenerCount("SIGTERM"), before);
});

test("a_worker_runs_again_after_it_was_stopped", async () => {
  const node = new FakeNode();
  const worker = workerOf(node).handle("work", () => undefined);
  worker.stop();
  await run(node, worker);
  assert.deepEqual(node.requests("/claims"), []);
  const task = node.add("work");
  await run(node, worker);
  assert.equal(task.status, "COMPLETED");
});

test("settings_that_cannot_be_are_refused", async () => {
  const node = new FakeNode();
  assert.throws(() => workerOf(node, { prefetch: -1 }), RangeError);
  assert.throws(() => workerOf(node, { wait: 61 }), RangeError);
  const worker = workerOf(node);
  await assert.rejects(worker.run(), /no handler/);
  worker.handle("work", () => undefined);
  assert.throws(() => worker.handle("work", () => undefined), /already/);
  await assert.rejects(worker.run({ concurrency: 0 }), RangeError);
  const types = Array.from({ length: 101 }, (_, n) => `t${n}`);
  assert.throws(() => workerOf(node).handle(types, () => undefined), /100 types/);
  const first = worker.run({ handleSignals: false });
  await assert.rejects(worker.run(), /runs already/);
  worker.stop();
  await node.time.run(first);
});

test("workers_of_one_program_have_names_of_their_own", () => {
  const node = new FakeNode();
  const names = Array.from({ length: 10 }, () => workerOf(node).name);
  assert.equal(new Set(names).size, 10);
  assert.ok(names.every((one) => one.length <= 128));
});

test("a_mistake_in_the_client_ends_the_worker_with_its_error", async () => {
  const node = new FakeNode();
  const token = (): string => {
    throw new RangeError("no token");
  };
  const worker = new Worker(node.client({ token }), { queue: "q", warn: () => undefined });
  worker.handle("work", () => undefined);
  const ended = run(node, worker);
  await assert.rejects(ended, (error) => !(error instanceof HoldfastError));
});
