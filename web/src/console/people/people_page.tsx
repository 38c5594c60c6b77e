import type { TaskSummary } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { count, percent } from "../../common/format.js";
import { addressOf, go, usePlace } from "../../common/router.js";
import { Button, LoadState, Table, TextField, Time, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { Facts, Figure } from "../../common/ui/facts.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";

const EVERY = 10;

/** Leased tasks that one look groups by their workers. */
const TASKS_LOOKED_AT = 500;

export interface WorkerRow {
  worker: string;
  tasks: number;
  queues: string[];
  /** The task that the worker has held for longest. */
  oldest: TaskSummary;
}

/** The workers that hold tasks; the one with the most tasks first. */
export function workersOf(tasks: readonly TaskSummary[]): WorkerRow[] {
  const workers = new Map<string, WorkerRow>();
  for (const task of tasks) {
    const worker = task.worker ?? "";
    if (worker === "") continue;
    const row = workers.get(worker);
    if (row === undefined) {
      workers.set(worker, { worker, tasks: 1, queues: [task.queue], oldest: task });
      continue;
    }
    row.tasks++;
    if (!row.queues.includes(task.queue)) row.queues.push(task.queue);
    if ((task.updated_at ?? "") < (row.oldest.updated_at ?? "")) row.oldest = task;
  }
  return [...workers.values()].sort((one, other) => other.tasks - one.tasks);
}

const columns: readonly Column<WorkerRow>[] = [
  {
    key: "worker",
    title: texts.people.worker,
    cell: ({ worker }) => <span class="break">{worker}</span>,
  },
  { key: "tasks", title: texts.people.holds, numeric: true, cell: ({ tasks }) => count(tasks) },
  {
    key: "queues",
    title: texts.nav.queues,
    cell: ({ queues }) => (
      <span class="row tight">
        {queues.map((queue) => (
          <a key={queue} href={places.queue(queue)}>
            {queue}
          </a>
        ))}
      </span>
    ),
  },
  {
    key: "oldest",
    title: texts.people.oldestTask,
    cell: ({ oldest }) => (
      <>
        <a href={places.task(oldest.id)} class="break">
          {oldest.type}
        </a>{" "}
        <Time at={oldest.updated_at} relative />
      </>
    ),
  },
];

function Workers(): VNode {
  const loaded = useView(
    (signal) => api.listTasks({ status: "EXECUTING", limit: TASKS_LOOKED_AT }, { signal }),
    [],
    EVERY,
  );
  return (
    <section>
      <h2>{texts.people.workers}</h2>
      <p class="soft">{texts.people.workersHint}</p>
      <LoadState loaded={loaded}>
        {({ tasks, more }) => (
          <>
            <Table
              caption={texts.people.workers}
              hideCaption
              columns={columns}
              rows={workersOf(tasks)}
              rowKey={({ worker }) => worker}
              empty={texts.people.noWorkers}
            />
            {more && <p class="soft">{texts.people.moreTasks(count(TASKS_LOOKED_AT))}</p>}
          </>
        )}
      </LoadState>
    </section>
  );
}

function Sessions(): VNode {
  const loaded = useView((signal) => api.getNodeStatus({ signal }), [], EVERY);
  return (
    <LoadState loaded={loaded}>
      {({ name, sessions }) => (
        <div class="figures">
          <Figure
            name={texts.people.sessions}
            value={count(sessions)}
            note={texts.people.sessionsOf(name)}
          />
        </div>
      )}
    </LoadState>
  );
}

function Profile({ name }: { name: string }): VNode {
  const loaded = useView((signal) => api.getProfile(name, { signal }), [name]);
  const list = (words: readonly string[]): string => (words.length === 0 ? "–" : words.join(", "));
  return (
    <section class="panel">
      <h3 class="break">{name}</h3>
      <LoadState loaded={loaded}>
        {(profile) => (
          <Facts
            facts={[
              [
                texts.people.trust,
                profile.trust_given
                  ? texts.people.trustGiven(percent(profile.trust))
                  : profile.tests_answered === 0
                    ? texts.people.trustUnknown
                    : texts.people.trustTested(percent(profile.trust)),
              ],
              [
                texts.people.tests,
                `${count(profile.tests_right)} / ${count(profile.tests_answered)}`,
              ],
              [texts.people.channels, list(profile.channels)],
              [texts.people.skills, list(profile.skills)],
              [texts.people.certifications, list(profile.certifications)],
              [texts.people.location, profile.location || "–"],
              [texts.people.changed, <Time at={profile.changed_at} />],
            ]}
          />
        )}
      </LoadState>
    </section>
  );
}

/** The people and programs at work, as far as the API tells. */
export function PeoplePage(): VNode {
  const { query } = usePlace();
  const shown = query["contributor"] ?? "";
  const [name, setName] = useState(shown);
  return (
    <>
      <h1>{texts.nav.people}</h1>
      <Sessions />
      {may("readWorkflows") && (
        <section>
          <h2>{texts.people.contributors}</h2>
          <form
            class="filter-bar"
            role="search"
            aria-label={texts.people.contributors}
            onSubmit={(event) => {
              event.preventDefault();
              go(addressOf(["people"], { contributor: name }));
            }}
          >
            <TextField label={texts.people.contributor} value={name} onValue={setName} />
            <Button type="submit">{texts.people.show}</Button>
          </form>
          {shown !== "" && <Profile key={shown} name={shown} />}
        </section>
      )}
      {may("listQueues") && <Workers />}
    </>
  );
}
