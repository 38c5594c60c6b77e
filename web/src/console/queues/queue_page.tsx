import { textAt, type QueueMetrics, type QueueView } from "holdfast";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { count, duration, percent, rate, shortCount } from "../../common/format.js";
import { go } from "../../common/router.js";
import { Badge, Button, LoadState } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ActionButton, ConfirmedButton } from "../../common/ui/action_button.js";
import { Chart } from "../parts/chart.js";
import { Figure } from "../../common/ui/facts.js";
import { places, QUEUE_TABS, type QueueTab } from "../places.js";
import { may } from "../../common/rights.js";
import { samplesOf, type Sample } from "../samples.js";
import { useView } from "../../common/view.js";
import { DeadTab } from "./dead_tab.js";
import { DefinitionTab } from "./definition_tab.js";
import {
  ERROR_SHARE_BOUND,
  OLDEST_READY_BOUND,
  WINDOW,
  depthSeries,
  keepSample,
  oldestSeconds,
  pastRates,
  rateSeries,
} from "./queue_figures.js";
import { SchedulesTab } from "./schedules_tab.js";
import { TasksTab } from "./tasks_tab.js";

const EVERY = 10;

/** Windows that a node answers, for the rates before this page was opened. */
const PAST_WINDOWS = [30, 60, 120, 180, 240, 300];

interface Facts {
  view: QueueView;
  policyText: string;
  metrics: QueueMetrics;
}

/** The counts of what is stored, which count rows: asked for by a person alone. */
function StoredFigures({ queue }: { queue: string }): VNode {
  const loaded = useView(
    async (signal) => {
      const statistics = await api.getQueueStatistics(queue, { signal });
      const intake = may("changeQueues") ? await api.getQueueIntake(queue, { signal }) : undefined;
      return { statistics, intake };
    },
    [queue],
  );
  return (
    <LoadState loaded={loaded}>
      {({ statistics, intake }) => (
        <div class="figures">
          <Figure name={texts.taskStatus.COMPLETED} value={count(statistics.completed)} />
          <Figure name={texts.taskStatus.FAILURE} value={count(statistics.failed)} />
          <Figure
            name={texts.taskStatus.ERROR}
            value={count(statistics.dead)}
            tone={statistics.dead > 0 ? "bad" : undefined}
          />
          <Figure name={texts.taskStatus.CANCELED} value={count(statistics.canceled)} />
          {intake !== undefined && (
            <Figure
              name={texts.queue.staged}
              value={count(intake.staged)}
              tone={intake.refused > 0 ? "warning" : undefined}
              note={intake.refused > 0 ? texts.queue.refused(count(intake.refused)) : undefined}
            />
          )}
        </div>
      )}
    </LoadState>
  );
}

/**
 * Asks once for the rates of the last minutes, so that the chart does not begin empty; after the
 * figures of the page, which would wait for the same connections.
 */
function usePast(queue: string, isReady: boolean): readonly Sample[] {
  const [past, setPast] = useState<readonly Sample[]>([]);
  const hadSamples = useRef(samplesOf(rateSeries(queue)).length > 6);
  useEffect(() => {
    if (hadSamples.current || !isReady) return undefined;
    const aborter = new AbortController();
    const { signal } = aborter;
    Promise.all(PAST_WINDOWS.map((window) => api.getQueueMetrics(queue, { window }, { signal })))
      .then((windows) => setPast(pastRates(windows)))
      .catch(() => undefined); // the chart then begins with the first figures
    return () => aborter.abort();
  }, [queue, isReady]);
  return past;
}

function QueueFigureRow({ metrics }: { metrics: QueueMetrics }): VNode {
  const oldest = oldestSeconds(metrics);
  return (
    <div class="figures">
      <Figure name={texts.queue.ready} value={shortCount(metrics.ready)} />
      <Figure
        name={texts.queue.oldest}
        value={oldest > 0 ? duration(Math.round(oldest)) : "–"}
        tone={oldest > OLDEST_READY_BOUND ? "warning" : undefined}
      />
      <Figure name={texts.queue.leased} value={shortCount(metrics.leased)} />
      <Figure name={texts.queue.later} value={shortCount(metrics.later)} />
      <Figure name={texts.queue.pausedTasks} value={shortCount(metrics.paused)} />
      <Figure
        name={texts.queue.completed}
        value={rate(metrics.completed_per_second)}
        note={texts.queue.made_(count(metrics.made))}
      />
      <Figure
        name={texts.queue.errors}
        value={percent(metrics.error_share)}
        tone={metrics.error_share >= ERROR_SHARE_BOUND ? "warning" : undefined}
        note={texts.queue.failedAttempts(
          count(metrics.failed_attempts),
          count(metrics.lost_attempts),
        )}
      />
      <Figure
        name={texts.queue.deadLately}
        value={count(metrics.dead)}
        tone={metrics.dead > 0 ? "bad" : undefined}
      />
    </div>
  );
}

function QueueActions(props: { view: QueueView; onChange: () => void }): VNode {
  const { queue, paused } = props.view;
  return (
    <>
      {paused ? (
        <ActionButton
          run={() => api.resumeQueue(queue)}
          done={texts.queue.resumed(queue)}
          onDone={props.onChange}
        >
          {texts.queue.resume}
        </ActionButton>
      ) : (
        <ActionButton
          run={() => api.pauseQueue(queue)}
          done={texts.queue.wasPaused(queue)}
          onDone={props.onChange}
        >
          {texts.queue.pause}
        </ActionButton>
      )}
      <ConfirmedButton
        danger
        title={texts.queue.removeTitle(queue)}
        question={texts.queue.removeQuestion}
        run={() => api.removeQueue(queue)}
        done={texts.queue.removed(queue)}
        onDone={() => go(places.queues)}
      >
        {texts.queue.remove}
      </ConfirmedButton>
    </>
  );
}

function Tabs(props: { queue: string; tab: QueueTab }): VNode {
  return (
    <nav class="tabs" aria-label={texts.queue.tabsLabel}>
      {QUEUE_TABS.map((tab) => (
        <a
          key={tab}
          href={places.queue(props.queue, tab)}
          aria-current={tab === props.tab ? "page" : undefined}
        >
          {texts.queue.tabs[tab]}
        </a>
      ))}
    </nav>
  );
}

export function QueuePage(props: { queue: string; tab: string | undefined }): VNode {
  const { queue } = props;
  const tab = QUEUE_TABS.find((one) => one === props.tab) ?? "tasks";
  const [isCounted, setCounted] = useState(false);
  const loaded = useView<Facts>(
    async (signal) => {
      const [view, metrics] = await Promise.all([
        api.getQueue(queue, { signal }),
        api.getQueueMetrics(queue, { window: WINDOW }, { signal }),
      ]);
      keepSample(queue, metrics);
      return { view, policyText: textAt(view, "policy") ?? "{}", metrics };
    },
    [queue],
    EVERY,
  );
  const past = usePast(queue, loaded.value !== undefined);
  const rates = samplesOf(rateSeries(queue));
  const begin = rates[0]?.at ?? Infinity;
  return (
    <>
      <p class="crumbs">
        <a href={places.queues}>{texts.nav.queues}</a>
      </p>
      <LoadState loaded={loaded}>
        {({ view, metrics }) => (
          <>
            <div class="page-head">
              <h1>{queue}</h1>
              {view.paused && <Badge tone="warning">{texts.paused}</Badge>}
              {view.paused_types.map((type) => (
                <span key={type} class="row tight">
                  <Badge tone="warning">{texts.queue.typePaused(type)}</Badge>
                  {may("changeQueues") && (
                    <ActionButton
                      run={() => api.resumeQueue(queue, { type })}
                      done={texts.queue.resumed(type)}
                      onDone={loaded.reload}
                      label={texts.queue.resumeType(type)}
                    >
                      {texts.queue.resume}
                    </ActionButton>
                  )}
                </span>
              ))}
              <div class="page-actions">
                {!isCounted && (
                  <Button onClick={() => setCounted(true)}>{texts.queue.countStored}</Button>
                )}
                {may("changeQueues") && <QueueActions view={view} onChange={loaded.reload} />}
              </div>
            </div>
            <QueueFigureRow metrics={metrics} />
            {isCounted && <StoredFigures queue={queue} />}
            <div class="charts">
              <Chart
                title={texts.queue.chartRate}
                samples={[...past.filter(({ at }) => at < begin), ...rates]}
                format={rate}
              />
              <Chart
                title={texts.queue.chartDepth}
                samples={samplesOf(depthSeries(queue))}
                format={shortCount}
              />
            </div>
          </>
        )}
      </LoadState>
      <Tabs queue={queue} tab={tab} />
      {tab === "tasks" && <TasksTab queue={queue} />}
      {tab === "dead" && <DeadTab queue={queue} />}
      {tab === "schedules" && <SchedulesTab queue={queue} />}
      {tab === "definition" && loaded.value !== undefined && (
        <DefinitionTab
          view={loaded.value.view}
          policyText={loaded.value.policyText}
          onSaved={loaded.reload}
        />
      )}
    </>
  );
}
