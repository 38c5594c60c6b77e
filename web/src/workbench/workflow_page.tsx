import type { StepStatistics, WorkflowView } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../common/api.js";
import { count } from "../common/format.js";
import { go, usePlace } from "../common/router.js";
import { Button, LoadState, Progress, Select } from "../common/ui/index.js";
import { Facts } from "../common/ui/facts.js";
import { StateBadge } from "../common/ui/state_badge.js";
import { useLiveView, useView } from "../common/view.js";
import { hintsOf } from "../common/unit/hints.js";
import { isRecord } from "../common/unit/pointer.js";
import { texts } from "../texts/workbench.js";
import { DataTab } from "./data_tab.js";
import { graphOf } from "./graph.js";
import { GraphView } from "./graph_view.js";
import { TABS, consolePlaces, places, type Tab } from "./places.js";
import { QuestionsTab } from "./questions_tab.js";
import { ResultsTab } from "./results_tab.js";

const EVERY = 10;

interface LoadedWorkflow {
  workflow: WorkflowView;
  steps: readonly StepStatistics[];
}

function definedStep(workflow: WorkflowView, at: number): Record<string, unknown> {
  const { definition } = workflow;
  const steps: unknown = isRecord(definition) ? definition.steps : undefined;
  const step: unknown = Array.isArray(steps) ? steps[at] : undefined;
  return isRecord(step) ? step : {};
}

/** The top members of the input that the form of a step names. */
export function shownMembers(step: Readonly<Record<string, unknown>>): string[] {
  const hints = hintsOf(typeof step.ui === "string" ? step.ui : "");
  const shown = (hints.show ?? []).flatMap(({ at, and }) => [at, and]);
  const used = Object.values(hints.fields).flatMap(({ on, from }) => [on, from]);
  const names = [...shown, ...used].flatMap((pointer) => {
    const name = pointer?.split("/")[1];
    return name === undefined ? [] : [name.replace(/~1/g, "/").replace(/~0/g, "~")];
  });
  return [...new Set(names)];
}

function Quality({ step }: { step: string }): VNode {
  const loaded = useView((signal) => api.getStepQuality(step, { signal }), [step]);
  return (
    <LoadState loaded={loaded}>
      {(quality) => (
        <>
          <Facts
            facts={[
              [texts.quality.looked, texts.quality.lookedOf(quality.judgments, quality.units)],
              [
                texts.quality.alpha,
                quality.comparable
                  ? texts.quality.alphaHint(quality.krippendorff_alpha.toFixed(3))
                  : texts.quality.none,
              ],
              [
                texts.quality.unsure,
                texts.quality.unsureOf(quality.unsure_units, quality.finished_units),
              ],
              [texts.quality.saved, count(quality.judgments_saved)],
            ]}
          />
          {quality.concerns.length > 0 && <h3>{texts.quality.concerns}</h3>}
          <ul class="plain-list">
            {quality.concerns.map(({ contributor_id, monitor, why }) => (
              <li key={`${contributor_id} ${monitor}`}>
                <a href={consolePlaces.person(contributor_id)}>{contributor_id}</a> {why}
              </li>
            ))}
          </ul>
        </>
      )}
    </LoadState>
  );
}

function StepCard({ step }: { step: StepStatistics }): VNode {
  const [isAsked, setAsked] = useState(false);
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{step.key}</h2>
        <StateBadge state={step.status} />
        <a href={consolePlaces.step(step.id)}>{texts.openConsole}</a>
      </div>
      <Progress
        label={texts.progress.units(step.completed_units, step.total_units)}
        done={step.completed_units}
        all={step.total_units}
      />
      <Facts
        facts={[
          [texts.progress.left, count(step.total_units - step.completed_units)],
          [texts.progress.open, count(step.judgable_units)],
          [texts.progress.leased, count(step.active_leases)],
          [texts.progress.finished, count(step.finalized_units)],
          [texts.progress.paused, count(step.paused_units)],
          [texts.progress.canceled, count(step.canceled_units)],
          [texts.progress.judgments, count(step.judgments)],
        ]}
      />
      <h3>{texts.quality.title}</h3>
      {isAsked ? (
        <Quality step={step.id} />
      ) : (
        <Button onClick={() => setAsked(true)}>{texts.quality.measure}</Button>
      )}
    </section>
  );
}

function ProgressTab({ workflow, steps }: LoadedWorkflow): VNode {
  const counts = new Map(
    steps.map(({ key, completed_units, total_units }) => [
      key,
      { done: completed_units, all: total_units },
    ]),
  );
  return (
    <>
      {steps[0]?.total_units === 0 && (
        <p class="notice" role="status">
          {texts.progress.noData}{" "}
          <a href={places.workflow(workflow.id, "data")}>{texts.progress.loadData}</a>
        </p>
      )}
      <h2>{texts.progress.graph}</h2>
      <GraphView graph={graphOf(workflow.definition)} counts={counts} />
      <p>
        {texts.progress.people} <a href="/label">/label</a>. {texts.progress.peopleHint}
      </p>
      {steps.map((step) => (
        <StepCard key={step.id} step={step} />
      ))}
    </>
  );
}

export function WorkflowPage({ id, tab }: { id: string; tab: string | undefined }): VNode {
  const { query } = usePlace();
  const now: Tab = TABS.find((one) => one === tab) ?? "progress";
  const loaded = useLiveView<LoadedWorkflow>(
    async (signal) => {
      const workflow = await api.getWorkflow(id, {}, { signal });
      const steps: StepStatistics[] = [];
      for (const step of workflow.steps) {
        steps.push(await api.getStepStatistics(step.id, { signal }));
      }
      return { workflow, steps };
    },
    [id],
    EVERY,
    { workflow_id: id, types: ["JobStepUpdated"] },
  );
  return (
    <LoadState loaded={loaded}>
      {({ workflow, steps }) => {
        const found = steps.findIndex(({ key }) => key === query.step);
        const at = found < 0 ? 0 : found;
        const step = steps[at];
        const first = steps[0];
        return (
          <>
            <div class="page-head">
              <h1 class="break">{workflow.name}</h1>
              <div class="page-actions">
                <a href={consolePlaces.workflow(id)}>{texts.openConsole}</a>
              </div>
            </div>
            <nav class="tabs" aria-label={texts.tabs.label}>
              {TABS.map((one) => (
                <a
                  key={one}
                  href={places.workflow(id, one)}
                  aria-current={one === now ? "page" : undefined}
                >
                  {texts.tabs[one]}
                </a>
              ))}
            </nav>
            {(now === "results" || now === "questions") && steps.length > 1 && (
              <Select
                label={texts.step}
                value={step?.key ?? ""}
                options={steps.map(({ key }) => [key, key] as const)}
                onValue={(key) => go(places.workflow(id, now, key), { replace: true })}
              />
            )}
            {now === "progress" && <ProgressTab workflow={workflow} steps={steps} />}
            {now === "data" && first !== undefined && (
              <DataTab
                workflow={id}
                step={first.id}
                definition={definedStep(workflow, 0)}
                expected={shownMembers(definedStep(workflow, 0))}
                onLoaded={loaded.reload}
              />
            )}
            {now === "results" && step !== undefined && (
              <ResultsTab key={step.id} step={step.id} name={`${workflow.name}-${step.key}`} />
            )}
            {now === "questions" && step !== undefined && (
              <QuestionsTab key={step.id} step={step.id} defined={definedStep(workflow, at)} />
            )}
          </>
        );
      }}
    </LoadState>
  );
}
