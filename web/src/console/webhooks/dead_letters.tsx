import { textAt, type DeadLetter } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { Badge, Time, toast } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ConfirmedButton } from "../../common/ui/action_button.js";
import { JsonView } from "../parts/json_view.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { may } from "../../common/rights.js";
import { usePages } from "../../common/view.js";

const LETTERS_PER_PAGE = 50;

/** Dead letters that one request replays or forgets. */
const LETTERS_AT_ONCE = 1000;

/** Replays or forgets all dead letters of a shard that are there now, part after part. */
async function forAll(
  name: string,
  shard: number,
  what: "dead_letters" | "forget",
): Promise<number> {
  let done = 0;
  let after = 0;
  for (;;) {
    const part = await api.replayWebhook(name, { shard, what, after, limit: LETTERS_AT_ONCE });
    done += part.dead_letters;
    if (part.dead_letters < LETTERS_AT_ONCE) return done;
    after = part.last;
  }
}

interface Row {
  letter: DeadLetter;
  text: string;
}

function Letter({ row }: { row: Row }): VNode {
  const { letter, text } = row;
  const type = (letter.event as { type?: unknown } | null)?.type;
  return (
    <li class="event">
      <details>
        <summary>
          <Time at={letter.died_at} />
          <Badge>{typeof type === "string" ? type : "?"}</Badge>
          {letter.replayed && <Badge tone="busy">{texts.webhook.replayed}</Badge>}
          <span class="soft">{texts.webhook.letter(letter.seq, letter.status)}</span>
          <span class="break">{letter.reason}</span>
        </summary>
        <JsonView label={texts.webhook.event} text={text} />
      </details>
    </li>
  );
}

/** The events of a shard that could not be delivered. */
export function DeadLetters(props: { name: string; shard: number; onChange: () => void }): VNode {
  const { name, shard } = props;
  const pages = usePages<Row>(
    async (after, signal) => {
      const request = { shard, after: Number(after ?? 0), limit: LETTERS_PER_PAGE };
      const page = await api.listDeadLetters(name, request, { signal });
      const items = page.dead_letters.map((letter, place) => ({
        letter,
        text: textAt(page, "dead_letters", place, "event") ?? "null",
      }));
      const last = items[items.length - 1];
      const isFull = items.length === LETTERS_PER_PAGE;
      return { items, next: isFull && last !== undefined ? String(last.letter.seq) : undefined };
    },
    [name, shard],
  );
  const changed = (): void => {
    pages.reload();
    props.onChange();
  };
  return (
    <section class="panel">
      <div class="panel-head">
        <h3>{texts.webhook.deadOf(shard)}</h3>
        {may("changeWebhooks") && (
          <div class="page-actions">
            <ConfirmedButton
              title={texts.webhook.replayTitle(shard)}
              question={texts.webhook.replayQuestion}
              run={async () =>
                toast(texts.webhook.number(await forAll(name, shard, "dead_letters")))
              }
              done={texts.webhook.wasReplayed}
              onDone={changed}
            >
              {texts.webhook.replay}
            </ConfirmedButton>
            <ConfirmedButton
              danger
              title={texts.webhook.forgetTitle(shard)}
              question={texts.webhook.forgetQuestion}
              run={async () => toast(texts.webhook.number(await forAll(name, shard, "forget")))}
              done={texts.webhook.wasForgotten}
              onDone={changed}
            >
              {texts.webhook.forget}
            </ConfirmedButton>
          </div>
        )}
      </div>
      <PagedList pages={pages}>
        {(rows) => (
          <ol class="events">
            {rows.map((row) => (
              <Letter key={row.letter.seq} row={row} />
            ))}
          </ol>
        )}
      </PagedList>
    </section>
  );
}
