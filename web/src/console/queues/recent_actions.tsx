import type { QueueActionView } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { count } from "../../common/format.js";
import { Badge, LoadState, Table, Time, type Column, type Tone } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ActionButton } from "../../common/ui/action_button.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";
import { refusedOf, verbOf } from "./action_model.js";

const SHOWN = 20;
/** Seconds, while the list is open. */
const EVERY = 3;

const tones: Readonly<Record<string, Tone>> = {
  running: "busy",
  done: "good",
  stopped: "neutral",
  failed: "bad",
  dry_run: "neutral",
};

function statusText(status: string): string {
  const known: Readonly<Record<string, string>> = texts.bulk.status;
  return known[status] ?? status;
}

function columnsFor(reload: () => void): readonly Column<QueueActionView>[] {
  return [
    {
      key: "action",
      title: texts.bulk.action,
      cell: ({ action, id }) => <span title={id}>{verbOf(action)}</span>,
    },
    {
      key: "status",
      title: texts.task.status,
      cell: ({ status, problem }) => (
        <span title={problem}>
          <Badge tone={tones[status] ?? "neutral"}>{statusText(status)}</Badge>
        </span>
      ),
    },
    {
      key: "filter",
      title: texts.bulk.filter,
      cell: ({ filter }) => {
        const members = Object.entries(filter).filter(([, value]) => value !== undefined);
        return (
          <span class="mono break">
            {members.map(([name, value]) => `${name}=${String(value)}`).join(" ") || texts.any}
          </span>
        );
      },
    },
    {
      key: "changed",
      title: texts.bulk.changed,
      numeric: true,
      cell: ({ changed }) => count(changed),
    },
    {
      key: "unchanged",
      title: texts.bulk.unchanged,
      numeric: true,
      cell: ({ unchanged }) => count(unchanged),
    },
    {
      key: "refused",
      title: texts.bulk.refused,
      numeric: true,
      cell: (view) => (
        <span title={view.refusals.map(({ code, tasks }) => `${code}: ${tasks}`).join(", ")}>
          {count(refusedOf(view))}
        </span>
      ),
    },
    { key: "by", title: texts.bulk.askedBy, cell: ({ asked_by }) => asked_by ?? "–" },
    { key: "at", title: texts.bulk.askedAt, cell: ({ asked_at }) => <Time at={asked_at} /> },
    ...(may("changeQueues")
      ? [
          {
            key: "stop",
            title: texts.actions,
            cell: ({ queue, id, status, action }: QueueActionView) =>
              status === "running" && (
                <ActionButton
                  run={() => api.stopQueueAction(queue, id)}
                  done={texts.bulk.wasStopped}
                  onDone={reload}
                  label={texts.bulk.stopOf(verbOf(action))}
                >
                  {texts.bulk.stop}
                </ActionButton>
              ),
          },
        ]
      : []),
  ];
}

/** The bulk actions of a queue, the latest first. */
export function RecentActions({ queue }: { queue: string }): VNode {
  const loaded = useView(
    (signal) => api.listQueueActions(queue, { limit: SHOWN }, { signal }),
    [queue],
    EVERY,
  );
  return (
    <LoadState loaded={loaded}>
      {({ actions }) => (
        <Table
          caption={texts.bulk.caption(queue)}
          hideCaption
          columns={columnsFor(loaded.reload)}
          rows={actions}
          rowKey={({ id }) => id}
          empty={texts.bulk.none}
        />
      )}
    </LoadState>
  );
}
