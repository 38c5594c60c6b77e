import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { count } from "../../common/format.js";
import { go, usePlace } from "../../common/router.js";
import { Button, FilterBar, LoadState, TextField, toast } from "../../common/ui/index.js";
import { useAction } from "../../common/load.js";
import { Dialog, Notice } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useSettled, useView } from "../../common/view.js";
import { QUEUES_PER_VIEW, WINDOW, figuresOf } from "./queue_figures.js";
import { QueueTable } from "./queue_table.js";

/** Seconds; the counts of a queue move on every ten. */
const EVERY = 10;

function NewQueue(props: { onClose: () => void }): VNode {
  const [name, setName] = useState("");
  const make = useAction(async () => {
    await api.putQueue(name, {});
    toast(texts.queue.made(name));
    props.onClose();
    go(places.queue(name, "definition"));
  });
  return (
    <Dialog title={texts.queue.new} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void make.run();
        }}
      >
        <TextField
          label={texts.queue.name}
          hint={texts.queue.nameHint}
          required
          maxLength={64}
          value={name}
          onValue={setName}
        />
        <Notice error={make.error} />
        <div class="dialog-actions">
          <Button kind="main" type="submit" busy={make.busy}>
            {texts.queue.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function OpenTask(): VNode {
  const [id, setId] = useState("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (id.trim() !== "") go(places.task(id.trim()));
      }}
    >
      <TextField label={texts.task.openById} value={id} onValue={setId} class="id-field" />
      <Button type="submit">{texts.task.open}</Button>
    </form>
  );
}

export function QueuesPage(): VNode {
  const { query } = usePlace();
  const prefix = useSettled(query["prefix"] ?? "");
  const [first, setFirst] = useState(0);
  const [isNew, setNew] = useState(false);
  const loaded = useView(
    async (signal) => {
      const { queues } = await api.listQueues(prefix === "" ? {} : { prefix }, { signal });
      const begin = first < queues.length ? first : 0;
      const shown = queues.slice(begin, begin + QUEUES_PER_VIEW);
      return { all: queues.length, begin, figures: await figuresOf(shown, signal) };
    },
    [prefix, first],
    EVERY,
  );
  return (
    <>
      <div class="page-head">
        <h1>{texts.nav.queues}</h1>
        <div class="page-actions">
          {may("changeQueues") && <Button onClick={() => setNew(true)}>{texts.queue.new}</Button>}
        </div>
      </div>
      {isNew && <NewQueue onClose={() => setNew(false)} />}
      <div class="row split">
        <FilterBar filters={[{ name: "prefix", label: texts.queue.prefix }]} />
        <OpenTask />
      </div>
      <LoadState loaded={loaded}>
        {({ all, begin, figures }) => (
          <>
            <QueueTable figures={figures} caption={texts.nav.queues} />
            <p class="list-end">
              <span class="soft">
                {texts.queue.range(
                  begin + Math.min(1, figures.length),
                  begin + figures.length,
                  count(all),
                )}{" "}
                {texts.queue.window(WINDOW)}
              </span>
              {begin > 0 && (
                <Button onClick={() => setFirst(Math.max(0, begin - QUEUES_PER_VIEW))}>
                  {texts.previous}
                </Button>
              )}
              {begin + figures.length < all && (
                <Button onClick={() => setFirst(begin + QUEUES_PER_VIEW)}>{texts.next}</Button>
              )}
            </p>
          </>
        )}
      </LoadState>
    </>
  );
}
