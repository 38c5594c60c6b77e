/** The client of this page: it sees lost connections at once, and shows the quiet line meanwhile. */

import { Holdfast, type Fetch } from "holdfast";

import { requestsFail } from "../common/ui/frame.js";

/** A person waits for no longer before the call is made anew. Seconds. */
const CALL_TIMEOUT = 20;
/** A request without an answer for so long, beyond its own wait, shows as a lost connection. */
const SILENCE_SECONDS = 4;

const watched: Fetch = async (url, request) => {
  const wait = Number(/[?&]wait=([\d.]+)/.exec(url)?.[1] ?? 0);
  const timer = setTimeout(() => requestsFail.set(true), (wait + SILENCE_SECONDS) * 1000);
  try {
    const answer = await fetch(url, request);
    requestsFail.set(answer.status >= 502);
    return answer;
  } catch (error) {
    if (!request.signal.aborted) requestsFail.set(true);
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

export const client = new Holdfast(location.origin, {
  token: null,
  timeout: CALL_TIMEOUT,
  fetch: watched,
});

/** For requests of a page that is being left: they are sent even so. */
export const lastClient = new Holdfast(location.origin, {
  token: null,
  timeout: CALL_TIMEOUT,
  fetch: (url, request) => fetch(url, { ...request, keepalive: true }),
});
