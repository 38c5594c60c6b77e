import {
  textAt,
  type CorrectionList,
  type CorrectionView,
  type LineageJudgment,
  type LineageUnit,
  type UnitView,
} from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { percent } from "../../common/format.js";
import { may } from "../../common/rights.js";
import { LoadState, Table, TextField, Time } from "../../common/ui/index.js";
import { useView } from "../../common/view.js";
import { texts } from "../../texts/console.js";
import { JsonView } from "../parts/json_view.js";
import { CorrectionButton } from "./unit_corrections.js";

/** Pages of the item that are looked through for the unit. */
const PAGES_MAX = 10;

interface Judged {
  unit: LineageUnit | undefined;
  corrections: CorrectionList;
}

/** The unit with its judgments, among those that were made from the same item. */
async function unitOfItem(id: string, signal: AbortSignal): Promise<LineageUnit | undefined> {
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { units, more } = await api.getLineage(id, { after, limit: 100 }, { signal });
    const found = units.find((unit) => unit.id === id);
    if (found !== undefined || !more) return found;
    after = units.at(-1)?.id;
  }
  return undefined;
}

/** A value as people type it: JSON, or else a text. */
export function typedValue(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

function ReopenButton(props: { unit: UnitView; onDone: () => void }): VNode {
  const t = texts.unit.correct;
  const [judgments, setJudgments] = useState("1");
  const { id, step_id } = props.unit;
  return (
    <CorrectionButton
      title={t.reopenTitle}
      note={t.reopenNote}
      fields={
        <TextField
          label={t.judgments}
          type="number"
          min={1}
          max={100}
          required
          value={judgments}
          onValue={setJudgments}
        />
      }
      run={(reason) => api.reopenUnit(step_id, id, { reason, judgments: Number(judgments) })}
      done={t.reopened}
      onDone={props.onDone}
    >
      {t.reopen}
    </CorrectionButton>
  );
}

function OverrideButton(props: { unit: UnitView; onDone: () => void }): VNode {
  const t = texts.unit.correct;
  const [answer, setAnswer] = useState("");
  const [correctedTo, setCorrectedTo] = useState("");
  const { id, step_id } = props.unit;
  return (
    <CorrectionButton
      title={t.overrideTitle}
      note={t.overrideNote}
      fields={
        <>
          <TextField label={t.answer} hint={t.answerHint} value={answer} onValue={setAnswer} />
          <TextField
            label={t.correctedTo}
            hint={t.correctedToHint}
            value={correctedTo}
            onValue={setCorrectedTo}
          />
        </>
      }
      problem={answer.trim() === "" ? t.answerMissing : undefined}
      run={(reason) =>
        api.overrideResult(step_id, id, {
          answer: typedValue(answer),
          ...(correctedTo.trim() === "" ? {} : { corrected_to: typedValue(correctedTo) }),
          reason,
        })
      }
      done={t.overridden}
      onDone={props.onDone}
    >
      {t.override}
    </CorrectionButton>
  );
}

/** The corrections that the state of the unit allows; the API decides in the end. */
export function CorrectionActions(props: {
  unit: UnitView;
  onDone: () => void;
}): VNode | null {
  const { state } = props.unit;
  const isOpen = state === "Judgable" || state === "Paused";
  if (!isOpen && state !== "Finalized") return null;
  return (
    <>
      {state === "Finalized" && <ReopenButton {...props} />}
      <OverrideButton {...props} />
    </>
  );
}

function JudgmentActions(props: {
  unit: LineageUnit;
  judgment: LineageJudgment;
  onDone: () => void;
}): VNode | null {
  const t = texts.unit.correct;
  const { unit, judgment, onDone } = props;
  const { judgment_id, contributor_id, status, counts } = judgment;
  if (unit.test_question || status === "Surplus" || status === "Unreadable") return null;
  return counts ? (
    <CorrectionButton
      label={t.taintOf(contributor_id)}
      title={t.taintOf(contributor_id)}
      note={t.taintNote}
      run={(reason) => api.taintJudgment(unit.step_id, unit.id, judgment_id, { reason })}
      done={t.tainted}
      onDone={onDone}
    >
      {t.taint}
    </CorrectionButton>
  ) : (
    <CorrectionButton
      label={t.reinstateOf(contributor_id)}
      title={t.reinstateOf(contributor_id)}
      note={t.reinstateNote}
      run={(reason) => api.reinstateJudgment(unit.step_id, unit.id, judgment_id, { reason })}
      done={t.reinstated}
      onDone={onDone}
    >
      {t.reinstate}
    </CorrectionButton>
  );
}

function JudgmentTable(props: { unit: LineageUnit; onDone: () => void }): VNode {
  const t = texts.unit.judged;
  const { unit, onDone } = props;
  return (
    <Table<LineageJudgment>
      caption={t.title}
      hideCaption
      columns={[
        { key: "who", title: t.contributor, cell: (one) => one.contributor_id },
        { key: "answer", title: t.answer, cell: (one) => one.answer },
        {
          key: "data",
          title: t.data,
          cell: (one) => (
            <JsonView label={t.dataOf(one.contributor_id)} text={textAt(one, "data")} />
          ),
        },
        { key: "status", title: t.status, cell: (one) => one.status },
        { key: "trust", title: t.trust, numeric: true, cell: (one) => percent(one.trust) },
        { key: "at", title: t.at, cell: (one) => <Time at={one.submitted_at} /> },
        ...(may("changeWorkflows")
          ? [
              {
                key: "actions",
                title: t.actions,
                cell: (one: LineageJudgment) => (
                  <JudgmentActions unit={unit} judgment={one} onDone={onDone} />
                ),
              },
            ]
          : []),
      ]}
      rows={unit.judgments}
      rowKey={({ judgment_id }) => judgment_id}
      empty={t.none}
    />
  );
}

function CorrectionTable(props: { corrections: readonly CorrectionView[] }): VNode {
  const t = texts.unit.corrections;
  return (
    <Table<CorrectionView>
      caption={t.title}
      hideCaption
      columns={[
        { key: "at", title: t.at, cell: (one) => <Time at={one.at} /> },
        {
          key: "what",
          title: t.what,
          cell: (one) =>
            [t.whats[one.what] ?? one.what, one.contributor_id, one.answer]
              .filter((part) => part !== undefined && part !== "")
              .join(": "),
        },
        { key: "by", title: t.by, cell: (one) => (one.by === "" ? t.node : one.by) },
        { key: "reason", title: t.reason, cell: (one) => one.reason },
      ]}
      rows={props.corrections}
      rowKey={({ number }) => number}
      empty={t.none}
    />
  );
}

/** All judgments of a unit side by side, and what was corrected of it. */
export function UnitJudgments(props: { unit: UnitView; onChange: () => void }): VNode {
  const { id, step_id } = props.unit;
  const loaded = useView<Judged>(
    async (signal) => ({
      unit: await unitOfItem(id, signal),
      corrections: await api.listCorrections(step_id, id, { signal }),
    }),
    [id],
  );
  const onDone = (): void => {
    loaded.reload();
    props.onChange();
  };
  return (
    <LoadState loaded={loaded}>
      {({ unit, corrections }) => (
        <>
          <section class="panel">
            <h2>{texts.unit.judged.title}</h2>
            {unit === undefined ? (
              <p class="empty">{texts.unit.judged.none}</p>
            ) : (
              <JudgmentTable unit={unit} onDone={onDone} />
            )}
          </section>
          <section class="panel">
            <h2>{texts.unit.corrections.title}</h2>
            <CorrectionTable corrections={corrections.corrections} />
          </section>
        </>
      )}
    </LoadState>
  );
}
