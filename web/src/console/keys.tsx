/** The keys of the console. */

import { Fragment, type VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import { useKeys } from "../common/keys.js";
import { go } from "../common/router.js";
import { Dialog } from "../common/ui/index.js";
import { texts } from "../texts/console.js";
import { places } from "./places.js";
import { refreshAll } from "../common/view.js";

/** The key behind `g` that leads to a section. */
const SECTION_KEYS: readonly (readonly [key: string, place: string, text: string])[] = [
  ["o", places.overview, texts.nav.overview],
  ["q", places.queues, texts.nav.queues],
  ["w", places.workflows, texts.nav.workflows],
  ["s", places.steps, texts.nav.steps],
  ["p", places.people, texts.nav.people],
  ["e", places.events, texts.nav.events],
  ["h", places.webhooks, texts.nav.webhooks],
  ["c", places.cluster, texts.nav.cluster],
  ["t", places.tokens, texts.nav.tokens],
  ["a", places.audit, texts.nav.audit],
];

/** The second key follows the first within this time. Milliseconds. */
const SECOND_KEY_TIME = 2000;

function focusFilter(): void {
  const field = document.querySelector("#content .filter-bar :is(input, select)");
  if (field instanceof HTMLElement) field.focus();
}

/** `j` and `k` go through the rows of a list by the link of each. */
function moveRow(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("#content tbody th a")];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by;
  links[Math.min(Math.max(next, 0), links.length - 1)]?.focus();
}

export function useConsoleKeys(): { isOpen: boolean; open: () => void; close: () => void } {
  const [isOpen, setOpen] = useState(false);
  const goPressed = useRef(-Infinity);
  const second =
    (work?: () => void, alone?: () => void): (() => void) =>
    () => {
      const isSecond = performance.now() - goPressed.current < SECOND_KEY_TIME;
      goPressed.current = -Infinity;
      if (isSecond && work !== undefined) work();
      else if (!isSecond) alone?.();
    };
  const sections = SECTION_KEYS.map(([key, place]) => [key, second(() => go(place))] as const);
  useKeys(
    {
      ...Object.fromEntries(sections),
      g: () => {
        goPressed.current = performance.now();
      },
      j: second(undefined, () => moveRow(1)),
      k: second(undefined, () => moveRow(-1)),
      r: second(undefined, refreshAll),
      "/": focusFilter,
      "?": () => setOpen(true),
      Escape: () => {
        const { activeElement } = document;
        if (activeElement instanceof HTMLElement) activeElement.blur();
      },
    },
    ["Escape"],
  );
  return { isOpen, open: () => setOpen(true), close: () => setOpen(false) };
}

/** All keys. */
export function KeyHelp(props: { onClose: () => void }): VNode {
  const rows: readonly (readonly [keys: readonly string[], text: string])[] = [
    [["/"], texts.keys.filter],
    [["Esc"], texts.keys.leave],
    [["r"], texts.keys.refresh],
    [["j"], texts.keys.nextRow],
    [["k"], texts.keys.previousRow],
    [["Enter"], texts.keys.openRow],
    [["?"], texts.keys.help],
    ...SECTION_KEYS.map(([key, , text]) => [["g", key], text] as const),
  ];
  return (
    <Dialog title={texts.keys.title} onClose={props.onClose}>
      <dl class="facts">
        {rows.map(([keys, text]) => (
          <Fragment key={text}>
            <dt>
              {keys.map((key, place) => (
                <Fragment key={key}>
                  {place > 0 && ` ${texts.keys.then} `}
                  <kbd>{key}</kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
