/** A client of Holdfast: durable, leased work for people and programs. */

export type { CallOptions, Fetch, FetchAnswer, FetchRequest } from "./calls.js";
export {
  Holdfast,
  type ClientSettings,
  type EventFilter,
  type FollowedEvent,
  type NewTask,
  type PageSession,
  type ReportOptions,
  type TaskMade,
  type TraceOptions,
} from "./client.js";
export { ContributorSession, type NextOptions } from "./contributor.js";
export { HoldfastError, NoAnswerError, type ErrorPlace } from "./errors.js";
export type { FollowOptions, ServerSentEvent } from "./event_stream.js";
export type * from "./generated.js";
export { JsonText, encodeJson, parseJson, textAt } from "./json.js";
export { VERSION } from "./version.js";
export {
  GiveBack,
  PermanentFailure,
  RateLimited,
  Task,
  TaskFailure,
  TransientFailure,
  Worker,
  type GiveBackUpdate,
  type Handler,
  type RunSettings,
  type WorkerSettings,
} from "./worker.js";
export type { CancelReason, Counts, FailureKind, Update } from "./worker_core.js";
