import type { TokenView } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { shortId } from "../../common/format.js";
import { Button, Table, Time, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ConfirmedButton } from "../../common/ui/action_button.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { may } from "../../common/rights.js";
import { usePages } from "../../common/view.js";
import { NewToken } from "./new_token.js";

const TOKENS_PER_PAGE = 50;

function reachOf({ queues, workflows }: TokenView): string {
  const parts = [
    ...queues.map((prefix) => texts.token.queueReach(prefix)),
    ...workflows.map((workflow) => texts.token.workflowReach(shortId(workflow ?? ""))),
  ];
  return parts.length === 0 ? texts.token.all : parts.join(", ");
}

export function TokensPage(): VNode {
  const [isNew, setNew] = useState(false);
  const pages = usePages<TokenView>(async (after, signal) => {
    const page = await api.listTokens({ after, limit: TOKENS_PER_PAGE }, { signal });
    const last = page.tokens[page.tokens.length - 1];
    return { items: page.tokens, next: page.more ? last?.id : undefined };
  }, []);
  const columns: readonly Column<TokenView>[] = [
    {
      key: "id",
      title: texts.token.id,
      cell: ({ id }) => (
        <span class="mono" title={id}>
          {shortId(id)}
        </span>
      ),
    },
    { key: "role", title: texts.token.role, cell: ({ role }) => role },
    {
      key: "name",
      title: texts.token.boundTo,
      cell: ({ name }) => <span class="break">{name ?? "–"}</span>,
    },
    {
      key: "reach",
      title: texts.token.reach,
      cell: (token) => <span class="break">{reachOf(token)}</span>,
    },
    { key: "state", title: texts.token.state, cell: ({ state }) => <StateBadge state={state} /> },
    {
      key: "made",
      title: texts.token.made,
      cell: ({ created_at, created_by }) => (
        <>
          <Time at={created_at} />
          {created_by !== undefined && <span class="soft break"> {created_by}</span>}
        </>
      ),
    },
    { key: "ends", title: texts.token.ends, cell: ({ expires_at }) => <Time at={expires_at} /> },
    {
      key: "used",
      title: texts.token.used,
      cell: ({ last_used_at }) => <Time at={last_used_at} relative />,
    },
    ...(may("changeTokens")
      ? [
          {
            key: "revoke",
            title: texts.actions,
            cell: ({ id, state }: TokenView) =>
              state === "good" && (
                <ConfirmedButton
                  danger
                  title={texts.token.revokeTitle(shortId(id))}
                  question={texts.token.revokeQuestion}
                  run={() => api.revokeToken(id)}
                  done={texts.token.revoked}
                  onDone={pages.reload}
                  label={texts.token.revokeOf(shortId(id))}
                >
                  {texts.token.revoke}
                </ConfirmedButton>
              ),
          },
        ]
      : []),
  ];
  return (
    <>
      <div class="page-head">
        <h1>{texts.nav.tokens}</h1>
        <div class="page-actions">
          <Button onClick={pages.reload}>{texts.refresh}</Button>
          {may("changeTokens") && (
            <Button kind="main" onClick={() => setNew(true)}>
              {texts.token.new}
            </Button>
          )}
        </div>
      </div>
      <PagedList pages={pages}>
        {(tokens) => (
          <Table
            caption={texts.nav.tokens}
            hideCaption
            columns={columns}
            rows={tokens}
            rowKey={({ id }) => id}
            empty={texts.token.none}
          />
        )}
      </PagedList>
      {isNew && (
        <NewToken
          onClose={() => {
            setNew(false);
            pages.reload();
          }}
        />
      )}
    </>
  );
}
