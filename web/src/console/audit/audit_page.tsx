import type { AuditEntry } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { usePlace } from "../../common/router.js";
import { Button, FilterBar, Table, Time, type Column, type Filter } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { usePages, useSettled } from "../../common/view.js";

const ENTRIES_PER_PAGE = 100;

const filters: readonly Filter[] = [
  { name: "item", label: texts.audit.item, placeholder: "queue mail" },
  { name: "who", label: texts.audit.who, placeholder: "token:…" },
  { name: "operation", label: texts.audit.operation, placeholder: "pause_queue" },
];

const columns: readonly Column<AuditEntry>[] = [
  { key: "at", title: texts.audit.at, cell: ({ at }) => <Time at={at} /> },
  { key: "who", title: texts.audit.who, cell: ({ who }) => <span class="break">{who}</span> },
  {
    key: "operation",
    title: texts.audit.operation,
    cell: ({ operation }) => <code>{operation}</code>,
  },
  { key: "item", title: texts.audit.item, cell: ({ item }) => <span class="break">{item}</span> },
  { key: "outcome", title: texts.audit.outcome, cell: ({ outcome }) => outcome },
];

export function AuditPage(): VNode {
  const { query } = usePlace();
  const { item = "", who = "", operation = "" } = useSettled(query);
  const pages = usePages<AuditEntry>(
    async (before, signal) => {
      const request = {
        item: item || undefined,
        who: who || undefined,
        operation: operation || undefined,
        before: before === undefined ? undefined : Number(before),
        limit: ENTRIES_PER_PAGE,
      };
      const page = await api.listAudit(request, { signal });
      const last = page.entries[page.entries.length - 1];
      return { items: page.entries, next: page.more && last ? String(last.number) : undefined };
    },
    [item, who, operation],
  );
  return (
    <>
      <div class="page-head">
        <h1>{texts.nav.audit}</h1>
        <div class="page-actions">
          <Button onClick={pages.reload}>{texts.refresh}</Button>
        </div>
      </div>
      <FilterBar filters={filters} />
      <PagedList pages={pages}>
        {(entries) => (
          <Table
            caption={texts.nav.audit}
            hideCaption
            columns={columns}
            rows={entries}
            rowKey={({ number }) => number}
            empty={texts.audit.none}
          />
        )}
      </PagedList>
    </>
  );
}
