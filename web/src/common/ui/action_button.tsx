import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

import { useAction } from "../load.js";
import { Button, Confirm, Notice, toast } from "./index.js";

/** A change at one press; its error stands beside it. */
export function ActionButton(props: {
  children: string;
  run: () => Promise<unknown>;
  done: string;
  onDone?: (() => void) | undefined;
  kind?: "plain" | "main" | "danger" | "quiet";
  /** Read aloud in place of the text, where the same text stands in many rows. */
  label?: string | undefined;
}): VNode {
  const action = useAction(async () => {
    await props.run();
    toast(props.done);
    props.onDone?.();
  });
  return (
    <>
      <Button
        kind={props.kind ?? "plain"}
        busy={action.busy}
        aria-label={props.label}
        onClick={() => void action.run()}
      >
        {props.children}
      </Button>
      <Notice error={action.error} />
    </>
  );
}

/** A change that is asked about first, because it ends something. */
export function ConfirmedButton(props: {
  children: string;
  title: string;
  question: ComponentChildren;
  run: () => Promise<unknown>;
  done: string;
  onDone?: (() => void) | undefined;
  danger?: boolean;
  label?: string | undefined;
}): VNode {
  const [isOpen, setOpen] = useState(false);
  const action = useAction(async () => {
    await props.run();
    setOpen(false);
    toast(props.done);
    props.onDone?.();
  });
  return (
    <>
      <Button
        kind={props.danger ? "danger" : "plain"}
        aria-label={props.label}
        onClick={() => setOpen(true)}
      >
        {props.children}
      </Button>
      {isOpen && (
        <Confirm
          title={props.title}
          action={props.children}
          danger={props.danger ?? false}
          busy={action.busy}
          error={action.error}
          onConfirm={() => void action.run()}
          onClose={() => setOpen(false)}
        >
          <p>{props.question}</p>
        </Confirm>
      )}
    </>
  );
}
