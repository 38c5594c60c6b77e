import { HoldfastError, NoAnswerError, type ListedStep } from "holdfast";
import type { VNode } from "preact";

import { api, isAbort } from "../../common/api.js";
import { Badge, LoadState } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { places } from "../places.js";
import { QUEUES_PER_VIEW, WINDOW, figuresOf } from "../queues/queue_figures.js";
import { QueueTable } from "../queues/queue_table.js";
import { may } from "../../common/rights.js";
import { keepStepSamples } from "../steps/step_samples.js";
import { StepTable } from "../steps/step_table.js";
import { useLiveView } from "../../common/view.js";
import { NodeCards } from "./node_cards.js";
import { problemsOf, type OverviewFacts, type Problem } from "./problems.js";

const EVERY = 10;

/** Steps that the overview asks for. */
const STEPS_LOOKED_AT = 200;
const STEPS_SHOWN = 12;

/** Stored dead letters that the overview looks for, over all queues. */
const DEAD_LOOKED_AT = 50;

interface Overview extends OverviewFacts {
  /** Queues there are, of which the first ones are shown. */
  queueCount: number;
  steps: readonly ListedStep[];
  /** Parts that could not be read. */
  failures: readonly string[];
}

async function load(signal: AbortSignal): Promise<Overview> {
  const failures: string[] = [];
  const part = async <T,>(isAllowed: boolean, ask: () => Promise<T>): Promise<T | undefined> => {
    if (!isAllowed) return undefined;
    try {
      return await ask();
    } catch (error) {
      if (isAbort(error) || signal.aborted) throw error;
      // A token with scopes may not ask for what is of no queue or workflow.
      if (error instanceof HoldfastError && error.status === 403) return undefined;
      // Without an answer or a session no other part has one either.
      if (error instanceof NoAnswerError) throw error;
      if (error instanceof HoldfastError && error.status === 401) throw error;
      failures.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const seesQueues = may("listQueues");
  const [node, placement, guards, audits, webhooks, deadLetters, queues, steps] = await Promise.all(
    [
      part(true, () => api.getNodeStatus({ signal })),
      part(true, () => api.getPlacement({ signal })),
      part(may("readGuards"), () => api.getGuardStatus({ signal })),
      part(may("readGuards"), () => api.getAuditStatus({ signal })),
      part(may("listWebhooks"), () => api.listWebhooks({}, { signal })),
      part(seesQueues, () => api.listTasks({ status: "ERROR", limit: DEAD_LOOKED_AT }, { signal })),
      part(seesQueues, async () => {
        const { queues: all } = await api.listQueues({}, { signal });
        const figures = await figuresOf(all.slice(0, QUEUES_PER_VIEW), signal);
        return { figures, all: all.length };
      }),
      part(may("listSteps"), () => api.listSteps({ limit: STEPS_LOOKED_AT }, { signal })),
    ],
  );
  keepStepSamples(steps?.steps ?? []);
  return {
    node,
    placement,
    guards,
    audits,
    webhooks: webhooks?.webhooks,
    deadLetters,
    queues: queues?.figures,
    queueCount: queues?.all ?? 0,
    steps: steps?.steps ?? [],
    failures,
  };
}

function Problems(props: { problems: readonly Problem[]; failures: readonly string[] }): VNode {
  const { problems, failures } = props;
  if (problems.length === 0 && failures.length === 0) {
    return (
      <p class="all-well" role="status">
        <Badge tone="good">{texts.overview.wellBadge}</Badge> {texts.overview.well}
      </p>
    );
  }
  return (
    <ul class="problems" aria-label={texts.overview.problems}>
      {problems.map(({ level, text, href }) => (
        <li key={text} class={`problem problem-${level}`}>
          <Badge tone={level}>{texts.overview.levels[level]}</Badge>
          {href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>}
        </li>
      ))}
      {failures.map((text) => (
        <li key={text} class="problem problem-warning">
          <Badge tone="warning">{texts.overview.levels.warning}</Badge>
          <span>{texts.overview.unread(text)}</span>
        </li>
      ))}
    </ul>
  );
}

export function OverviewPage(): VNode {
  const loaded = useLiveView(load, [], EVERY, { types: ["JobStepUpdated", "ContributorFlagged"] });
  return (
    <>
      <h1>{texts.overview.title}</h1>
      <LoadState loaded={loaded}>
        {(facts) => {
          const live = facts.steps.filter(({ status }) => status === "Open" || status === "Paused");
          return (
            <>
              <Problems problems={problemsOf(facts)} failures={facts.failures} />
              {facts.queues !== undefined && (
                <section>
                  <div class="section-head">
                    <h2>{texts.nav.queues}</h2>
                    <span class="soft">{texts.queue.window(WINDOW)}</span>
                    {facts.queueCount > facts.queues.length && (
                      <a href={places.queues}>{texts.overview.allQueues(facts.queueCount)}</a>
                    )}
                  </div>
                  <QueueTable figures={facts.queues} caption={texts.nav.queues} />
                </section>
              )}
              <section>
                <div class="section-head">
                  <h2>{texts.overview.steps}</h2>
                  {live.length > STEPS_SHOWN || facts.steps.length === STEPS_LOOKED_AT ? (
                    <a href={places.steps}>{texts.overview.allSteps}</a>
                  ) : null}
                </div>
                <StepTable
                  steps={live.slice(-STEPS_SHOWN).reverse()}
                  caption={texts.overview.steps}
                  empty={texts.overview.noSteps}
                />
              </section>
              {facts.node !== undefined && (
                <section>
                  <h2>{texts.overview.nodes}</h2>
                  <NodeCards node={facts.node} placement={facts.placement} />
                </section>
              )}
            </>
          );
        }}
      </LoadState>
    </>
  );
}
