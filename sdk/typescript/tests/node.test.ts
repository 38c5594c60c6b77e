/** The package against a node of the real program, which `HOLDFAST_BINARY` names. */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { after, before, describe, test } from "node:test";

import {
  ContributorSession,
  GiveBack,
  Holdfast,
  HoldfastError,
  PermanentFailure,
  RateLimited,
  Worker,
  textAt,
  type Task,
  type TaskView,
} from "../src/index.js";
import { makeId } from "../src/ids.js";
import { PACKAGE } from "./package_root.js";
import { RealNode, reasonToSkip } from "./real_node.js";

const SECONDS = 60; // No test waits so long, unless it fails.

async function until<T>(
  condition: () => T | Promise<T>,
  seconds = SECONDS,
): Promise<NonNullable<T>> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    assert.ok(performance.now() < end, "the condition was not met in time");
    await pause(50);
  }
}

/** Resolves with true when the signal is aborted, and with false after so many seconds. */
async function isCancelled(task: Task, seconds: number): Promise<boolean> {
  try {
    await pause(seconds * 1000, undefined, { signal: task.signal });
    return false;
  } catch {
    return true;
  }
}

/** Runs the worker while `work` goes on, and stops it at the end. */
async function running(
  worker: Worker,
  concurrency: number,
  work: () => Promise<void>,
): Promise<void> {
  const ended = worker.run({ concurrency, handleSignals: false });
  await Promise.race([
    work(),
    ended.then(() => pause(SECONDS * 1000, undefined, { ref: false })),
  ]).finally(() => worker.stop());
  await ended;
}

const skip = reasonToSkip();

describe("a node of the real program", { skip: skip ?? false }, () => {
  const node = new RealNode();
  let client: Holdfast;
  let count = 0;
  const quiet = { warn: () => undefined };

  before(async () => {
    await node.start();
    client = node.client();
  });
  after(() => node.remove());

  /** A queue of the test alone. */
  async function queueWith(policy: object = {}): Promise<string> {
    const queue = `q${++count}`;
    await client.putQueue(queue, policy);
    return queue;
  }

  const statusOf = async (id: string): Promise<string> => (await client.getTask(id))!.status;
  const endingsOf = async (id: string): Promise<(string | undefined)[]> =>
    (await client.getTaskAttempts(id)).attempts.map(({ ending }) => ending);

  // --- the API as the package knows it ---

  test("the_generated_module_is_that_of_the_node", async () => {
    const openapi = await (await fetch(`${node.url}/openapi.json`)).text();
    const tool = join(PACKAGE, "tools", "generate.mjs");
    const { stdout } = spawnSync(process.execPath, [tool], { input: openapi, encoding: "utf8" });
    const generated = readFileSync(join(PACKAGE, "src", "generated.ts"), "utf8");
    assert.ok(stdout === generated, "generate it again: tools/generate.mjs");
  });

  // --- calls ---

  test("a_task_is_made_once_under_its_id", async () => {
    const queue = await queueWith();
    const id = makeId();
    const body = { number: 9400110200881234567890n, text: "Zoë \u{1f600}" };
    assert.deepEqual(await client.enqueue(queue, "t", body, { id }), { id, repeated: false });
    assert.equal((await client.enqueue(queue, "t", body, { id })).repeated, true);
    const other = await queueWith();
    await assert.rejects(client.enqueue(other, "t", body, { id }), {
      code: "already_exists",
      status: 409,
    });
    const view = (await client.getTask(id))!;
    assert.deepEqual(view.body, body);
    assert.match(textAt(view, "body") ?? "", /"number": ?9400110200881234567890\b/);
  });

  test("tasks_that_are_made_together_are_claimed_in_their_order", async () => {
    const queue = await queueWith();
    const bodies = Array.from({ length: 100 }, (_, n) => n);
    await client.enqueueMany(
      queue,
      bodies.map((body) => ({ type: "t", body })),
    );
    const claimed = await client.claim(queue, { worker: "w", limit: 100 });
    assert.deepEqual(
      claimed.map(({ body }) => body),
      bodies,
    );
  });

  test("errors_name_their_places", async () => {
    await assert.rejects(client.enqueue("absent", "t", {}), { code: "not_found", status: 404 });
    const queue = await queueWith();
    const high = "high" as unknown as number;
    await assert.rejects(client.enqueue(queue, "t", {}, { priority: high }), (error) => {
      assert.ok(error instanceof HoldfastError);
      assert.equal(error.errors[0]?.place, "/priority");
      return true;
    });
    const tasks = ["t", "", "t"].map((type) => ({ type, body: null }));
    const outcomes = await client.enqueueMany(queue, tasks);
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [undefined, "invalid_argument", undefined],
    );
    await assert.rejects(node.client({ token: "hf_x_y" }).listQueues(), { status: 401 });
  });

  test("a_task_is_steered_from_outside", async () => {
    const queue = await queueWith();
    const { id } = await client.enqueue(queue, "t", {}, { delay: 3600 });
    assert.deepEqual(await client.claim(queue, { worker: "w" }), []);
    await client.pauseTask(id);
    assert.equal((await client.getTask(id))!.paused, true);
    await client.resumeTask(id);
    await client.retryTask(id);
    const [leased] = await client.claim(queue, { worker: "w", wait: 20 });
    assert.ok(leased);
    const lease = { token: leased.token, worker: "w" };
    await client.saveTask(id, { ...lease, number: 1, checkpoint: { page: 1 } });
    await client.extendTask(id, lease);
    await client.releaseTask(id, { ...lease, delay: 3600 });
    await client.ejectTask(id, { data: { x: 1 } });
    await client.cancelTask(id);
    assert.equal(await statusOf(id), "CANCELED");
    const { tasks } = await client.listTasks({ queue, status: "CANCELED" });
    assert.deepEqual(
      tasks.map((one) => one.id),
      [id],
    );
  });

  test("a_task_follows_the_one_before", async () => {
    const queue = await queueWith();
    await client.enqueue(queue, "first", {});
    const [first] = await client.claim(queue, { worker: "w", wait: 20 });
    assert.ok(first);
    const follow = { type: "second", body: {} };
    const lease = { token: first.token, worker: "w" };
    const done = await client.completeTask(first.id, { ...lease, result: { n: 1 }, follow });
    assert.equal((done.follower as { type?: string }).type, "second");
  });

  test("events_are_read_in_pages", async () => {
    const page = await client.readEvents(0, { from: "oldest", limit: 5 });
    assert.equal(page.shard, 0);
  });

  // --- workers ---

  test("failures_end_as_they_say", async () => {
    const queue = await queueWith({
      retry: { max_attempts: 3, least_seconds: 0.05, most_seconds: 0.1 },
    });
    const worker = new Worker(client, { queue, ...quiet });
    const limited: number[] = [];
    worker
      .handle("permanent", () => {
        throw new PermanentFailure("NO_SUCH_ADDRESS", "550 unknown");
      })
      .handle("transient", ({ attempt }) => {
        if (attempt < 3) throw new TypeError("to");
        return attempt;
      })
      .handle("always", () => {
        throw new TypeError("to");
      })
      .handle("limited", () => {
        limited.push(performance.now());
        if (limited.length === 1) throw new RateLimited(1);
      })
      .handle("not_json", () => new Set([1]))
      .handle("deep", () => JSON.parse("[".repeat(80) + "]".repeat(80)) as unknown);
    const types = ["permanent", "transient", "always", "limited", "not_json", "deep"];
    const views: Record<string, TaskView> = {};
    await running(worker, 8, async () => {
      for (const type of types) {
        const { id } = await client.enqueue(queue, type, {});
        views[type] = await until(async () => {
          const view = (await client.getTask(id))!;
          return ["COMPLETED", "FAILURE", "ERROR"].includes(view.status) ? view : undefined;
        });
      }
    });
    const told = Object.entries(views).map(([type, { status, error_code }]) => [
      type,
      status,
      error_code,
    ]);
    assert.deepEqual(told, [
      ["permanent", "FAILURE", "NO_SUCH_ADDRESS"],
      ["transient", "COMPLETED", undefined],
      ["always", "ERROR", "HANDLER_EXCEPTION"],
      ["limited", "COMPLETED", undefined],
      ["not_json", "FAILURE", "OUTCOME_REFUSED"],
      ["deep", "FAILURE", "OUTCOME_REFUSED"],
    ]);
    assert.equal(views.transient?.result, 3);
    assert.ok((limited[1] ?? 0) - (limited[0] ?? 0) >= 900);
    assert.deepEqual(await endingsOf(views.limited?.id ?? ""), ["RateLimited", "Completed"]);
  });

  test("a_task_that_takes_longer_than_its_lease_keeps_it", async () => {
    const queue = await queueWith({ lease: { ttl_seconds: 3 } });
    const worker = new Worker(client, { queue, ...quiet });
    worker.handle("t", (task) => isCancelled(task, 8));
    const { id } = await client.enqueue(queue, "t", {});
    await running(worker, 2, async () => {
      await until(async () => (await statusOf(id)) === "COMPLETED");
    });
    assert.equal((await client.getTask(id))!.result, false);
    assert.deepEqual(await endingsOf(id), ["Completed"]);
  });

  test("progress_and_big_numbers_reach_the_next_attempt", async () => {
    const queue = await queueWith({ retry: { least_seconds: 0.05, most_seconds: 0.1 } });
    const worker = new Worker(client, { queue, ...quiet });
    const big = 9400110200881234567890n;
    const seen: unknown[] = [];
    worker.handle<{ n: bigint }>("t", async (task) => {
      seen.push(task.checkpoint, task.bodyText.replaceAll(" ", ""));
      if (task.attempt > 1) return task.body.n + 1n;
      await task.save({ checkpoint: { page: 1 }, percent: 10 });
      await task.save({ checkpoint: { page: big }, data: { half: true } });
      throw new Error("page 3");
    });
    const { id } = await client.enqueue(queue, "t", { n: big });
    await running(worker, 1, async () => {
      await until(async () => (await statusOf(id)) === "COMPLETED");
    });
    assert.deepEqual(seen.slice(1), [`{"n":${big}}`, { page: big }, `{"n":${big}}`]);
    const view = (await client.getTask(id))!;
    assert.deepEqual([view.data, view.result], [{ half: true }, big + 1n]);
  });

  test("a_task_that_is_taken_away_cancels_its_handler", async () => {
    const queue = await queueWith({ lease: { ttl_seconds: 3 } });
    const worker = new Worker(client, { queue, ...quiet });
    let taken: Task | undefined;
    worker.handle("t", async (task) => {
      taken = task;
      assert.equal(await isCancelled(task, SECONDS), true);
      return "late";
    });
    const { id } = await client.enqueue(queue, "t", {});
    await running(worker, 1, async () => {
      await until(() => taken);
      await client.cancelTask(id);
      await until(() => taken?.cancelReason);
    });
    assert.equal(taken?.cancelReason, "lost");
    assert.equal(await statusOf(id), "CANCELED");
    assert.equal(worker.counts.lost, 1);
  });

  test("a_stop_gives_tasks_back_at_once", async () => {
    const queue = await queueWith({ lease: { ttl_seconds: 600 } });
    const made = await client.enqueueMany(
      queue,
      [0, 1, 2, 3, 4, 5].map((body) => ({ type: "t", body })),
    );
    const settings = { queue, prefetch: 3, patience: 0.5, cancelPatience: 0.5, ...quiet };
    const worker = new Worker(client, settings);
    let began = 0;
    worker.handle("t", async (task) => {
      began++;
      if (task.body !== 0) return pause(SECONDS * 1000, undefined, { ref: false });
      assert.equal(await isCancelled(task, SECONDS), true);
      throw new GiveBack({ checkpoint: { page: 7 } });
    });
    await running(worker, 3, async () => {
      await until(async () => began === 3 && (await client.getQueueMetrics(queue)).leased === 6);
    });
    for (const { task } of made) assert.equal(await statusOf(task ?? ""), "QUEUED");
    assert.equal(worker.counts.released, 6);
    const [first] = await client.claim(queue, { worker: "w", wait: 20 });
    assert.deepEqual([first?.body, first?.checkpoint], [0, { page: 7 }]);
  });

  test("a_waiting_worker_gets_a_task_at_once_and_a_stop_ends_its_claim", async () => {
    const queue = await queueWith();
    const worker = new Worker(client, { queue, wait: 60, ...quiet }).handle("t", () => undefined);
    const began = performance.now();
    await running(worker, 1, async () => {
      for (let n = 0; n < 3; n++) {
        const { id } = await client.enqueue(queue, "t", {});
        await until(async () => (await statusOf(id)) === "COMPLETED");
      }
    });
    assert.ok(performance.now() - began < 20_000);
  });

  test("the_example_runs_as_a_program", async (t) => {
    await client.putQueue("mail", {});
    const { id } = await client.enqueue("mail", "send", { to: "ana", text: "hello" });
    // The example imports the package by its name, as in the project of a user.
    const modules = join(PACKAGE, "node_modules", "holdfast");
    rmSync(modules, { recursive: true, force: true });
    mkdirSync(dirname(modules), { recursive: true });
    symlinkSync(PACKAGE, modules);
    t.after(() => rmSync(modules));
    const program = spawn(process.execPath, [join(PACKAGE, "examples", "worker.mjs")], {
      env: { ...process.env, API_URL: node.url, API_TOKEN: node.token },
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.after(() => program.kill("SIGKILL"));
    let said = "";
    program.stdout.on("data", (part) => (said += String(part)));
    const ended = new Promise((resolve) => program.on("exit", resolve));
    await until(async () => (await statusOf(id)) === "COMPLETED");
    program.kill("SIGTERM");
    assert.equal(await ended, 0);
    assert.equal(said, "to ana: hello\n");
    assert.deepEqual((await client.getTask(id))!.result, { sent: true });
  });

  // --- contributors ---

  async function stepOf(rows: number): Promise<string> {
    const steps = [{ key: "label", judgments_per_unit: 1 }];
    const made = await client.createWorkflow({ name: `w${++count}`, steps });
    const step = made.steps[0]?.id ?? "";
    const added = await client.addManyRows(
      step,
      Array.from({ length: rows }, (_, n) => ({ key: `k${n}`, input: { image: `${n}.png` } })),
    );
    assert.deepEqual([added.added, added.problems], [rows, []]);
    return step;
  }

  test("the_life_of_a_unit", async () => {
    const step = await stepOf(2);
    const session = new ContributorSession(client, "ana");
    const offers = await session.steps(1000);
    assert.ok(offers.steps.some(({ id }) => id === step));
    const unit = await session.next(step, { wait: 20 });
    assert.ok(unit);
    assert.ok(session.timeLeft > 0 && session.timeLeft <= unit.lease_seconds);
    assert.ok((await session.extend()) > 0);
    assert.equal((await session.submit({ answer: "cat" })).repeated, false);
    const result = await until(() =>
      client.getUnitResult(unit.unit_id).catch((error: HoldfastError) => {
        assert.equal(error.code, "not_found");
        return undefined;
      }),
    );
    assert.equal((result.result as { answer: string }).answer, "cat");
    assert.ok(await session.next(step, { wait: 20 }));
    await session.release();
    assert.ok(await session.next(step, { wait: 20 }));
    await session.decline();
    assert.equal(await session.next(step), undefined);
    const other = new ContributorSession(client, "ben");
    assert.ok(await other.next(step, { wait: 20 }));
    assert.equal(await other.leave(), 1);
  });

  // --- a node that is killed and frozen (last: it takes the node down) ---

  test("each_task_completes_once_though_the_node_is_killed_and_frozen", async () => {
    const patient = node.client({ timeout: 120, attemptTimeout: 5 });
    const queue = await queueWith({
      lease: { ttl_seconds: 10 },
      retry: { crashes_max: 50, least_seconds: 0.05, most_seconds: 0.2 },
    });
    const worker = new Worker(patient, { queue, prefetch: 4, ...quiet });
    const executions = new Map<string, number>();
    worker.handle<{ n: number }>("t", async (task) => {
      executions.set(task.id, (executions.get(task.id) ?? 0) + 1);
      await isCancelled(task, 0.02); // so that there is work under way when the node is killed
      if (task.body.n % 10 === 0) await task.save({ checkpoint: { n: task.body.n } });
      return { n: task.body.n };
    });
    const made = new Map<string, number>();
    const produce = async (): Promise<void> => {
      for (let n = 0; n < 200; n++) {
        const id = makeId();
        await patient.enqueue(queue, "t", { n }, { id });
        made.set(id, n);
      }
    };
    const completed = async (): Promise<number> =>
      (await patient.getQueueStatistics(queue)).completed;
    await running(worker, 8, async () => {
      const producing = produce();
      for (const enough of [40, 90]) {
        await until(() => worker.counts.completed >= enough);
        await node.kill();
        await pause(1000);
        await node.start();
      }
      await until(() => worker.counts.completed >= 130);
      node.signal("SIGSTOP");
      await pause(3000);
      node.signal("SIGCONT");
      await producing;
      assert.equal(made.size, 200);
      await until(async () => (await completed()) >= 200, SECONDS * 2);
    });
    const { live, failed, dead, canceled } = await patient.getQueueStatistics(queue);
    assert.equal(await completed(), 200);
    assert.deepEqual([live, failed, dead, canceled], [0, 0, 0, 0]);
    let sum = 0;
    for (const [id, n] of made) {
      assert.deepEqual((await patient.getTask(id))!.result, { n });
      const endings = await endingsOf(id);
      assert.equal(endings.filter((one) => one === "Completed").length, 1);
      assert.equal(endings[endings.length - 1], "Completed");
      assert.ok((executions.get(id) ?? 0) <= endings.length);
      sum += executions.get(id) ?? 0;
    }
    assert.ok(sum - 200 <= 20, `${sum - 200} executions were repeated`);
  });
});
