import type { WorkflowSummary } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { shortId } from "../../common/format.js";
import { Badge, Button, Table, Time, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { places } from "../places.js";
import { usePages } from "../../common/view.js";

const WORKFLOWS_PER_PAGE = 50;

const columns: readonly Column<WorkflowSummary>[] = [
  {
    key: "name",
    title: texts.workflow.name,
    cell: ({ id, name, latest }) => (
      <span class="row tight">
        <a class="break" href={places.workflow(id)}>
          {name || shortId(id)}
        </a>
        {latest === 0 && <Badge tone="bad">damaged</Badge>}
      </span>
    ),
  },
  {
    key: "id",
    title: texts.workflow.id,
    cell: ({ id }) => (
      <span class="mono" title={id}>
        {shortId(id)}
      </span>
    ),
  },
  { key: "made", title: texts.workflow.made, cell: ({ created_at }) => <Time at={created_at} /> },
  { key: "version", title: texts.workflow.version, numeric: true, cell: ({ latest }) => latest },
  { key: "open", title: texts.workflow.open, numeric: true, cell: ({ open }) => open },
  { key: "paused", title: texts.workflow.paused, numeric: true, cell: ({ paused }) => paused },
  {
    key: "completed",
    title: texts.workflow.completed,
    numeric: true,
    cell: ({ completed }) => completed,
  },
  {
    key: "canceled",
    title: texts.workflow.canceled,
    numeric: true,
    cell: ({ canceled }) => canceled,
  },
  {
    key: "job",
    title: texts.workflow.job,
    cell: ({ job_status, job_revision }) =>
      job_revision === 0 ? "–" : <StateBadge state={job_status} />,
  },
];

export function WorkflowsPage(): VNode {
  const pages = usePages<WorkflowSummary>(async (after, signal) => {
    const page = await api.listWorkflows({ after, limit: WORKFLOWS_PER_PAGE }, { signal });
    const last = page.workflows[page.workflows.length - 1];
    return { items: page.workflows, next: page.more ? last?.id : undefined };
  }, []);
  return (
    <>
      <div class="page-head">
        <h1>{texts.nav.workflows}</h1>
        <div class="page-actions">
          <Button onClick={pages.reload}>{texts.refresh}</Button>
        </div>
      </div>
      <PagedList pages={pages}>
        {(workflows) => (
          <Table
            caption={texts.nav.workflows}
            hideCaption
            columns={columns}
            rows={workflows}
            rowKey={({ id }) => id}
            empty={texts.workflow.none}
          />
        )}
      </PagedList>
    </>
  );
}
