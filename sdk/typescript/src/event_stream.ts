/** Streams of server-sent events, kept open. */

import {
  Deadline,
  pause,
  type CallOptions,
  type Connection,
  type Environment,
  type FetchAnswer,
} from "./calls.js";
import { HoldfastError, NoAnswerError } from "./errors.js";
import { parseAnswer } from "./json.js";

/** A quiet stream has a comment every 15 seconds; one without three of them is lost. Seconds. */
const SILENCE_MOST = 45;

/** Text that has come of one event may not be longer, whatever stands in front of the node. */
const EVENT_CHARACTERS_MOST = 32 * 1024 * 1024;

/** One event as it came. */
export interface ServerSentEvent {
  /** The type. */
  readonly event: string;
  readonly data: string;
  /** The place behind the event. */
  readonly id: string;
}

/** Takes the text of a stream in pieces of any size; the format is that of the HTML standard. */
export class EventTextParser {
  /** The place of the last event; also comments and empty events move it. */
  lastId = "";
  /** Milliseconds that the node asks clients to wait before they come again. */
  retry: number | undefined;
  #rest = "";
  #event = "";
  #data: string[] = [];

  /** Returns the events that the piece completes. */
  take(piece: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    const text = this.#rest + piece;
    // The second half of a line end may be in the next piece.
    const whole = text.endsWith("\r") ? text.length - 1 : text.length;
    const lines = text.slice(0, whole).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? "") + text.slice(whole);
    for (const line of lines) {
      if (line !== "") {
        this.#field(line);
        continue;
      }
      if (this.#data.length > 0) {
        const event = this.#event === "" ? "message" : this.#event;
        events.push({ event, data: this.#data.join("\n"), id: this.lastId });
      }
      this.#event = "";
      this.#data = [];
    }
    if (this.#rest.length > EVENT_CHARACTERS_MOST) throw new RangeError("an event is too long");
    return events;
  }

  #field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.lastId = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }
}

export interface FollowOptions extends CallOptions {
  /** The place behind which the stream begins, as in `Last-Event-ID`. */
  lastId?: string | undefined;
  /** Told when the stream is open, and when it is lost until it is open again. */
  onConnection?: ((open: boolean) => void) | undefined;
}

/**
 * The events of a stream, without an end. A lost stream is opened again behind its last event,
 * after pauses that grow. Rejects with errors that a repetition does not mend, such as
 * `not_allowed` and `events_gone`.
 */
export async function* followStream(
  connection: Connection,
  environment: Environment,
  target: string,
  { signal, lastId = "", onConnection }: FollowOptions,
): AsyncGenerator<ServerSentEvent, void> {
  // Without an end: the deadline only makes the pauses.
  const endless = { ...environment, rule: { ...environment.rule, timeout: Infinity } };
  let last = lastId;
  let deadline = new Deadline(endless);
  for (;;) {
    signal?.throwIfAborted();
    const aborter = new AbortController();
    const aborted = (): void => aborter.abort(signal?.reason);
    signal?.addEventListener("abort", aborted, { once: true });
    let stopTimer = environment.schedule(environment.rule.attemptTimeout, () => aborter.abort());
    let retryAfter: number | undefined;
    try {
      const headers: Record<string, string> = {
        ...(await connection.headers()),
        accept: "text/event-stream",
        ...(last === "" ? {} : { "last-event-id": last }),
      };
      const answer = await connection.fetch(`${connection.url}${target}`, {
        method: "GET",
        headers,
        signal: aborter.signal,
        redirect: "manual",
        cache: "no-store",
      });
      const { body } = answer;
      if (answer.status !== 200 || !body) throw await refusalOf(answer);
      onConnection?.(true);
      deadline = new Deadline(endless);
      const parser = new EventTextParser();
      parser.lastId = last;
      const reader = body.getReader();
      const decoder = new TextDecoder();
      for (;;) {
        stopTimer();
        stopTimer = environment.schedule(SILENCE_MOST, () => aborter.abort());
        const { done, value } = await reader.read();
        if (done) break;
        for (const event of parser.take(decoder.decode(value, { stream: true }))) {
          if (event.event === "problem") throw problemOf(event.data);
          yield event;
          last = event.id;
        }
        last = parser.lastId;
        retryAfter = parser.retry === undefined ? undefined : parser.retry / 1000;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof HoldfastError) {
        if (!error.retryable) throw error;
        retryAfter = error.retryAfter;
      }
    } finally {
      stopTimer();
      signal?.removeEventListener("abort", aborted);
      aborter.abort(); // a caller that stops reading closes the connection
    }
    onConnection?.(false);
    await pause(environment, deadline.pauseAfterFailure(retryAfter) ?? 0, signal);
  }
}

/** The error that a problem document tells. */
function problemOf(text: string, status = 0): HoldfastError {
  const problem = parseAnswer(text) as { code?: unknown; detail?: unknown; retryable?: unknown };
  return new HoldfastError(String(problem.code), status, String(problem.detail ?? ""), {
    retryable: problem.retryable === true,
  });
}

async function refusalOf(answer: FetchAnswer): Promise<HoldfastError> {
  const text = await answer.text();
  try {
    return problemOf(text, answer.status);
  } catch {
    // Not from a node, but from something in front of it.
    return new NoAnswerError(`the stream was answered with status ${answer.status}`);
  }
}
