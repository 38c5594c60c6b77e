import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { Holdfast, JsonText, textAt, type Fetch } from "../src/index.js";
import { makeId } from "../src/ids.js";
import { FakeNode, answer, problem, type Reply, type Seen } from "./fake_node.js";

/** The request of a call that is answered so, and the value of the call. */
async function asked<T>(
  call: (client: Holdfast) => Promise<T>,
  reply: Reply = answer(200, {}),
): Promise<{ seen: Seen; value: T }> {
  const node = new FakeNode();
  node.scripts.push(() => reply);
  const value = await node.time.run(call(node.client()));
  const [seen] = node.seen;
  assert.ok(seen);
  return { seen, value };
}

test("a_request_has_the_token_and_the_form_that_the_node_wants", async () => {
  const node = new FakeNode();
  node.scripts.push(() => answer(200, {}));
  const fetch: Fetch = (url, request) => node.fetch(url, request);
  const client = new Holdfast("http://node/base/", { token: " hf_a_b\n", fetch });
  await client.putQueue("mail", { lease: { ttl_seconds: 5 } });
  const [seen] = node.seen;
  assert.equal(seen?.method, "PUT");
  assert.equal(seen?.url, "http://node/base/v1/queues/mail");
  assert.equal(seen?.headers.authorization, "Bearer hf_a_b");
  assert.equal(seen?.headers["content-type"], "application/json");
  assert.match(seen?.headers["user-agent"] ?? "", /^holdfast-typescript\/\d/);
  assert.equal(seen?.headers["idempotency-key"], undefined);
  assert.deepEqual(seen?.body, { lease: { ttl_seconds: 5 } });
});

test("a_token_may_be_asked_for_with_every_request", async () => {
  const node = new FakeNode();
  node.scripts.push(() => answer(200, {}));
  let count = 0;
  const client = node.client({ token: () => Promise.resolve(`t${++count}`) });
  await client.listQueues();
  await client.listQueues();
  assert.deepEqual(
    node.seen.map(({ headers }) => headers.authorization),
    ["Bearer t1", "Bearer t2"],
  );
});

test("a_page_sends_its_cookie_with_the_header_that_no_other_site_can_send", async () => {
  const node = new FakeNode();
  const session = { role: "contributor", roles: ["contributor"], queues: [], workflows: [] };
  node.once("/v1/session", answer(200, { ...session, contributor: "ana" }));
  node.once("/v1/session", answer(204));
  node.once("/v1/session", answer(204));
  const client = node.client({ token: null });
  const opened = await client.signIn({ link: "hl_a_b" });
  assert.equal(opened.contributor, "ana");
  assert.equal(opened.worker, null);
  assert.equal(opened.expires_at, null);
  assert.equal(await client.getSession(), undefined);
  await client.signOut();
  assert.deepEqual(node.seen[0]?.body, { link: "hl_a_b" });
  assert.deepEqual(
    node.seen.map(({ method }) => method),
    ["POST", "GET", "DELETE"],
  );
  for (const { headers } of node.seen) {
    assert.equal(headers["x-holdfast-csrf"], "1");
    assert.equal(headers.authorization, undefined);
  }
});

test("a_task_has_the_members_that_were_given", async () => {
  const id = makeId();
  const { seen, value } = await asked(
    (client) =>
      client.enqueue(
        "mail",
        "send",
        { to: "Zoë", number: 9400110200881234567890n },
        { id, delay: 1.5, priority: 0, key: undefined },
        { traceparent: "00-1-2-01" },
      ),
    answer(201, { id, repeated: true }),
  );
  assert.equal(
    seen.text,
    `{"id":"${id}","delay":1.5,"priority":0,"type":"send",` +
      `"body":{"to":"Zoë","number":9400110200881234567890}}`,
  );
  assert.equal(seen.headers["idempotency-key"], id);
  assert.equal(seen.headers.traceparent, "00-1-2-01");
  assert.equal(value.repeated, true);
});

test("paths_and_queries_are_encoded_and_leave_out_what_is_undefined", async () => {
  const tasks = { queue: "a b", status: "QUEUED", limit: 5, type: undefined };
  const { seen } = await asked((client) => client.listTasks(tasks));
  assert.equal(seen.url, "http://node/v1/tasks?queue=a%20b&status=QUEUED&limit=5");
  assert.equal(seen.text, undefined);
  const events = { from: "oldest", types: ["A", "B"], wait: 20 } as const;
  const other = await asked((client) => client.readEvents(3, events));
  assert.equal(
    other.seen.url,
    "http://node/v1/shards/3/events?from=oldest&types=A&types=B&wait=20",
  );
  const third = await asked((client) => client.getProfile("a/b ü"));
  assert.equal(third.seen.path, "/v1/contributors/a%2Fb%20%C3%BC");
});

test("a_document_goes_out_byte_for_byte", async () => {
  const text = '{"name": "n", "steps": [ ]}';
  const document = new JsonText(text);
  const { seen } = await asked((client) => client.createWorkflow(document, { id: makeId() }));
  assert.equal(seen.text, text);
  assert.equal(seen.query.get("id"), seen.headers["idempotency-key"]);
});

test("the_text_of_a_document_is_that_of_the_node", async () => {
  const text = '{"id": "x", "body": {"n": 9400110200881234567890, "price": 1.10}}';
  const { value } = await asked(async (client) => (await client.getTask("x"))!, answer(200, text));
  assert.equal((value.body as { n: unknown }).n, 9400110200881234567890n);
  assert.equal(textAt(value, "body"), '{"n": 9400110200881234567890, "price": 1.10}');
});

test("a_claim_without_tasks_is_an_empty_list", async () => {
  const claim = (client: Holdfast): Promise<unknown> => client.claim("q", { worker: "w" });
  const { seen, value } = await asked(claim, answer(204));
  assert.deepEqual(value, []);
  assert.deepEqual(seen.body, { worker: "w" });
  assert.equal(seen.query.get("wait"), "0");
  assert.deepEqual((await asked(claim, problem(404, "no_unit_available"))).value, []);
  await assert.rejects(asked(claim, problem(404, "not_found")), { code: "not_found" });
});

test("no_assignment_is_undefined", async () => {
  const none = problem(404, "no_unit_available");
  const { value } = await asked((client) => client.assign({ step_id: "s" }), none);
  assert.equal(value, undefined);
});

test("reports_may_be_text", async () => {
  const outcomes = { outcomes: [{ task: "1", repeated: false }] };
  const { seen, value } = await asked(
    (client) =>
      client.reportMany("q", [new JsonText('{"task":"1", "token":1}'), { task: "2", token: 2 }], {
        worker: "w",
      }),
    answer(200, outcomes),
  );
  assert.equal(
    seen.text,
    '{"worker":"w","outcomes":[{"task":"1", "token":1},{"task":"2","token":2}]}',
  );
  assert.deepEqual(value[0], outcomes.outcomes[0]);
});

test("tasks_that_a_request_makes_get_ids_so_that_it_is_repeatable", async () => {
  const task = { type: "t", body: {} };
  const { seen } = await asked((client) => client.completeTask("x", { token: 1, follow: task }));
  assert.match(seen.body.follow.id, /^0{8}-/);
  const other = await asked((client) => client.makeTasks("q", { tasks: [task] }));
  assert.match(other.seen.body.tasks[0].id, /^0{8}-/);
});

test("answers_about_rows_are_put_together", async () => {
  const node = new FakeNode();
  node.scripts.push(({ body }) => {
    const row = body.rows.length - 1;
    const problems = [{ row, code: "payload_invalid", detail: "" }];
    return answer(200, { added: row, already_there: 0, problems });
  });
  const rows = Array.from({ length: 1500 }, (_, n) => ({ key: String(n), input: n }));
  const added = await node.client().addManyRows("s", rows);
  assert.equal(added.added, 1498);
  assert.deepEqual(
    added.problems.map(({ row }) => row),
    [999, 1499],
  );
});

test("the_token_is_not_in_what_a_client_prints", () => {
  const client = new Holdfast("http://node", { token: "hf_secret" });
  assert.doesNotMatch(inspect(client, { depth: 9, showHidden: true }), /secret/);
  assert.doesNotMatch(JSON.stringify(client), /secret/);
});

test("ids_are_uuids_of_version_7_in_the_order_of_their_making", () => {
  const before = Date.now();
  const ids = Array.from({ length: 1000 }, makeId);
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 1000);
  const at = parseInt((ids[0] ?? "").replace("-", "").slice(0, 12), 16);
  assert.ok(before <= at && at <= Date.now());
});

test("ids_do_not_need_a_global_crypto", (t) => {
  const before = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  Object.defineProperty(globalThis, "crypto", { value: undefined, configurable: true });
  t.after(() => before && Object.defineProperty(globalThis, "crypto", before));
  assert.equal(new Set(Array.from({ length: 100 }, makeId)).size, 100);
});

test("settings_that_cannot_be_are_refused", () => {
  assert.throws(() => new Holdfast("http://node", { token: "t", timeout: 0 }), RangeError);
  assert.throws(() => new Holdfast("http://node", { token: "t", attemptTimeout: NaN }), RangeError);
});
