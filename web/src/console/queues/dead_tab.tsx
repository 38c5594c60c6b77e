import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { count, shortId } from "../../common/format.js";
import { Button, LoadState, Table, Time, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";
import { ActionDialog } from "./action_dialog.js";
import { deadOf, groupsOf, type DeadGroup } from "./dead_letters.js";

interface Chosen {
  filter: { type?: string; error_code?: string };
  /** The tasks, in words. */
  words: string;
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
        <ActionDialog
          queue={queue}
          kind="redrive"
          filter={chosen.filter}
          words={chosen.words}
          onClose={() => {
            setChosen(undefined);
            loaded.reload();
          }}
        />
      )}
    </section>
  );
}
