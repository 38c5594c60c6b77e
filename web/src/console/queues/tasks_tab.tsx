import type { ListTasksRequest, TaskSummary } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { shortId } from "../../common/format.js";
import { usePlace } from "../../common/router.js";
import { Button, FilterBar, Table, Time, type Column, type Filter } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { TaskStatus } from "../parts/badges.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { places } from "../places.js";
import { usePages, useSettled } from "../../common/view.js";

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

/** The tasks of a queue, page by page. They are not loaded again by themselves. */
export function TasksTab({ queue }: { queue: string }): VNode {
  const { query } = usePlace();
  const { status = "", type = "", owner = "", since = "" } = useSettled(query);
  const pages = usePages<TaskSummary>(
    async (after, signal) => {
      const seconds = SINCE.find(([value]) => value === since)?.[1];
      const request: ListTasksRequest = {
        queue,
        limit: TASKS_PER_PAGE,
        after,
        status: status || undefined,
        type: type || undefined,
        owner_id: owner || undefined,
        created_from:
          seconds === undefined ? undefined : new Date(Date.now() - seconds * 1000).toISOString(),
      };
      const page = await api.listTasks(request, { signal });
      return { items: page.tasks, next: page.more ? page.last : undefined };
    },
    [queue, status, type, owner, since],
  );
  return (
    <section>
      <div class="row split">
        <FilterBar filters={filters} />
        <Button onClick={pages.reload}>{texts.refresh}</Button>
      </div>
      <PagedList pages={pages}>
        {(tasks) => <TaskTable tasks={tasks} caption={texts.task.tasksOf(queue)} />}
      </PagedList>
    </section>
  );
}
