import type { UnitCorrected } from "holdfast";
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

import { useAction } from "../../common/load.js";
import { Button, Dialog, Notice, TextArea, toast } from "../../common/ui/index.js";
import { texts as sharedTexts } from "../../texts/common.js";
import { texts } from "../../texts/console.js";

/** A correction at the press of a button, once its form has a reason. */
export function CorrectionButton(props: {
  children: string;
  /** Read aloud in place of the text, where the same text stands in many rows. */
  label?: string | undefined;
  title: string;
  note: string;
  danger?: boolean;
  /** Further fields, before the reason. */
  fields?: ComponentChildren;
  /** What is wrong with these; undefined: nothing. */
  problem?: string | undefined;
  run: (reason: string) => Promise<UnitCorrected>;
  done: string;
  onDone: () => void;
}): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        kind={props.danger ? "danger" : "plain"}
        aria-label={props.label}
        onClick={() => setOpen(true)}
      >
        {props.children}
      </Button>
      {isOpen && <CorrectionForm {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function CorrectionForm(
  props: Parameters<typeof CorrectionButton>[0] & { onClose: () => void },
): VNode {
  const t = texts.unit.correct;
  const [reason, setReason] = useState("");
  const [wasSent, setSent] = useState(false);
  const action = useAction(async () => {
    const { changed } = await props.run(reason.trim());
    props.onClose();
    toast(changed ? props.done : t.nothing);
    props.onDone();
  });
  const missing = reason.trim() === "" ? t.reasonMissing : undefined;
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          setSent(true);
          if (missing === undefined && props.problem === undefined) void action.run();
        }}
      >
        <p>{props.note}</p>
        {props.fields}
        {wasSent && props.problem !== undefined && <Notice error={new Error(props.problem)} />}
        <TextArea
          label={t.reason}
          hint={t.reasonHint}
          problem={wasSent ? missing : undefined}
          maxLength={512}
          rows={3}
          value={reason}
          onValue={setReason}
        />
        <Notice error={action.error} />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{sharedTexts.cancel}</Button>
          <Button kind={props.danger ? "danger" : "main"} type="submit" busy={action.busy}>
            {props.children}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
