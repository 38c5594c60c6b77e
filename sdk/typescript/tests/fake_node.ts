/** A node in memory with the queue `q`, behind a fake `fetch`. */

import type { FetchAnswer, FetchRequest } from "../src/calls.js";
import { Holdfast, type ClientSettings } from "../src/index.js";
import { VirtualTime } from "./virtual_time.js";

/* The documents of the tests have any form. */
type Any = any;

export function answer(
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): FetchAnswer {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers: { get: (name) => headers[name] ?? null },
    text: () => Promise.resolve(text),
  };
}

export function problem(
  status: number,
  code: string,
  more: { detail?: string; retryable?: boolean; headers?: Record<string, string> } = {},
): FetchAnswer {
  const { detail = "", retryable = false, headers } = more;
  return answer(status, { code, status, title: "", detail, retryable }, headers);
}

/** One request that has arrived. */
export interface Seen {
  method: string;
  url: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  text: string | undefined;
  body: Any;
  at: number;
  signal: AbortSignal;
}

export type Reply = FetchAnswer | Error;
export type Script = (seen: Seen) => Reply | Promise<Reply> | undefined;

export interface FakeTask {
  id: string;
  type: string;
  body: unknown;
  bodyText: string;
  leaseSeconds: number;
  status: string;
  token: number;
  attempt: number;
  result: unknown;
  reports: Any[];
  extensions: number[];
  saves: Any[];
}

/** Never settles, unless the request is aborted: a node that is frozen. */
export function silence({ signal }: Seen): Promise<Reply> {
  return new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason as Error)),
  );
}

export class FakeNode {
  readonly time = new VirtualTime();
  readonly tasks = new Map<string, FakeTask>();
  readonly seen: Seen[] = [];
  /** Each is asked in turn; the first one that does not return undefined answers. */
  scripts: Script[] = [];
  onFinished: () => void = () => undefined;
  private readonly claims = new Map<string, string[]>();
  private wakers: (() => void)[] = [];

  client(settings: Partial<ClientSettings> = {}): Holdfast {
    return new Holdfast(
      "http://node",
      { token: "hf_a_b", fetch: (url, request) => this.fetch(url, request), ...settings },
      this.time.world,
    );
  }

  add(type: string, body: unknown = null, more: Partial<FakeTask> = {}): FakeTask {
    const id = `00000000-0000-7000-8000-${String(this.tasks.size).padStart(12, "0")}`;
    const task: FakeTask = {
      id,
      type,
      body,
      bodyText: JSON.stringify(body),
      leaseSeconds: 60,
      status: "QUEUED",
      token: 0,
      attempt: 0,
      result: undefined,
      reports: [],
      extensions: [],
      saves: [],
      ...more,
    };
    this.tasks.set(id, task);
    this.wake();
    return task;
  }

  /** The next request to a path that ends so gets this reply. */
  once(pathEnd: string, reply: Reply | Script): void {
    const script: Script = (seen) => {
      if (!seen.path.endsWith(pathEnd)) return undefined;
      this.scripts = this.scripts.filter((one) => one !== script);
      return typeof reply === "function" ? reply(seen) : reply;
    };
    this.scripts.push(script);
  }

  requests(pathEnd: string): Seen[] {
    return this.seen.filter((one) => one.path.endsWith(pathEnd));
  }

  /** The reports that were sent, those that extend left out. */
  reportRequests(): Seen[] {
    const ends = (one: Seen): boolean => one.body.outcomes[0].do !== "extend";
    return this.requests("/completions").filter(ends);
  }

  wake(): void {
    for (const waker of this.wakers.splice(0)) waker();
  }

  async fetch(url: string, request: FetchRequest): Promise<FetchAnswer> {
    const { pathname, searchParams } = new URL(url);
    const seen: Seen = {
      method: request.method,
      url,
      path: pathname,
      query: searchParams,
      headers: request.headers,
      text: request.body,
      body: request.body === undefined ? undefined : JSON.parse(request.body),
      at: this.time.now,
      signal: request.signal,
    };
    this.seen.push(seen);
    for (const script of [...this.scripts]) {
      const reply = await script(seen);
      if (reply instanceof Error) throw reply;
      if (reply !== undefined) return reply;
    }
    if (pathname.endsWith("/claims")) return this.claim(seen);
    if (pathname.endsWith("/completions")) {
      const outcomes = seen.body.outcomes.map((one: Any) => this.report(one, seen));
      const isLive = (one: FakeTask): boolean => ["QUEUED", "EXECUTING"].includes(one.status);
      if (![...this.tasks.values()].some(isLive)) this.onFinished();
      return answer(200, { outcomes });
    }
    if (pathname.endsWith("/save")) return this.save(seen);
    return problem(404, "route_unknown", { detail: pathname });
  }

  private async claim(seen: Seen): Promise<FetchAnswer> {
    const until = this.time.now + Number(seen.query.get("wait"));
    const claim = seen.headers["idempotency-key"] ?? "";
    for (;;) {
      const held = (this.claims.get(claim) ?? []).map((id) => this.tasks.get(id));
      let leased = held.filter((one) => one?.status === "EXECUTING") as FakeTask[];
      if (leased.length === 0) leased = this.grant(seen, claim);
      if (leased.length > 0) {
        return answer(200, `{"tasks":[${leased.map((one) => this.leased(one)).join(",")}]}`);
      }
      const left = until - this.time.now;
      if (left <= 0 || this.claims.has(claim)) return answer(204);
      await new Promise<void>((resolve, reject) => {
        const cancel = this.time.schedule(left, resolve);
        this.wakers.push(() => {
          cancel();
          resolve();
        });
        seen.signal.addEventListener("abort", () => {
          cancel();
          reject(seen.signal.reason as Error);
        });
      });
    }
  }

  private leased(task: FakeTask): string {
    const head = {
      id: task.id,
      type: task.type,
      version: "1.0",
      state: "new",
      data: {},
      checkpoint: null,
      attempt: task.attempt,
      max_attempts: 10,
      token: task.token,
      lease_seconds: task.leaseSeconds,
    };
    return `{"body":${task.bodyText},${JSON.stringify(head).slice(1)}`;
  }

  private grant(seen: Seen, claim: string): FakeTask[] {
    if (this.claims.has(claim)) return []; // it was answered, or called off
    const ready = [...this.tasks.values()]
      .filter((one) => one.status === "QUEUED" && seen.body.types.includes(one.type))
      .slice(0, seen.body.limit);
    for (const task of ready) {
      task.status = "EXECUTING";
      task.token++;
      task.attempt++;
    }
    if (ready.length > 0 || Number(seen.query.get("wait")) === 0) {
      this.claims.set(
        claim,
        ready.map((one) => one.id),
      );
      this.wake();
    }
    return ready;
  }

  private leaseProblem(task: FakeTask, token: number): string | undefined {
    if (task.status !== "QUEUED" && task.status !== "EXECUTING") return "not_found";
    if (token !== task.token) return "stale_token";
    return task.status === "EXECUTING" ? undefined : "lease_not_held";
  }

  private save(seen: Seen): FetchAnswer {
    const task = this.tasks.get(seen.path.split("/")[3] ?? "");
    if (task === undefined) return problem(404, "not_found");
    const code = this.leaseProblem(task, seen.body.token);
    if (code !== undefined) return problem(409, code);
    task.saves.push(seen.body);
    return answer(200, { id: task.id, repeated: false });
  }

  private report(report: Any, seen: Seen): unknown {
    const task = this.tasks.get(report.task);
    if (task === undefined) throw new Error(`there is no task ${report.task}`);
    const code = this.leaseProblem(task, report.token);
    if (code !== undefined) return { task: task.id, code, detail: "", repeated: false };
    task.reports.push(report);
    if (report.do === "extend") task.extensions.push(seen.at);
    else if (report.do === "complete") {
      task.status = "COMPLETED";
      task.result = report.result;
    } else if (report.do === "release") task.status = "QUEUED";
    else task.status = report.kind === "permanent" ? "FAILURE" : "FAILED_ONCE";
    return { task: task.id, repeated: false };
  }
}
