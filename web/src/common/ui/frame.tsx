import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";

import { texts } from "../../texts/common.js";
import { lostStreams } from "../live.js";
import { session, signOut } from "../session.js";
import { Signal, useSignal } from "../signal.js";
import { setTheme, theme, type Theme } from "../theme.js";
import { Button } from "./button.js";
import { Toasts } from "./toast.js";

export interface FrameLink {
  href: string;
  text: string;
  current: boolean;
}

/** A page says so itself where its requests get no answer, besides lost streams. */
export const requestsFail = new Signal(false);

function QuietLine(): VNode {
  const lost = useSignal(lostStreams) > 0;
  const fails = useSignal(requestsFail);
  return (
    <div class="quiet-line" role="status" aria-live="polite">
      {(lost || fails) && <span>{texts.connectionLost}</span>}
    </div>
  );
}

function ThemeChoice(): VNode {
  const now = useSignal(theme);
  return (
    <select
      aria-label={texts.theme.label}
      value={now}
      onChange={(event) => setTheme(event.currentTarget.value as Theme)}
    >
      <option value="system">{texts.theme.system}</option>
      <option value="light">{texts.theme.light}</option>
      <option value="dark">{texts.theme.dark}</option>
    </select>
  );
}

function Person(): VNode | null {
  const now = useSignal(session);
  if (now.state !== "open") return null;
  const { role, contributor, worker } = now.session;
  return (
    <span class="person">
      <span>{texts.signIn.signedInAs(role, contributor ?? worker)}</span>
      <Button kind="quiet" onClick={() => void signOut()}>
        {texts.signIn.signOut}
      </Button>
    </span>
  );
}

/** Head, navigation, quiet line and toasts around a page. `title` becomes that of the window. */
export function Frame(props: {
  title: string;
  name: string;
  home: string;
  links?: readonly FrameLink[];
  children: ComponentChildren;
}): VNode {
  const { title, name, links = [] } = props;
  useEffect(() => {
    document.title = title === name ? `${name} · Holdfast` : `${title} · ${name} · Holdfast`;
  }, [title, name]);
  return (
    <div class="frame">
      <a
        class="skip-link"
        href="#content"
        onClick={(event) => {
          event.preventDefault(); // the part behind # is the place within the page
          document.getElementById("content")?.focus();
        }}
      >
        {texts.skipToContent}
      </a>
      <header class="frame-head">
        <a class="frame-name" href={props.home}>
          {name}
        </a>
        {links.length > 0 && (
          <nav aria-label={texts.menu}>
            <ul>
              {links.map(({ href, text, current }) => (
                <li key={href}>
                  <a href={href} aria-current={current ? "page" : undefined}>
                    {text}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        )}
        <div class="frame-end">
          <ThemeChoice />
          <Person />
        </div>
      </header>
      <QuietLine />
      <main id="content" tabIndex={-1}>
        {props.children}
      </main>
      <Toasts />
    </div>
  );
}
