import type { QueueActionFilter, QueueActionView } from "holdfast";
import { Fragment, type VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import { count, shortId } from "../../common/format.js";
import { useAction, useLoad } from "../../common/load.js";
import { Button, Dialog, LoadState, Notice, toast } from "../../common/ui/index.js";
import { texts as sharedTexts } from "../../texts/common.js";
import { texts } from "../../texts/console.js";
import { places } from "../places.js";
import { refusedOf, verbOf, type ActionKind } from "./action_model.js";
import { countMatching, runAction } from "./bulk_actions.js";

function Matching({ view }: { view: QueueActionView }): VNode {
  const sample = view.sample.filter((id) => id !== null) as string[];
  return (
    <>
      <p role="status">{texts.bulk.matching(count(view.matched), view.at_least)}</p>
      {sample.length > 0 && (
        <p class="soft">
          {texts.bulk.first}{" "}
          {sample.map((id, place) => (
            <Fragment key={id}>
              {place > 0 && ", "}
              <a href={places.task(id)} class="mono" title={id}>
                {shortId(id)}
              </a>
            </Fragment>
          ))}
        </p>
      )}
    </>
  );
}

/** How an action ended, in one line. */
function endOf(view: QueueActionView): string {
  const { stopped, failed, done } = texts.bulk;
  const how = view.status === "stopped" ? stopped : view.status === "failed" ? failed : done;
  return how(verbOf(view.action), count(view.changed), count(refusedOf(view)));
}

/** Asks before a change of many tasks, with their number, and shows its progress. */
export function ActionDialog(props: {
  queue: string;
  kind: ActionKind;
  filter: QueueActionFilter;
  /** The tasks, in words. */
  words: string;
  onClose: () => void;
}): VNode {
  const { queue, kind, filter, words, onClose } = props;
  const matching = useLoad(
    (signal) => countMatching(queue, kind, filter, signal),
    [queue, kind, JSON.stringify(filter)],
  );
  const [progress, setProgress] = useState<QueueActionView | undefined>(undefined);
  const stopper = useRef(new AbortController());
  const action = useAction(async () => {
    const end = await runAction(queue, kind, filter, stopper.current.signal, setProgress);
    if (end.status === "failed") throw new Error(end.problem ?? endOf(end));
    toast(endOf(end));
    onClose();
  });
  const close = (): void => {
    if (action.busy) stopper.current.abort();
    else onClose();
  };
  return (
    <Dialog title={texts.bulk.titles[kind]} onClose={close}>
      <p class="break">{texts.bulk.question[kind](words, queue)}</p>
      {progress === undefined ? (
        <LoadState loaded={matching}>{(view) => <Matching view={view} />}</LoadState>
      ) : (
        <p role="status">{texts.bulk.soFar(count(progress.changed), count(refusedOf(progress)))}</p>
      )}
      <Notice error={action.error} />
      <div class="dialog-actions">
        <Button onClick={close}>{action.busy ? texts.bulk.stop : sharedTexts.cancel}</Button>
        <Button
          kind={kind === "cancel" ? "danger" : "main"}
          busy={action.busy}
          onClick={() => void action.run()}
        >
          {texts.bulk.titles[kind]}
        </Button>
      </div>
    </Dialog>
  );
}
