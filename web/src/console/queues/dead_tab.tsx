import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import { isAbort } from "../../common/api.js";
import { count, shortId } from "../../common/format.js";
import { useAction } from "../../common/load.js";
import {
  Button,
  Dialog,
  LoadState,
  Notice,
  Table,
  Time,
  toast,
  type Column,
} from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { texts as sharedTexts } from "../../texts/common.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";
import { deadOf, groupsOf, redrive, type DeadGroup } from "./dead_letters.js";

interface Chosen {
  filter: { type?: string; error_code?: string };
  /** The tasks, in words. */
  words: string;
}

function RedriveDialog(props: { queue: string; chosen: Chosen; onClose: () => void }): VNode {
  const [done, setDone] = useState(0);
  const aborter = useRef(new AbortController());
  const action = useAction(async () => {
    try {
      const all = await redrive(props.queue, props.chosen.filter, aborter.current.signal, setDone);
      toast(texts.dead.redriven(count(all)));
      props.onClose();
    } catch (error) {
      if (!isAbort(error)) throw error;
      props.onClose();
    }
  });
  const close = (): void => {
    if (action.busy) aborter.current.abort();
    else props.onClose();
  };
  return (
    <Dialog title={texts.dead.title} onClose={close}>
      <p class="break">{texts.dead.question(props.chosen.words, props.queue)}</p>
      <p role="status">{action.busy && texts.dead.soFar(count(done))}</p>
      <Notice error={action.error} />
      <div class="dialog-actions">
        <Button onClick={close}>{action.busy ? texts.dead.stop : sharedTexts.cancel}</Button>
        <Button kind="main" busy={action.busy} onClick={() => void action.run()}>
          {texts.dead.redrive}
        </Button>
      </div>
    </Dialog>
  );
}

export function DeadTab({ queue }: { queue: string }): VNode {
  const loaded = useView((signal) => deadOf(queue, signal), [queue]);
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const columns: readonly Column<DeadGroup>[] = [
    {
      key: "error",
      title: texts.task.error,
      cell: ({ errorCode }) => <span class="mono break">{errorCode || "–"}</span>,
    },
    { key: "type", title: texts.task.type, cell: ({ type }) => <span class="break">{type}</span> },
    { key: "dead", title: texts.taskStatus.ERROR, numeric: true, cell: ({ dead }) => count(dead) },
    {
      key: "failed",
      title: texts.taskStatus.FAILURE,
      numeric: true,
      cell: ({ failed }) => count(failed),
    },
    {
      key: "latest",
      title: texts.dead.latest,
      cell: ({ latest }) => (
        <>
          <a href={places.task(latest.id)} class="mono" title={latest.id}>
            {shortId(latest.id)}
          </a>{" "}
          <Time at={latest.finished_at} relative />
        </>
      ),
    },
    ...(may("changeQueues")
      ? [
          {
            key: "redrive",
            title: texts.actions,
            // Without a code the filter would take every task of the type.
            cell: ({ type, errorCode }: DeadGroup) =>
              errorCode !== "" && (
                <Button
                  aria-label={texts.dead.redriveGroup(errorCode, type)}
                  onClick={() =>
                    setChosen({
                      filter: { type, error_code: errorCode },
                      words: texts.dead.group(errorCode, type),
                    })
                  }
                >
                  {texts.dead.redrive}
                </Button>
              ),
          },
        ]
      : []),
  ];
  return (
    <section>
      <LoadState loaded={loaded}>
        {({ tasks, more }) => (
          <>
            {tasks.length > 0 && may("changeQueues") && (
              <p>
                <Button onClick={() => setChosen({ filter: {}, words: texts.dead.all })}>
                  {texts.dead.redriveAll}
                </Button>
              </p>
            )}
            <Table
              caption={texts.dead.caption(queue)}
              hideCaption
              columns={columns}
              rows={groupsOf(tasks)}
              rowKey={({ type, errorCode }) => JSON.stringify([type, errorCode])}
              empty={texts.dead.none}
            />
            {tasks.length > 0 && <p class="soft">{texts.dead.looked(count(tasks.length), more)}</p>}
          </>
        )}
      </LoadState>
      {chosen !== undefined && (
        <RedriveDialog
          queue={queue}
          chosen={chosen}
          onClose={() => {
            setChosen(undefined);
            loaded.reload();
          }}
        />
      )}
    </section>
  );
}
