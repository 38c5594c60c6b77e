import type { VNode } from "preact";

import { Signal, useSignal } from "../signal.js";

const SHOWN_SECONDS = 6;

interface Toast {
  number: number;
  text: string;
}

const toasts = new Signal<readonly Toast[]>([]);
let made = 0;

/** Tells that a change was made. Errors belong beside their control: `Notice`. */
export function toast(text: string): void {
  const number = ++made;
  toasts.set([...toasts.value, { number, text }]);
  setTimeout(
    () => toasts.set(toasts.value.filter((one) => one.number !== number)),
    SHOWN_SECONDS * 1000,
  );
}

export function Toasts(): VNode {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useSignal(toasts).map(({ number, text }) => (
        <p key={number} class="toast">
          {text}
        </p>
      ))}
    </div>
  );
}
