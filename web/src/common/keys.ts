/** Keyboard shortcuts of a page. */

import { useEffect, useRef } from "preact/hooks";

/** Elements that take letters themselves. */
const TYPES_TEXT = "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable]";

/**
 * Calls the handler of a pressed key: `{ "?": showHelp, Enter: handIn }`. Keys with Ctrl, Alt or
 * Meta belong to the browser; keys typed into a field belong to it, but for those in `always`.
 */
export function useKeys(
  handlers: Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>,
  always: readonly string[] = [],
): void {
  const latest = useRef(handlers);
  latest.current = handlers;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
      const handler = latest.current[event.key];
      if (handler === undefined) return;
      const inField = event.target instanceof Element && event.target.matches(TYPES_TEXT);
      if (inField && !always.includes(event.key)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      handler(event);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
