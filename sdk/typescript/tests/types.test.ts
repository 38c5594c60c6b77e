import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { PACKAGE } from "./package_root.js";

const USE = `
import { ContributorSession, Holdfast, Worker, textAt } from "../../src/index.js";
import type { Assignment, LeasedTask, TaskView } from "../../src/index.js";

export async function use(client: Holdfast, session: ContributorSession): Promise<void> {
  const task: TaskView = (await client.getTask("x"))!;
  const failures: number = task.failed_attempts;
  const leased: LeasedTask[] = await client.claim("q", { worker: "w", wait: 20 });
  const unit: Assignment | undefined = await session.next("s", { wait: 5 });
  const body: string | undefined = textAt(task, "body");
  const worker = new Worker(client, { queue: "q" });
  worker.handle<{ to: string }>("t", (one) => one.body.to.length);
  const types: readonly string[] = ["a"];
  await client.readEvents(0, { types, from: "oldest", limit: undefined });
  console.log(failures, leased, unit, body);
  client.getTask(); // E: no id
  await client.enqueue("q", "t", {}, { prioritee: 1 }); // E: no such member
  await client.changeStep("s", { status: "stopped" }); // E: no such status
  await client.failTask("x", { token: 1, kind: "transient" }); // E: no code
  worker.handle<{ to: string }>("t", (one) => one.body.from); // E: no such member
  const number: number = client.getTask("x"); // E: not awaited
  console.log(number);
}
`;

function generated(openapi: unknown): string {
  return execFileSync(process.execPath, [join(PACKAGE, "tools", "generate.mjs")], {
    input: JSON.stringify(openapi),
    encoding: "utf8",
  });
}

const content = (schema: unknown): unknown => ({ content: { "application/json": { schema } } });

function openapiOf(operation: object, path = "/x/{id}", method = "post"): unknown {
  const about = { operationId: "make_x", summary: "Make an x", responses: {} };
  const task = { type: "object", properties: { n: { type: "integer" } } };
  const page = {
    type: "object",
    properties: {
      tasks: {
        type: "array",
        items: { $ref: "#/components/schemas/one_task" },
        description: "The tasks.",
      },
      at: { type: ["string", "null"] },
      body: { description: "Any JSON." },
      status: { type: "string", enum: ["A", "B"] },
    },
    required: ["tasks", "at"],
  };
  const problem = { type: "object", properties: {} };
  return {
    paths: { [path]: { [method]: { ...about, ...operation } } },
    components: { schemas: { task_page: page, one_task: task, problem } },
  };
}

const ID = { name: "id", in: "path", required: true, schema: { type: "string" } };

test("types_and_methods_are_made_of_schemas", () => {
  const body = {
    type: "object",
    properties: {
      kind: { type: "string", enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["kind"],
  };
  const limit = { name: "limit", in: "query", schema: { type: "integer" } };
  const text = generated(
    openapiOf({
      parameters: [ID, limit],
      requestBody: content(body),
      responses: { 201: content({ $ref: "#/components/schemas/task_page" }) },
    }),
  );
  assert.match(
    text,
    /export interface TaskPage \{\n {2}\/\*\* The tasks. \*\/\n {2}tasks: OneTask\[\];/,
  );
  assert.match(text, /\n {2}at: string \| null;\n/);
  assert.match(text, /\n {2}body\?: unknown;\n/);
  assert.match(text, /\n {2}status\?: string;\n/); // a newer node may send others
  assert.match(
    text,
    /interface MakeXRequest \{\n {2}limit\?: number \| undefined;\n {2}kind: "a" \| "b";/,
  );
  assert.match(text, /\n {2}tags\?: readonly string\[\] \| undefined;\n/);
  assert.match(text, /\n {2}makeX\(\n {4}id: string,\n {4}request: MakeXRequest,\n/);
  assert.match(text, /\{ method: "POST", path: "\/x\/\{id\}", query: \["limit"\] \}/);
  assert.doesNotMatch(text, /Problem/);
});

test("a_document_is_an_argument_of_its_own", () => {
  const responses = { 200: content({ type: "object", properties: { ok: { type: "boolean" } } }) };
  const text = generated(openapiOf({ parameters: [ID], requestBody: content({}), responses }));
  assert.match(text, /export interface MakeXAnswer \{\n {2}ok\?: boolean;/);
  assert.match(text, /\n {4}id: string,\n {4}document: unknown,\n/);
  assert.match(text, /document: true \},\n {6}\{ path: \[id\], document \},/);
});

test("operations_without_json_have_no_method", () => {
  const stream = { 200: { content: { "text/event-stream": { schema: {} } } } };
  assert.doesNotMatch(generated(openapiOf({ responses: stream })), /makeX/);
});

test("a_type_checker_knows_the_client", (t) => {
  const folder = join(PACKAGE, "build", "types");
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "use.ts"), USE);
  const settings = {
    extends: "../../tsconfig.json",
    compilerOptions: { noEmit: true, rootDir: "../.." },
  };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ ...settings, include: ["use.ts"] }),
  );
  const tsc = join(PACKAGE, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
  const lines = USE.split("\n");
  const wrong = lines.flatMap((line, n) => (line.includes("// E:") ? [n + 1] : []));
  const found = [...stdout.matchAll(/use\.ts\((\d+),/g)].map(([, line]) => Number(line));
  assert.deepEqual([...new Set(found)], wrong, stdout);
  assert.doesNotMatch(stdout, /src\//);
});
