import type { LateResult, TaskAttempt, TaskView } from "holdfast";
import type { VNode } from "preact";

import { duration } from "../../common/format.js";
import { Badge, Time, type Tone } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { spansOf, type Span } from "./task_state.js";

const WIDTH = 240;

const TONES: Readonly<Record<string, Tone>> = {
  Completed: "good",
  Failed: "warning",
  RateLimited: "warning",
  Expired: "warning",
  Lost: "warning",
  Dead: "bad",
  Ejected: "neutral",
  Canceled: "neutral",
  Released: "neutral",
};

function Bar({ span }: { span: Span }): VNode {
  const width = Math.max(2, span.length * WIDTH);
  const x = Math.min(span.begin * WIDTH, WIDTH - width);
  const tone = TONES[span.attempt.ending ?? ""] ?? "busy";
  return (
    <svg
      class={`bar bar-${tone}`}
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <rect class="bar-ground" x="0" y="3" width={WIDTH} height="2" />
      <rect class="bar-time" x={x} y="0" width={width} height="8" />
    </svg>
  );
}

function LateResults(props: { total: number; results: readonly LateResult[] }): VNode | null {
  if (props.total === 0) return null;
  return (
    <details>
      <summary>{texts.task.lateResults(props.total)}</summary>
      <ul class="plain-list">
        {props.results.map(({ worker, outcome, detail, received_at }, place) => (
          <li key={place}>
            {worker} · {outcome} · <Time at={received_at} />
            <pre>{detail}</pre>
          </li>
        ))}
      </ul>
    </details>
  );
}

function ErrorOf({ attempt }: { attempt: TaskAttempt }): VNode | null {
  if (attempt.error_code === undefined && attempt.error_detail === undefined) return null;
  return (
    <div class="attempt-error">
      <code class="break">{attempt.error_code}</code>
      {attempt.error_detail !== undefined && attempt.error_detail !== "" && (
        <pre tabIndex={0} role="region" aria-label={texts.task.errorOf(attempt.token)}>
          {attempt.error_detail}
        </pre>
      )}
    </div>
  );
}

/** The attempts in their order: worker, times, length, end and the error in full. */
export function AttemptLine(props: {
  task: TaskView;
  attempts: readonly TaskAttempt[];
  more: boolean;
}): VNode {
  const spans = spansOf(props.task, props.attempts, Date.now());
  if (spans.length === 0) return <p class="empty">{texts.task.noAttempts}</p>;
  return (
    <>
      <ol class="attempts">
        {spans.map((span, place) => {
          const { attempt } = span;
          return (
            <li key={attempt.token}>
              <div class="row tight">
                <strong>{texts.task.attempt(place + 1)}</strong>
                <Badge tone={TONES[attempt.ending ?? ""] ?? "busy"}>
                  {attempt.ending ?? texts.task.running}
                </Badge>
                <span class="break">{attempt.worker}</span>
                <span class="soft">{texts.task.took(duration(span.took))}</span>
              </div>
              <Bar span={span} />
              <div class="soft small">
                <Time at={attempt.granted_at} />
                {span.waited >= 1 && ` · ${texts.task.waited(duration(span.waited))}`}
                {attempt.ending === undefined && (
                  <>
                    {` · ${texts.task.leaseEnds} `}
                    <Time at={attempt.expires_at} relative />
                  </>
                )}
              </div>
              <ErrorOf attempt={attempt} />
              <LateResults total={attempt.late_results_total} results={attempt.late_results} />
            </li>
          );
        })}
      </ol>
      {props.more && <p class="soft">{texts.task.moreAttempts(spans.length)}</p>}
    </>
  );
}
