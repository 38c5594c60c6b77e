import type { WorkflowSummary } from "holdfast";
import type { VNode } from "preact";

import { api } from "../common/api.js";
import { count, shortId } from "../common/format.js";
import { Table, Time, type Column } from "../common/ui/index.js";
import { PagedList } from "../common/ui/paged_list.js";
import { may } from "../common/rights.js";
import { usePages } from "../common/view.js";
import { texts } from "../texts/workbench.js";
import { places } from "./places.js";

const WORKFLOWS_PER_PAGE = 50;

const columns: readonly Column<WorkflowSummary>[] = [
  {
    key: "name",
    title: texts.list.name,
    cell: ({ id, name }) => (
      <a class="break" href={places.workflow(id)}>
        {name || shortId(id)}
      </a>
    ),
  },
  { key: "made", title: texts.list.made, cell: ({ created_at }) => <Time at={created_at} /> },
  { key: "open", title: texts.list.open, numeric: true, cell: ({ open }) => count(open) },
  {
    key: "completed",
    title: texts.list.completed,
    numeric: true,
    cell: ({ completed }) => count(completed),
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
        {may("changeWorkflows") && (
          <div class="page-actions">
            <a class="button button-main" href={places.create}>
              {texts.list.create}
            </a>
          </div>
        )}
      </div>
      <p class="soft">{texts.list.lead}</p>
      <PagedList pages={pages}>
        {(workflows) => (
          <Table
            caption={texts.nav.workflows}
            hideCaption
            columns={columns}
            rows={workflows}
            rowKey={({ id }) => id}
            empty={texts.list.none}
          />
        )}
      </PagedList>
    </>
  );
}
