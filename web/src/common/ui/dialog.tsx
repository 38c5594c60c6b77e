import type { ComponentChildren, VNode } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { texts } from "../../texts/common.js";
import { Button } from "./button.js";
import { Notice } from "./notice.js";

/**
 * A modal dialog: the browser keeps the focus in it, gives it back afterwards, and closes it on
 * Escape. Present it only while it is open.
 */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}): VNode {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    const opener = document.activeElement;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      // Chromium gives the focus back only to elements that are still there.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={props.wide ? "dialog dialog-wide" : "dialog"}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{props.title}</h2>
        <Button kind="quiet" aria-label={texts.close} onClick={props.onClose}>
          ✕
        </Button>
      </header>
      <div class="dialog-body">{props.children}</div>
    </dialog>
  );
}

/** Asks before a change that cannot be taken back. */
export function Confirm(props: {
  title: string;
  action: string;
  danger?: boolean;
  busy?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}): VNode {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      {props.children}
      <Notice error={props.error} />
      <div class="dialog-actions">
        <Button onClick={props.onClose}>{texts.cancel}</Button>
        <Button
          kind={props.danger ? "danger" : "main"}
          busy={props.busy ?? false}
          onClick={props.onConfirm}
        >
          {props.action}
        </Button>
      </div>
    </Dialog>
  );
}
