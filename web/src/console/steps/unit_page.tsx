import { textAt, type UnitExplanation, type UnitView } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { percent } from "../../common/format.js";
import { LoadState } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { ActionButton, ConfirmedButton } from "../../common/ui/action_button.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { Facts } from "../../common/ui/facts.js";
import { JsonView } from "../parts/json_view.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";
import { CorrectionActions, UnitJudgments } from "./unit_judgments.js";

interface UnitFacts {
  unit: UnitView;
  explanation: UnitExplanation;
}

function UnitActions(props: { unit: UnitView; onChange: () => void }): VNode | null {
  const { unit, onChange } = props;
  const { id, step_id, state } = unit;
  if (state !== "Judgable" && state !== "Paused") return null;
  const set = (status: "paused" | "running" | "canceled") => () =>
    api.changeUnit(id, { step_id, status });
  return (
    <div class="page-actions">
      {state === "Paused" ? (
        <ActionButton run={set("running")} done={texts.unit.resumed} onDone={onChange}>
          {texts.step.resume}
        </ActionButton>
      ) : (
        <ActionButton run={set("paused")} done={texts.unit.wasPaused} onDone={onChange}>
          {texts.step.pause}
        </ActionButton>
      )}
      <ConfirmedButton
        danger
        title={texts.unit.cancelTitle}
        question={texts.unit.cancelQuestion}
        run={set("canceled")}
        done={texts.unit.canceled}
        onDone={onChange}
      >
        {texts.unit.cancel}
      </ConfirmedButton>
    </div>
  );
}

/** One unit: its state, the reasons why it does not move, its data and its result. */
export function UnitPage({ id }: { id: string }): VNode {
  const loaded = useView<UnitFacts>(
    async (signal) => {
      const unit = await api.getUnit(id, {}, { signal });
      const { step_id } = unit;
      return { unit, explanation: await api.explainUnit(id, { step_id }, { signal }) };
    },
    [id],
  );
  return (
    <LoadState loaded={loaded}>
      {({ unit, explanation }) => (
        <>
          <p class="crumbs">
            <a href={places.step(unit.step_id)}>{texts.step.title}</a>
          </p>
          <div class="page-head">
            <h1 class="break">{texts.unit.named(unit.source_key)}</h1>
            <StateBadge state={unit.state} />
            {may("changeWorkflows") && (
              <>
                <UnitActions unit={unit} onChange={loaded.reload} />
                <div class="page-actions">
                  <CorrectionActions unit={unit} onDone={loaded.reload} />
                </div>
              </>
            )}
          </div>
          <p class="row tight">
            <span class="mono break">{unit.id}</span>
            <a href={places.eventsOf({ unit_id: unit.id })}>{texts.nav.events}</a>
          </p>
          <ul class="plain-list reasons">
            {explanation.reasons.map(({ code, text }) => (
              <li key={code}>
                <code>{code}</code> {text}
              </li>
            ))}
          </ul>
          <section class="panel">
            <Facts
              facts={[
                [
                  texts.unit.judgments,
                  texts.unit.judgmentsOf(unit.judgment_count, unit.judgments_per_unit),
                ],
                [texts.unit.leases, String(unit.assignment_count)],
                [texts.unit.confidence, percent(unit.confidence)],
                [texts.workflow.version, String(unit.version)],
              ]}
            />
          </section>
          <section class="panel">
            <h2>{texts.unit.input}</h2>
            <JsonView label={texts.unit.input} text={textAt(unit, "input")} />
          </section>
          {unit.result !== undefined && (
            <section class="panel">
              <h2>{texts.unit.result}</h2>
              <JsonView label={texts.unit.result} text={textAt(unit, "result")} />
            </section>
          )}
          <UnitJudgments
            key={`${unit.id} ${unit.state} ${unit.judgment_count}`}
            unit={unit}
            onChange={loaded.reload}
          />
        </>
      )}
    </LoadState>
  );
}
