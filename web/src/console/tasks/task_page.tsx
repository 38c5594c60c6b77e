import {
  HoldfastError,
  textAt,
  type TaskAttempts,
  type TaskExplanation,
  type TaskView,
} from "holdfast";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { percent } from "../../common/format.js";
import { LoadState, Time } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { TaskStatus } from "../parts/badges.js";
import { CopyButton } from "../parts/copy.js";
import { Facts } from "../../common/ui/facts.js";
import { JsonView } from "../parts/json_view.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";
import { AttemptLine } from "./attempt_line.js";
import { TaskActions } from "./task_actions.js";
import { isLive } from "./task_state.js";

/** Seconds between looks at a task that may still change. */
const EVERY = 5;

const ATTEMPTS_MOST = 100;

interface TaskFacts {
  task: TaskView;
  attempts: TaskAttempts;
  explanation: TaskExplanation | undefined;
}

async function load(id: string, signal: AbortSignal): Promise<TaskFacts> {
  const [task, attempts, explanation] = await Promise.all([
    api.getTask(id, {}, { signal }),
    api.getTaskAttempts(id, { limit: ATTEMPTS_MOST }, { signal }),
    api.explainTask(id, {}, { signal }).catch((error: unknown) => {
      // The task may be there, and its queue removed: then nothing decides about it any more.
      if (error instanceof HoldfastError && error.status === 404) return undefined;
      throw error;
    }),
  ]);
  // Only a request that waits is answered without a task.
  if (task === undefined) throw new HoldfastError("not_found", 404, id);
  return { task, attempts, explanation };
}

function Explanation({ explanation }: { explanation: TaskExplanation }): VNode {
  return (
    <ul class="plain-list reasons">
      {explanation.reasons.map(({ code, text }) => (
        <li key={code}>
          <code>{code}</code> {text}
        </li>
      ))}
    </ul>
  );
}

export function TaskPage({ id }: { id: string }): VNode {
  const [isChanging, setChanging] = useState(true);
  const loaded = useView((signal) => load(id, signal), [id], isChanging ? EVERY : undefined);
  useEffect(() => {
    if (loaded.value !== undefined) setChanging(isLive(loaded.value.task));
  }, [loaded.value]);
  return (
    <LoadState loaded={loaded}>
      {({ task, attempts, explanation }) => (
        <>
          <p class="crumbs">
            <a href={places.queues}>{texts.nav.queues}</a> ›{" "}
            <a href={places.queue(task.queue)}>{task.queue}</a>
          </p>
          <div class="page-head">
            <h1 class="break">{task.type}</h1>
            <TaskStatus status={task.status} paused={task.paused} />
            {may("changeQueues") && <TaskActions task={task} onChange={loaded.reload} />}
          </div>
          <p class="row tight">
            <span class="mono break">{task.id}</span>
            <CopyButton text={task.id} label={texts.task.copyId} />
          </p>
          {explanation !== undefined && <Explanation explanation={explanation} />}
          <div class="two">
            <section class="panel">
              <h2>{texts.task.attempts}</h2>
              <AttemptLine task={task} attempts={attempts.attempts} more={attempts.more} />
            </section>
            <section class="panel">
              <h2>{texts.task.facts}</h2>
              <Facts
                facts={[
                  [texts.task.state, <span class="break">{task.state}</span>],
                  [texts.task.version, task.version],
                  [texts.task.priority, String(task.priority)],
                  [texts.task.percent, percent(task.percent / 100)],
                  [
                    texts.task.failures,
                    texts.task.failedAndLost(task.failed_attempts, task.lost_attempts),
                  ],
                  [texts.task.worker, task.worker],
                  [texts.task.owner, task.owner_id],
                  [texts.task.runAs, task.run_as_id],
                  [texts.task.made, <Time at={task.created_at} />],
                  [texts.task.runAt, isLive(task) ? <Time at={task.run_at} /> : undefined],
                  [texts.task.stateSince, <Time at={task.state_changed_at} />],
                  [texts.task.finished, task.finished_at && <Time at={task.finished_at} />],
                ]}
              />
            </section>
          </div>
          <section class="panel">
            <h2>{texts.task.body}</h2>
            <JsonView label={texts.task.body} text={textAt(task, "body")} />
          </section>
          {task.result !== undefined && (
            <section class="panel">
              <h2>{texts.task.result}</h2>
              <JsonView label={texts.task.result} text={textAt(task, "result")} />
            </section>
          )}
          <section class="panel">
            <h2>{texts.task.data}</h2>
            <JsonView label={texts.task.data} text={textAt(task, "data")} />
          </section>
        </>
      )}
    </LoadState>
  );
}
