import type { HoldfastError } from "holdfast";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { texts } from "../../texts/common.js";
import { sentenceOf } from "../api.js";
import { openSession, session, signIn, signOut } from "../session.js";
import { useSignal } from "../signal.js";
import { Button } from "./button.js";
import { TextField } from "./field.js";
import { Frame } from "./frame.js";

/** Seconds between tries to reach a node that does not answer. */
const TRY_SECONDS = 3;

function problemText(problem: HoldfastError, isOfLink: boolean): string {
  if (problem.status === 429) return texts.signIn.slowed;
  if (problem.status !== 401) return sentenceOf(problem);
  return isOfLink ? texts.signIn.linkRefused : texts.signIn.refused;
}

function SignInForm(props: { problem: HoldfastError | undefined; isOfLink: boolean }): VNode {
  const [token, setToken] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    if (busy || token.trim() === "") return;
    setBusy(true);
    const isGood = await signIn({ token: token.trim() });
    setBusy(false);
    if (isGood) setToken("");
  };
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h1>{texts.signIn.title}</h1>
      <TextField
        label={texts.signIn.token}
        hint={texts.signIn.tokenHint}
        problem={
          props.problem === undefined ? undefined : problemText(props.problem, props.isOfLink)
        }
        type="password"
        autocomplete="off"
        spellcheck={false}
        required
        value={token}
        onValue={setToken}
      />
      <Button kind="main" type="submit" busy={busy}>
        {busy ? texts.signIn.buttonBusy : texts.signIn.button}
      </Button>
    </form>
  );
}

/**
 * Shows its children to a person who is signed in with one of `roles`, and the form to sign in to
 * all others. The API decides what a role may do; this only spares people a page full of refusals.
 */
export function SignInGate(props: {
  name: string;
  home: string;
  roles: readonly string[];
  children: ComponentChildren;
}): VNode {
  const now = useSignal(session);
  useEffect(() => {
    if (now.state === "unknown") void openSession();
    if (now.state !== "unreachable") return undefined;
    const timer = setTimeout(() => void openSession(), TRY_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [now]);
  const mayEnter =
    now.state === "open" && now.session.roles.some((role) => props.roles.includes(role));
  if (mayEnter) return <>{props.children}</>;
  return (
    <Frame title={texts.signIn.title} name={props.name} home={props.home}>
      {now.state === "unknown" && <p class="loading">{texts.loading}</p>}
      {now.state === "unreachable" && (
        <p class="notice" role="status">
          {texts.signIn.unreachable}
        </p>
      )}
      {now.state === "none" && <SignInForm problem={now.problem} isOfLink={now.isOfLink ?? false} />}
      {now.state === "open" && (
        <div class="notice" role="alert">
          <p>{texts.signIn.wrongRole(now.session.role)}</p>
          <Button onClick={() => void signOut()}>{texts.signIn.signOut}</Button>
        </div>
      )}
    </Frame>
  );
}
