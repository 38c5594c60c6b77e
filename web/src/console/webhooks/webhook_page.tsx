import { HoldfastError, JsonText, textAt, type WebhookPlace, type WebhookView } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { count } from "../../common/format.js";
import { addressOf, go, usePlace } from "../../common/router.js";
import { Button, LoadState, Table, toast, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ActionButton, ConfirmedButton } from "../../common/ui/action_button.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { DefinitionEditor } from "../parts/definition_editor.js";
import { Figure } from "../../common/ui/facts.js";
import { JsonView } from "../parts/json_view.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";
import { DeadLetters } from "./dead_letters.js";
import { sumsOf, targetOf } from "./webhooks_page.js";

const EVERY = 10;

interface Facts {
  webhook: WebhookView;
  text: string;
}

/** The webhook of this name: the list by prefix has it, and those whose names go on. */
async function find(name: string, signal?: AbortSignal): Promise<Facts> {
  const answer = await api.listWebhooks({ prefix: name }, { signal });
  const place = answer.webhooks.findIndex((one) => one.name === name);
  const webhook = answer.webhooks[place];
  if (webhook === undefined)
    throw new HoldfastError("not_found", 404, texts.webhook.notFound(name));
  return { webhook, text: textAt(answer, "webhooks", place, "definition") ?? "{}" };
}

function Shards(props: { webhook: WebhookView }): VNode {
  const { name } = props.webhook;
  const columns: readonly Column<WebhookPlace>[] = [
    { key: "shard", title: texts.webhook.shard, cell: ({ shard }) => shard },
    {
      key: "position",
      title: texts.webhook.position,
      numeric: true,
      cell: ({ position, newest }) => `${count(position)} / ${count(newest)}`,
    },
    {
      key: "behind",
      title: texts.webhook.behind,
      numeric: true,
      cell: ({ position, newest }) => count(Math.max(0, newest - position)),
    },
    {
      key: "dead",
      title: texts.webhook.dead,
      numeric: true,
      cell: ({ shard, dead_letters }) =>
        dead_letters === 0 ? (
          "0"
        ) : (
          <a href={addressOf(["webhooks", name], { shard: String(shard) })}>
            {count(dead_letters)}
          </a>
        ),
    },
    {
      key: "reason",
      title: texts.webhook.reason,
      cell: ({ stopped, waits }) => <span class="break">{stopped ?? waits ?? "–"}</span>,
    },
  ];
  const [isAll, setAll] = useState(false);
  const all = props.webhook.places;
  const busy = all.filter(
    ({ newest, dead_letters, stopped, waits }) =>
      newest > 0 || dead_letters > 0 || stopped !== undefined || waits !== undefined,
  );
  const rows = isAll ? all : busy;
  return (
    <section>
      <h2>{texts.webhook.shardsCaption}</h2>
      <Table
        caption={texts.webhook.shardsCaption}
        hideCaption
        columns={columns}
        rows={rows}
        rowKey={({ shard }) => shard}
        empty={texts.webhook.noShards}
      />
      {rows.length < all.length && (
        <Button onClick={() => setAll(true)}>{texts.webhook.shards(all.length)}</Button>
      )}
    </section>
  );
}

function Actions(props: { webhook: WebhookView; onChange: () => void }): VNode {
  const { name, state } = props.webhook;
  return (
    <div class="page-actions">
      {state !== "active" && (
        <ActionButton
          run={() => api.resumeWebhook(name)}
          done={texts.webhook.resumed(name)}
          onDone={props.onChange}
        >
          {texts.webhook.resume}
        </ActionButton>
      )}
      {state !== "paused" && (
        <ActionButton
          run={() => api.pauseWebhook(name)}
          done={texts.webhook.wasPaused(name)}
          onDone={props.onChange}
        >
          {texts.webhook.pause}
        </ActionButton>
      )}
      <ConfirmedButton
        danger
        title={texts.webhook.removeTitle(name)}
        question={texts.webhook.removeQuestion}
        run={() => api.removeWebhook(name)}
        done={texts.webhook.removed(name)}
        onDone={() => go(places.webhooks)}
      >
        {texts.webhook.remove}
      </ConfirmedButton>
    </div>
  );
}

export function WebhookPage({ name }: { name: string }): VNode {
  const { query } = usePlace();
  const loaded = useView((signal) => find(name, signal), [name], EVERY);
  const [edited, setEdited] = useState<Facts | undefined>(undefined);
  return (
    <>
      <p class="crumbs">
        <a href={places.webhooks}>{texts.nav.webhooks}</a>
      </p>
      <LoadState loaded={loaded}>
        {({ webhook, text }) => {
          const { behind, dead } = sumsOf(webhook);
          const withLetters = webhook.places.filter(({ dead_letters }) => dead_letters > 0);
          const chosen =
            query["shard"] === undefined ? withLetters[0]?.shard : Number(query["shard"]);
          return (
            <>
              <div class="page-head">
                <h1 class="break">{name}</h1>
                <StateBadge state={webhook.state} />
                {may("changeWebhooks") && <Actions webhook={webhook} onChange={loaded.reload} />}
              </div>
              <p class="break">{targetOf(webhook)}</p>
              <div class="figures">
                <Figure
                  name={texts.webhook.behind}
                  value={count(behind)}
                  note={texts.webhook.behindNote}
                />
                <Figure
                  name={texts.webhook.dead}
                  value={count(dead)}
                  tone={dead > 0 ? "bad" : undefined}
                />
              </div>
              <Shards webhook={webhook} />
              {chosen !== undefined && Number.isInteger(chosen) && (
                <DeadLetters key={chosen} name={name} shard={chosen} onChange={loaded.reload} />
              )}
              <section class="panel">
                <div class="panel-head">
                  <h2>{texts.webhook.definition}</h2>
                  <span class="soft">{texts.revision(webhook.revision)}</span>
                  {may("changeWebhooks") && (
                    <div class="page-actions">
                      <Button onClick={() => setEdited({ webhook, text })}>{texts.edit}</Button>
                    </div>
                  )}
                </div>
                <JsonView label={texts.webhook.definition} text={text} />
              </section>
              {edited !== undefined && (
                <DefinitionEditor
                  title={texts.webhook.editTitle(name)}
                  before={edited.text}
                  save={async (draft) => {
                    const { webhook: now } = await find(name);
                    if (now.revision !== edited.webhook.revision) {
                      throw new Error(
                        texts.queue.changedMeanwhile(edited.webhook.revision, now.revision),
                      );
                    }
                    await api.putWebhook(name, new JsonText(draft));
                    toast(texts.webhook.saved(name));
                    loaded.reload();
                  }}
                  onClose={() => setEdited(undefined)}
                />
              )}
            </>
          );
        }}
      </LoadState>
    </>
  );
}
