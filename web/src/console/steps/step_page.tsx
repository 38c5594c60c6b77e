import type { ContributorView, StepStatistics } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { count, percent, rate } from "../../common/format.js";
import { Badge, Button, LoadState, Progress, Table, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { ConfirmedButton } from "../../common/ui/action_button.js";
import { Chart } from "../parts/chart.js";
import { Facts, Figure } from "../../common/ui/facts.js";
import { PagedList } from "../../common/ui/paged_list.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useLiveView, usePages, useView } from "../../common/view.js";
import { StepActions } from "./step_actions.js";
import { keepStepSamples, stepRates } from "./step_samples.js";

const EVERY = 10;
const PEOPLE_PER_PAGE = 50;

function StepFigures({ step }: { step: StepStatistics }): VNode {
  return (
    <div class="figures">
      <Figure name={texts.step.judgable} value={count(step.judgable_units)} />
      <Figure name={texts.step.leases} value={count(step.active_leases)} />
      <Figure name={texts.step.judgments} value={count(step.judgments)} />
      <Figure name={texts.step.finalized} value={count(step.finalized_units)} />
      <Figure name={texts.step.pausedUnits} value={count(step.paused_units)} />
      <Figure name={texts.step.canceledUnits} value={count(step.canceled_units)} />
      <Figure name={texts.step.expired} value={count(step.expired_leases)} />
    </div>
  );
}

/** The agreement of the step, measured over its last judgments: asked for by a person alone. */
function Quality({ step }: { step: string }): VNode {
  const [isAsked, setAsked] = useState(false);
  return (
    <section class="panel">
      <h2>{texts.step.quality}</h2>
      {isAsked ? (
        <QualityFigures step={step} />
      ) : (
        <Button onClick={() => setAsked(true)}>{texts.step.measure}</Button>
      )}
    </section>
  );
}

function QualityFigures({ step }: { step: string }): VNode {
  const loaded = useView((signal) => api.getStepQuality(step, { signal }), [step]);
  return (
    <LoadState loaded={loaded}>
      {(quality) => (
        <>
          <Facts
            facts={[
              [texts.step.measured, texts.step.measuredOf(quality.judgments, quality.units)],
              [
                texts.step.alpha,
                quality.comparable
                  ? quality.krippendorff_alpha.toFixed(3)
                  : texts.step.notComparable,
              ],
              [
                texts.step.unsure,
                texts.step.unsureOf(quality.unsure_units, quality.finished_units),
              ],
              [texts.step.saved, count(quality.judgments_saved)],
            ]}
          />
          <ul class="plain-list">
            {quality.concerns.map(({ contributor_id, monitor, why }) => (
              <li key={`${contributor_id} ${monitor}`}>
                <a href={places.person(contributor_id)}>{contributor_id}</a>{" "}
                <Badge tone="warning">{monitor}</Badge> {why}
              </li>
            ))}
          </ul>
        </>
      )}
    </LoadState>
  );
}

function People({ step }: { step: string }): VNode {
  const pages = usePages<ContributorView>(
    async (after, signal) => {
      const page = await api.listContributors(step, { after, limit: PEOPLE_PER_PAGE }, { signal });
      const last = page.contributors[page.contributors.length - 1];
      return { items: page.contributors, next: page.more ? last?.contributor_id : undefined };
    },
    [step],
  );
  const columns: readonly Column<ContributorView>[] = [
    {
      key: "name",
      title: texts.people.contributor,
      cell: ({ contributor_id, flags }) => (
        <span class="row tight">
          <a class="break" href={places.person(contributor_id)}>
            {contributor_id}
          </a>
          {flags.map((flag) => (
            <Badge key={flag} tone="warning">
              {flag}
            </Badge>
          ))}
        </span>
      ),
    },
    {
      key: "standing",
      title: texts.people.standing,
      cell: ({ standing, reason }) => (
        <span class="row tight">
          <StateBadge state={standing} />
          {standing !== "Working" && <span class="soft">{reason}</span>}
        </span>
      ),
    },
    {
      key: "assignments",
      title: texts.people.assignments,
      numeric: true,
      cell: ({ assignments }) => count(assignments),
    },
    {
      key: "tests",
      title: texts.people.tests,
      numeric: true,
      cell: ({ right, tests }) => `${count(right)} / ${count(tests)}`,
    },
    {
      key: "trust",
      title: texts.people.trust,
      numeric: true,
      cell: ({ tests, trust, trust_low }) =>
        tests === 0 ? "–" : `${percent(trust)} (≥ ${percent(trust_low)})`,
    },
    ...(may("changeWorkflows")
      ? [
          {
            key: "remove",
            title: texts.actions,
            cell: ({ contributor_id, standing }: ContributorView) =>
              standing !== "Removed" && (
                <ConfirmedButton
                  danger
                  title={texts.people.removeTitle(contributor_id)}
                  question={texts.people.removeQuestion}
                  run={() => api.removeContributor(step, contributor_id)}
                  done={texts.people.removed(contributor_id)}
                  onDone={pages.reload}
                  label={texts.people.removeOf(contributor_id)}
                >
                  {texts.people.remove}
                </ConfirmedButton>
              ),
          },
        ]
      : []),
  ];
  return (
    <section>
      <h2>{texts.step.people}</h2>
      <PagedList pages={pages}>
        {(people) => (
          <Table
            caption={texts.step.people}
            hideCaption
            columns={columns}
            rows={people}
            rowKey={({ contributor_id }) => contributor_id}
            empty={texts.people.none}
          />
        )}
      </PagedList>
    </section>
  );
}

export function StepPage({ id }: { id: string }): VNode {
  const loaded = useLiveView(
    async (signal) => {
      const step = await api.getStepStatistics(id, { signal });
      keepStepSamples([step]);
      return step;
    },
    [id],
    EVERY,
    { step_id: id, types: ["JobStepUpdated"] },
  );
  return (
    <LoadState loaded={loaded}>
      {(step) => (
        <>
          <p class="crumbs">
            <a href={places.workflow(step.workflow_id)}>{texts.workflow.title}</a>
          </p>
          <div class="page-head">
            <h1 class="break">{step.key}</h1>
            <StateBadge state={step.status} />
            {step.sealed && <Badge>{texts.step.sealed}</Badge>}
            {may("changeWorkflows") && <StepActions step={step} onChange={loaded.reload} />}
          </div>
          <p class="row tight">
            <span class="mono break">{step.id}</span>
            <a href={places.eventsOf({ step_id: step.id })}>{texts.nav.events}</a>
          </p>
          <Progress
            label={texts.step.progressOf(step.key)}
            done={step.completed_units}
            all={step.total_units}
          />
          <StepFigures step={step} />
          <div class="charts">
            <Chart title={texts.step.chart} samples={stepRates(id)} format={rate} />
          </div>
          <Quality step={id} />
          <People step={id} />
        </>
      )}
    </LoadState>
  );
}
