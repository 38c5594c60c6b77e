/** The client: the operations of the API, and calls that are made of several requests. */

import {
  REAL_WORLD,
  queryText,
  requestOf,
  send,
  sendEach,
  partsOf,
  valueOf,
  type CallOptions,
  type Connection,
  type Environment,
  type Fetch,
  type Parts,
  type Route,
} from "./calls.js";
import { HoldfastError } from "./errors.js";
import { followStream, type FollowOptions, type ServerSentEvent } from "./event_stream.js";
import {
  Operations,
  type Assignment,
  type ClaimTasksRequest,
  type TaskCompleted,
  type CompleteTaskRequest,
  type LeasedTask,
  type LeasedTasks,
  type ListedEvent,
  type TasksMade,
  type MakeTasksRequest,
  type ReadAllEventsRequest,
  type SourceDataAdded,
  type SourceRow,
  type TaskEnvelope,
  type TaskOutcome,
  type TaskOutcomes,
  type TaskReport,
  type TaskRequest,
  type TestQuestion,
} from "./generated.js";
import { encodeJson, JsonText, parseAnswer } from "./json.js";
import { streamList } from "./list_stream.js";
import { VERSION } from "./version.js";

export interface ClientSettings {
  /**
   * A token of the API, or a function that has the present one. Null: the session cookie of the
   * page's own origin, which `signIn` gets.
   */
  token: string | (() => string | Promise<string>) | null;
  /** A call ends after so many seconds with all its repetitions; a long poll may wait besides. */
  timeout?: number;
  /** An attempt ends after so many seconds without an answer. */
  attemptTimeout?: number;
  /** In the place of the global `fetch`. */
  fetch?: Fetch;
}

/** Members of `enqueue` beside the type and the body. */
export type NewTask = Omit<MakeTasksRequest, "tasks" | "type" | "body">;

/** The answer of `enqueue`. */
export interface TaskMade {
  id: string;
  /** Whether an earlier request had made the task. */
  repeated: boolean;
}

/** Options of calls that make tasks. */
export interface TraceOptions extends CallOptions {
  /** The trace that the tasks belong to, as in W3C Trace Context. */
  traceparent?: string | undefined;
}

export interface ReportOptions extends CallOptions {
  worker?: string | undefined;
  /** False: a report whose outcome has a transient code is not sent again. */
  repeat?: boolean | undefined;
}

/** Which events to follow. */
export type EventFilter = Pick<
  ReadAllEventsRequest,
  "from" | "types" | "workflow_id" | "step_id" | "unit_id" | "queue"
>;

/** An event of a stream, with the place behind it. */
export interface FollowedEvent extends ListedEvent {
  cursor: string;
}

/** The principal of requests, and its reach. */
export interface PageSession {
  /** The role; the first of several. */
  role: string;
  roles: string[];
  /** The contributor that the session acts for; null where it is not bound to one. */
  contributor: string | null;
  /** The worker that the session acts for; null where it is not bound to one. */
  worker: string | null;
  /** Prefixes of the queues that the session reaches; empty: no such limit. */
  queues: string[];
  /** The workflows that the session reaches; empty: no such limit. */
  workflows: string[];
  /** When the session ends by itself; null: never. */
  expires_at: string | null;
}

/** A node leaves members without a value out. */
function pageSessionOf(answer: PageSession): PageSession {
  const { contributor = null, worker = null, expires_at = null } = answer as Partial<PageSession>;
  return { ...answer, contributor, worker, expires_at };
}

const isBrowser = "document" in globalThis;

/** The environment of a client, for the parts of this package. */
export const environmentOf: unique symbol = Symbol("environment");

/** A page of another origin cannot send this header, so the node knows its own pages by it. */
const CSRF_HEADER = "x-holdfast-csrf";

const SIGN_IN: Route = { method: "POST", path: "/v1/session" };
const GET_SESSION: Route = { method: "GET", path: "/v1/session" };
const SIGN_OUT: Route = { method: "DELETE", path: "/v1/session" };
const MAKE_TASKS: Route = { method: "POST", path: "/v1/queues/{queue}/tasks", id: "id" };
const MAKE_ENVELOPES: Route = { method: "POST", path: "/v1/queues/{queue}/envelopes" };
const REPORT_TASKS: Route = { method: "POST", path: "/v1/queues/{queue}/completions" };
const SOURCE_DATA: Route = { method: "POST", path: "/v1/job-steps/{step_id}/source-data" };
const TEST_QUESTIONS: Route = { method: "POST", path: "/v1/job-steps/{step_id}/test-questions" };

/**
 * A client of one node.
 *
 * `url` is the address of the node, such as `http://127.0.0.1:8470`. Every method rejects with a
 * `HoldfastError`. Failed connections and the answers 429 and 503 are repeated by one rule: the
 * same ids, pauses that are random and grow, `Retry-After`, and the deadline `timeout`. Durations
 * are seconds. Times are RFC 3339 texts. A member that is undefined is left out of the request.
 */
export class Holdfast extends Operations {
  readonly [environmentOf]: Environment;
  readonly #connection: Connection;

  constructor(url: string, settings: ClientSettings, world = REAL_WORLD) {
    super();
    const { token, timeout = 60, attemptTimeout = 15 } = settings;
    if (!(timeout > 0) || !(attemptTimeout > 0)) {
      throw new RangeError("timeout and attemptTimeout are above 0");
    }
    // Looked up anew for each request, as instrumentation replaces it.
    const fetchNow: Fetch = (target, request) => globalThis.fetch(target, request);
    this[environmentOf] = {
      ...world,
      rule: { timeout, attemptTimeout, pauseLeast: 0.1, pauseMost: 5 },
    };
    this.#connection = {
      url: url.replace(/\/+$/, ""),
      fetch: settings.fetch ?? fetchNow,
      headers: async () => ({
        ...(token === null
          ? { [CSRF_HEADER]: "1" }
          : { authorization: `Bearer ${(typeof token === "string" ? token : await token()).trim()}` }),
        accept: "application/json",
        ...(isBrowser ? {} : { "user-agent": `holdfast-typescript/${VERSION}` }),
      }),
    };
  }

  // --- tasks ---

  /**
   * Makes a task. With an `id` of your own the call may be repeated for as long as the queue knows
   * the task. `delay` is the number of seconds, and `run_at` the time, before which no worker gets
   * it. `unique_key` allows one live task of the queue; another one gets the id of that, or
   * `already_exists` with `reject_duplicate`.
   *
   * Codes of errors: `not_found` (no such queue), `payload_invalid`, `already_exists` (the id
   * belongs to a task of another queue), `overloaded` (the queue is full, also after all
   * repetitions).
   */
  async enqueue(
    queue: string,
    type: string,
    body: unknown,
    more: NewTask = {},
    options: TraceOptions = {},
  ): Promise<TaskMade> {
    const { traceparent } = options;
    const members = { ...more, type, body: body ?? null };
    const parts = { path: [queue], members, headers: { traceparent } };
    return (await this.call(MAKE_TASKS, parts, options)) as TaskMade;
  }

  /**
   * Makes many tasks; returns one outcome for each, in their order. A task without an `id` gets one
   * here. An outcome has the id as `task`, or the error as `code` and `detail`: a bad task harms no
   * other. Requests hold 1,000 tasks and 4 MiB each.
   */
  async enqueueMany(
    queue: string,
    tasks: Iterable<TaskRequest>,
    options: TraceOptions = {},
  ): Promise<TaskOutcome[]> {
    const { traceparent } = options;
    const named = Array.from(tasks, (one) => this.#named(one));
    const ids = named.map(({ id }) => id);
    const texts = named.map(encodeJson);
    return this.sendItems(
      MAKE_TASKS,
      queue,
      (items) => `{"tasks":[${items}]}`,
      texts,
      ids,
      options,
      { traceparent },
    );
  }

  /** Makes tasks of job envelopes. `job_id` in the header of an envelope is the id of its task. */
  async enqueueManyEnvelopes(
    queue: string,
    envelopes: Iterable<TaskEnvelope>,
    options: CallOptions = {},
  ): Promise<TaskOutcome[]> {
    const texts = Array.from(envelopes, encodeJson);
    const text = (items: string): string => `{"envelopes":[${items}]}`;
    return this.sendItems(MAKE_ENVELOPES, queue, text, texts, [], options);
  }

  /** Makes a task, or many. Those of many get ids here, so that the request is repeatable. */
  override makeTasks(
    queue: string,
    request: MakeTasksRequest,
    options?: CallOptions,
  ): Promise<TasksMade> {
    const tasks = request.tasks?.map((one) => this.#named(one));
    return super.makeTasks(queue, tasks === undefined ? request : { ...request, tasks }, options);
  }

  /** As `claimTasks`; an empty list when no task is ready within `wait` seconds (0 to 60). */
  async claim(
    queue: string,
    request: ClaimTasksRequest = {},
    options: CallOptions = {},
  ): Promise<LeasedTask[]> {
    return (await this.claimAnswer(queue, request, options)).tasks;
  }

  /** As `claim`, with the object of the answer, whose text `textAt` has. */
  async claimAnswer(
    queue: string,
    request: ClaimTasksRequest = {},
    options: CallOptions = {},
  ): Promise<LeasedTasks> {
    try {
      return (await this.claimTasks(queue, { wait: 0, ...request }, options)) ?? { tasks: [] };
    } catch (error) {
      if (error instanceof HoldfastError && error.code === "no_unit_available") {
        return { tasks: [] };
      }
      throw error;
    }
  }

  /**
   * Completes a task. `follow` is a task that is made in the same commit and leased to the same
   * worker; the answer has it as `follower`. To repeat a request with `follow` in a later call,
   * give that task an `id` and name a `claim`.
   *
   * Codes of errors: `lease_not_held`, `stale_token`, `lease_expired` and `not_found` (the lease is
   * over: drop the work), `payload_invalid`, `too_large`.
   */
  override completeTask(
    id: string,
    request: CompleteTaskRequest,
    options?: CallOptions,
  ): Promise<TaskCompleted> {
    const follow = request.follow && this.#named(request.follow);
    return super.completeTask(id, follow ? { ...request, follow } : request, options);
  }

  /**
   * Reports about many leased tasks; returns one outcome for each, in their order. Each report is
   * about another task, an object or its JSON. A report that was refused has the error as `code`
   * and `detail`.
   */
  async reportMany(
    queue: string,
    reports: readonly (TaskReport | JsonText)[],
    options: ReportOptions = {},
  ): Promise<TaskOutcome[]> {
    const { worker } = options;
    const head = worker === undefined ? "" : `"worker":${encodeJson(worker)},`;
    const ids = reports.map((one) => (one instanceof JsonText ? "" : one.task));
    return this.sendItems(
      REPORT_TASKS,
      queue,
      (items) => `{${head}"outcomes":[${items}]}`,
      reports.map(encodeJson),
      ids,
      options,
    );
  }

  // --- people ---

  /** Leases a unit of a step to a contributor; undefined when the step has none for them now. */
  async assign(
    request: { step_id: string; contributor_id?: string; id?: string },
    options: CallOptions = {},
  ): Promise<Assignment | undefined> {
    try {
      return await this.askAssignment(request, options);
    } catch (error) {
      if (error instanceof HoldfastError && error.code === "no_unit_available") return undefined;
      throw error;
    }
  }

  /**
   * Adds units of source data to the first step of a workflow, in as many requests as it takes. A
   * row whose key is there already is left as it is, so the call may be repeated. The answer counts
   * the rows and names the bad ones as `problems`.
   */
  async addManyRows(
    stepId: string,
    rows: Iterable<SourceRow>,
    options: CallOptions = {},
  ): Promise<SourceDataAdded> {
    return this.addRows(SOURCE_DATA, stepId, rows, options);
  }

  /** Adds test questions to a step, otherwise as `addManyRows`. */
  async addManyTestQuestions(
    stepId: string,
    questions: Iterable<TestQuestion>,
    options: CallOptions = {},
  ): Promise<SourceDataAdded> {
    return this.addRows(TEST_QUESTIONS, stepId, questions, options);
  }

  /**
   * All results of a step as the node writes them: a CSV file, or one JSON object on each line. The
   * pieces are bytes of UTF-8 and end anywhere. Begins by the retry rule; a stream that is cut
   * rejects, and is to be begun again.
   */
  streamResults(
    stepId: string,
    format: "csv" | "ndjson",
    options: CallOptions = {},
  ): AsyncGenerator<Uint8Array, void> {
    const path = `/v1/job-steps/${encodeURIComponent(stepId)}/results`;
    const accept = format === "csv" ? "text/csv" : "application/x-ndjson";
    const environment = this.environmentFor(options);
    return streamList(this.#connection, environment, path, accept, options.signal);
  }

  // --- events ---

  /**
   * The events of all shards as they happen, without an end: a stream that is lost is opened again
   * behind its last event. `onConnection` tells of that. Rejects with errors that last, such as
   * `not_allowed`, and `events_gone` where `lastId` is older than the events that are kept.
   */
  async *followEvents(
    filter: EventFilter = {},
    options: FollowOptions = {},
  ): AsyncGenerator<FollowedEvent, void> {
    for await (const { data, id } of this.followPath("/v1/events", filter, options)) {
      yield { ...(parseAnswer(data) as ListedEvent), cursor: id };
    }
  }

  /** Follows a stream of server-sent events at a path of the API. */
  followPath(
    path: string,
    query: object,
    options: FollowOptions = {},
  ): AsyncGenerator<ServerSentEvent, void> {
    const route: Route = { method: "GET", path, query: Object.keys(query) };
    const request = requestOf(route, { path: [], members: query }, this[environmentOf].makeId);
    const target = request.query.length > 0 ? `${path}?${queryText(request.query)}` : path;
    return followStream(this.#connection, this.environmentFor(options), target, options);
  }

  // --- sessions of pages ---

  /**
   * Exchanges a token, or the secret of a sign-in link, for the session cookie of a browser. A link
   * works once: the call is not to be repeated with it.
   */
  async signIn(
    credential: { token: string } | { link: string },
    options: CallOptions = {},
  ): Promise<PageSession> {
    const parts = { path: [], members: credential };
    return pageSessionOf((await this.call(SIGN_IN, parts, options)) as PageSession);
  }

  /** The session of the cookie, or the principal of the token; undefined: nobody is signed in. */
  async getSession(options: CallOptions = {}): Promise<PageSession | undefined> {
    const answer = await this.call(GET_SESSION, { path: [] }, options);
    return answer === undefined ? undefined : pageSessionOf(answer as PageSession);
  }

  /** Ends the session of the cookie, for good. */
  async signOut(options: CallOptions = {}): Promise<void> {
    await this.call(SIGN_OUT, { path: [] }, options);
  }

  // --- requests ---

  protected override async call(
    route: Route,
    parts: Parts,
    options: CallOptions = {},
  ): Promise<unknown> {
    const environment = this.environmentFor(options);
    const request = requestOf(route, parts, environment.makeId);
    return valueOf(await send(this.#connection, environment, request, options.signal));
  }

  /** The task with an id. */
  #named(task: TaskRequest): TaskRequest & { id: string } {
    return { ...task, id: task.id ?? this[environmentOf].makeId() };
  }

  private environmentFor({ timeout }: CallOptions): Environment {
    const environment = this[environmentOf];
    if (timeout === undefined) return environment;
    if (!(timeout > 0)) throw new RangeError("timeout is above 0");
    return { ...environment, rule: { ...environment.rule, timeout } };
  }

  private sendItems(
    route: Route,
    queue: string,
    textOf: (items: string) => string,
    texts: readonly string[],
    ids: readonly string[],
    options: ReportOptions,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<TaskOutcome[]> {
    const ask = async (items: string): Promise<readonly TaskOutcome[]> => {
      const parts = { path: [queue], text: textOf(items), headers };
      return ((await this.call(route, parts, options)) as TaskOutcomes).outcomes;
    };
    return sendEach(
      this.environmentFor(options),
      texts,
      options.repeat ?? true,
      ask,
      (place, { code, detail }) => ({ task: ids[place] ?? "", code, detail, repeated: false }),
      options.signal,
    );
  }

  private async addRows(
    route: Route,
    stepId: string,
    rows: Iterable<unknown>,
    options: CallOptions,
  ): Promise<SourceDataAdded> {
    const added: SourceDataAdded = { added: 0, already_there: 0, problems: [] };
    const texts = Array.from(rows, encodeJson);
    for (const part of partsOf(texts)) {
      const text = `{"rows":[${part.map((place) => texts[place]).join(",")}]}`;
      const parts = { path: [stepId], text };
      const answer = (await this.call(route, parts, options)) as SourceDataAdded;
      added.added += answer.added;
      added.already_there += answer.already_there;
      for (const problem of answer.problems) {
        added.problems.push({ ...problem, row: part[problem.row] ?? problem.row });
      }
    }
    return added;
  }
}
