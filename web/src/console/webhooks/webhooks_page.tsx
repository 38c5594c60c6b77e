import { JsonText, type WebhookView } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { count } from "../../common/format.js";
import { go, usePlace } from "../../common/router.js";
import {
  Button,
  FilterBar,
  LoadState,
  Table,
  TextField,
  toast,
  type Column,
} from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { DefinitionEditor } from "../parts/definition_editor.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useSettled, useView } from "../../common/view.js";

const EVERY = 10;

const EXAMPLE = `{
  "url": "https://example.com/hooks",
  "secret": "billing",
  "types": ["UnitFinalized"]
}`;

/** The receiver of a webhook, as its definition names it. */
export function targetOf({ definition }: WebhookView): string {
  const { url, queue } = (
    typeof definition === "object" && definition !== null ? definition : {}
  ) as { url?: unknown; queue?: unknown };
  if (typeof url === "string") return url;
  return typeof queue === "string" ? texts.webhook.toQueue(queue) : "–";
}

/** Events that are committed and not delivered yet, and those that could not be. */
export function sumsOf({ places: shards }: WebhookView): { behind: number; dead: number } {
  let behind = 0;
  let dead = 0;
  for (const { position, newest, dead_letters } of shards) {
    behind += Math.max(0, newest - position);
    dead += dead_letters;
  }
  return { behind, dead };
}

const columns: readonly Column<WebhookView>[] = [
  {
    key: "name",
    title: texts.webhook.name,
    cell: ({ name }) => <a href={places.webhook(name)}>{name}</a>,
  },
  {
    key: "target",
    title: texts.webhook.target,
    cell: (webhook) => <span class="break">{targetOf(webhook)}</span>,
  },
  { key: "state", title: texts.webhook.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    key: "behind",
    title: texts.webhook.behind,
    numeric: true,
    cell: (webhook) => count(sumsOf(webhook).behind),
  },
  {
    key: "dead",
    title: texts.webhook.dead,
    numeric: true,
    cell: (webhook) => count(sumsOf(webhook).dead),
  },
];

export function WebhooksPage(): VNode {
  const { query } = usePlace();
  const prefix = useSettled(query["prefix"] ?? "");
  const loaded = useView(
    (signal) => api.listWebhooks(prefix === "" ? {} : { prefix }, { signal }),
    [prefix],
    EVERY,
  );
  const [name, setName] = useState("");
  const [isNew, setNew] = useState(false);
  return (
    <>
      <h1>{texts.nav.webhooks}</h1>
      <div class="row split">
        <FilterBar filters={[{ name: "prefix", label: texts.webhook.prefix }]} />
        {may("changeWebhooks") && (
          <form
            class="row new-item"
            onSubmit={(event) => {
              event.preventDefault();
              if (name !== "") setNew(true);
            }}
          >
            <TextField
              label={texts.webhook.newName}
              maxLength={64}
              value={name}
              onValue={setName}
            />
            <Button type="submit">{texts.webhook.new}</Button>
          </form>
        )}
      </div>
      <LoadState loaded={loaded}>
        {({ webhooks }) => (
          <>
            <Table
              caption={texts.nav.webhooks}
              hideCaption
              columns={columns}
              rows={webhooks}
              rowKey={(webhook) => webhook.name}
              empty={texts.webhook.none}
            />
            {isNew && (
              <DefinitionEditor
                title={texts.webhook.editTitle(name)}
                before=""
                draft={EXAMPLE}
                save={async (text) => {
                  if (webhooks.some((one) => one.name === name)) {
                    throw new Error(texts.webhook.isThere(name));
                  }
                  await api.putWebhook(name, new JsonText(text));
                  toast(texts.webhook.saved(name));
                  go(places.webhook(name));
                }}
                onClose={() => setNew(false)}
              />
            )}
          </>
        )}
      </LoadState>
    </>
  );
}
