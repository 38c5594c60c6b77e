import type { ListTasksRequest, QueueActionFilter, TaskSummary } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { shortId } from "../../common/format.js";
import { usePlace } from "../../common/router.js";
import { Button, FilterBar, Table, Time, type Column, type Filter } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { TaskStatus } from "../parts/badges.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { usePages, useSettled } from "../../common/view.js";
import { ActionDialog } from "./action_dialog.js";
import { filterFor, kindsFor, type ActionKind } from "./action_model.js";
import { RecentActions } from "./recent_actions.js";

const TASKS_PER_PAGE = 50;

const SINCE: readonly (readonly [value: string, seconds: number])[] = [
  ["5m", 300],
  ["1h", 3600],
  ["1d", 86_400],
  ["7d", 604_800],
];

const filters: readonly Filter[] = [
  {
    name: "status",
    label: texts.task.status,
    options: [["", texts.any], ...Object.entries(texts.taskStatus)],
  },
  { name: "type", label: texts.task.type },
  { name: "key", label: texts.task.key },
  { name: "error", label: texts.task.error },
  { name: "owner", label: texts.task.owner },
  {
    name: "since",
    label: texts.task.madeSince,
    options: [
      ["", texts.any],
      ...SINCE.map(([value]) => [value, texts.task.since[value] ?? value] as const),
    ],
  },
];

const columns: readonly Column<TaskSummary>[] = [
  {
    key: "id",
    title: texts.task.task,
    cell: ({ id }) => (
      <a href={places.task(id)} class="mono" title={id}>
        {shortId(id)}
      </a>
    ),
  },
  { key: "type", title: texts.task.type, cell: ({ type }) => <span class="break">{type}</span> },
  {
    key: "status",
    title: texts.task.status,
    cell: ({ status, paused }) => <TaskStatus status={status} paused={paused} />,
  },
  {
    key: "attempts",
    title: texts.task.failures,
    numeric: true,
    cell: ({ failed_attempts, lost_attempts }) =>
      texts.task.failedAndLost(failed_attempts, lost_attempts),
  },
  {
    key: "error",
    title: texts.task.error,
    cell: ({ error_code }) => <span class="mono break">{error_code ?? "–"}</span>,
  },
  { key: "worker", title: texts.task.worker, cell: ({ worker }) => worker ?? "–" },
  {
    key: "made",
    title: texts.task.made,
    cell: ({ created_at }) => <Time at={created_at} relative />,
  },
  {
    key: "changed",
    title: texts.task.updated,
    cell: ({ finished_at, updated_at }) => <Time at={finished_at ?? updated_at} relative />,
  },
];

export function TaskTable(props: { tasks: readonly TaskSummary[]; caption: string }): VNode {
  return (
    <Table
      caption={props.caption}
      hideCaption
      columns={columns}
      rows={props.tasks}
      rowKey={({ id }) => id}
      empty={texts.task.none}
    />
  );
}

/** The filter in words, for whoever is asked whether to change all that it matches. */
function wordsOf(kind: ActionKind, filter: QueueActionFilter): string {
  const members = Object.entries(filter).map(([name, value]) => `${name} ${String(value)}`);
  const all = kind === "redrive" ? texts.dead.all : texts.bulk.allLive;
  return members.length === 0 ? all : `${all} (${members.join(", ")})`;
}

interface Chosen {
  kind: ActionKind;
  filter: QueueActionFilter;
}

/** The changes of all tasks that the filter of the list matches. */
function BulkBar(props: {
  queue: string;
  list: Parameters<typeof filterFor>[1];
  owner: string;
  onDone: () => void;
}): VNode | null {
  const { queue, list, owner } = props;
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const kinds = kindsFor(list.status);
  if (!may("changeQueues") || kinds.length === 0) return null;
  if (owner !== "") return <p class="soft">{texts.bulk.byOwner}</p>;
  return (
    <>
      <p class="page-actions">
        <span class="soft">{texts.bulk.actOn}</span>
        {kinds.map((kind) => (
          <Button
            key={kind}
            aria-label={texts.bulk.titles[kind]}
            onClick={() => setChosen({ kind, filter: filterFor(kind, list) })}
          >
            {texts.bulk.verbs[kind]}
          </Button>
        ))}
      </p>
      {chosen !== undefined && (
        <ActionDialog
          queue={queue}
          {...chosen}
          words={wordsOf(chosen.kind, chosen.filter)}
          onClose={() => {
            setChosen(undefined);
            props.onDone();
          }}
        />
      )}
    </>
  );
}

function PastActions({ queue }: { queue: string }): VNode {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{texts.bulk.recent}</summary>
      {open && <RecentActions queue={queue} />}
    </details>
  );
}

/** The tasks of a queue, page by page, the newest first. They are not loaded again by themselves. */
export function TasksTab({ queue }: { queue: string }): VNode {
  const { query } = usePlace();
  const filter = useSettled(query);
  const { status = "", type = "", key = "", error = "", owner = "", since = "" } = filter;
  const seconds = SINCE.find(([value]) => value === since)?.[1];
  const createdFrom =
    seconds === undefined ? undefined : new Date(Date.now() - seconds * 1000).toISOString();
  const pages = usePages<TaskSummary>(
    async (after, signal) => {
      const request: ListTasksRequest = {
        queue,
        order: "newest",
        limit: TASKS_PER_PAGE,
        after,
        status: status || undefined,
        type: type || undefined,
        key: key || undefined,
        error_code: error || undefined,
        owner_id: owner || undefined,
        created_from: createdFrom,
      };
      const page = await api.listTasks(request, { signal });
      return { items: page.tasks, next: page.more ? page.last : undefined };
    },
    [queue, status, type, key, error, owner, since],
  );
  const list = {
    status,
    type,
    key,
    error,
    ...(createdFrom === undefined ? {} : { createdFrom }),
  };
  return (
    <section>
      <div class="row split">
        <FilterBar filters={filters} />
        <Button onClick={pages.reload}>{texts.refresh}</Button>
      </div>
      <BulkBar queue={queue} list={list} owner={owner} onDone={pages.reload} />
      <PagedList pages={pages}>
        {(tasks) => <TaskTable tasks={tasks} caption={texts.task.tasksOf(queue)} />}
      </PagedList>
      <PastActions queue={queue} />
    </section>
  );
}
