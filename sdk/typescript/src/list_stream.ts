/** Whole lists as streams of bytes. */

import {
  Deadline,
  pause,
  refusalOf,
  type Connection,
  type Environment,
  type FetchAnswer,
} from "./calls.js";
import { HoldfastError, NoAnswerError } from "./errors.js";

/** A stream that brings nothing for so long is lost. Seconds. */
const SILENCE_MOST = 60;

/**
 * The bytes of a list. A request without an answer, or with one that says to come again, is
 * repeated by the retry rule; a list that is cut rejects with `NoAnswerError`.
 */
export async function* streamList(
  connection: Connection,
  environment: Environment,
  target: string,
  accept: string,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const deadline = new Deadline(environment);
  const aborter = new AbortController();
  const aborted = (): void => aborter.abort(signal?.reason);
  signal?.addEventListener("abort", aborted, { once: true });
  let stopTimer = (): void => undefined;
  try {
    let answer: FetchAnswer;
    for (;;) {
      signal?.throwIfAborted();
      const error = await open().catch((problem: unknown) => {
        signal?.throwIfAborted();
        if (problem instanceof HoldfastError) return problem;
        return new NoAnswerError(`GET ${target}: ${String(problem)}`);
      });
      if (!(error instanceof HoldfastError)) {
        answer = error;
        break;
      }
      if (!(error instanceof NoAnswerError) && !error.retryable) throw error;
      const seconds = deadline.pauseAfterFailure(error.retryAfter);
      if (seconds === undefined) throw error;
      await pause(environment, seconds, signal);
    }
    const reader = answer.body?.getReader();
    if (reader === undefined) throw new NoAnswerError(`GET ${target}: no body`);
    for (;;) {
      stopTimer();
      stopTimer = environment.schedule(SILENCE_MOST, () => aborter.abort());
      const { done, value } = await reader.read().catch((problem: unknown) => {
        signal?.throwIfAborted();
        throw new NoAnswerError(`GET ${target}: the list is cut: ${String(problem)}`);
      });
      if (done) return;
      yield value;
    }
  } finally {
    stopTimer();
    signal?.removeEventListener("abort", aborted);
    aborter.abort(); // a caller that stops reading closes the connection
  }

  async function open(): Promise<FetchAnswer> {
    const attempt = new AbortController();
    const forward = (): void => attempt.abort(aborter.signal.reason);
    aborter.signal.addEventListener("abort", forward, { once: true });
    stopTimer = environment.schedule(environment.rule.attemptTimeout, () => attempt.abort());
    try {
      const answer = await connection.fetch(`${connection.url}${target}`, {
        method: "GET",
        headers: { ...(await connection.headers()), accept },
        signal: attempt.signal,
        redirect: "manual",
        cache: "no-store",
      });
      if (answer.status !== 200) throw await refusalOf(answer);
      return answer;
    } finally {
      stopTimer();
    }
  }
}
