/** The session of the person at the page: a cookie that scripts cannot read. */

import { HoldfastError, type PageSession } from "holdfast";

import { api } from "./api.js";
import { go } from "./router.js";
import { Signal } from "./signal.js";

/**
 * `unknown`: not asked yet. `none`: nobody is signed in. `unreachable`: the node did not answer;
 * asked again by itself.
 */
export type SessionState =
  | { state: "unknown" }
  | { state: "unreachable" }
  | { state: "none"; problem?: HoldfastError; isOfLink?: boolean }
  | { state: "open"; session: PageSession };

export const session = new Signal<SessionState>({ state: "unknown" });

/** The secret of a sign-in link, `#link=…`; it leaves the address bar and the history at once. */
function takeLink(): string | undefined {
  const link = /^#link=([\w.~-]+)$/.exec(location.hash)?.[1];
  // Through the router: it has taken the secret for a place already, of which there is no page.
  if (link !== undefined) go("#/", { replace: true });
  return link;
}

function asHoldfastError(error: unknown): HoldfastError {
  return error instanceof HoldfastError
    ? error
    : new HoldfastError("internal", 0, error instanceof Error ? error.message : String(error));
}

/** Begins with the link of the address bar, or with the cookie that is there. */
export async function openSession(): Promise<void> {
  const link = takeLink();
  if (link !== undefined) {
    await signIn({ link });
    return;
  }
  try {
    const open = await api.getSession();
    session.set(open === undefined ? { state: "none" } : { state: "open", session: open });
  } catch (error) {
    const problem = asHoldfastError(error);
    session.set({ state: problem.status === 0 || problem.retryable ? "unreachable" : "none" });
  }
}

// A link that is opened in a tab with the page changes the part behind `#` alone.
addEventListener("hashchange", () => {
  if (location.hash.startsWith("#link=")) void openSession();
});

/** Returns whether the credential was good; the state has the problem otherwise. */
export async function signIn(credential: { token: string } | { link: string }): Promise<boolean> {
  try {
    session.set({ state: "open", session: await api.signIn(credential) });
    return true;
  } catch (error) {
    session.set({
      state: "none",
      problem: asHoldfastError(error),
      isOfLink: "link" in credential,
    });
    return false;
  }
}

/** Work that still needs the session, such as giving units back. It has an end of its own. */
export const beforeSignOut = new Set<() => Promise<void>>();

export async function signOut(): Promise<void> {
  await Promise.allSettled([...beforeSignOut].map((work) => work()));
  await api.signOut();
  session.set({ state: "none" });
}

/** For calls that were refused as 401: the session has ended meanwhile. */
export function noteRefusal(error: unknown): void {
  if (error instanceof HoldfastError && error.status === 401 && session.value.state === "open") {
    session.set({ state: "none", problem: error });
  }
}

/** Whether the present role is one of these. The API decides; pages hide controls by it. */
export function mayAs(...roles: string[]): boolean {
  const now = session.value;
  return now.state === "open" && now.session.roles.some((one) => roles.includes(one));
}
