import type { TestQuestionSummary, UnitResult } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../common/api.js";
import { useAction, useLoad } from "../common/load.js";
import { Badge, Notice, Select, Table, TextField, toast } from "../common/ui/index.js";
import { ConfirmedButton } from "../common/ui/action_button.js";
import { PagedList } from "../common/ui/paged_list.js";
import { may } from "../common/rights.js";
import { usePages } from "../common/view.js";
import { plainText } from "../common/unit/input_model.js";
import { isRecord } from "../common/unit/pointer.js";
import { texts } from "../texts/workbench.js";
import { consolePlaces } from "./places.js";
import { FormView } from "./preview.js";
import { isDoubtful } from "./question_health.js";

const QUESTIONS_PER_PAGE = 50;
const UNITS_OFFERED = 50;
function AddQuestion(props: { step: string; ui: string; onAdded: () => void }): VNode {
  const { step, ui, onAdded } = props;
  const [unit, setUnit] = useState("");
  const [key, setKey] = useState("");
  const units = useLoad<readonly UnitResult[]>(
    async (signal) => (await api.listResults(step, { limit: UNITS_OFFERED }, { signal })).results,
    [step],
  );
  const taken = useLoad(
    (signal) =>
      unit === "" ? Promise.resolve(undefined) : api.getUnit(unit, { step_id: step }, { signal }),
    [unit],
  );
  const add = useAction(async (judgment: unknown) => {
    if (!isRecord(judgment) || judgment.answer === undefined)
      throw new Error(texts.questions.noAnswer);
    const truth = { answer: judgment.answer };
    const rows = [{ key, input: taken.value?.input, truth }];
    const answer = await api.addManyTestQuestions(step, rows);
    const [problem] = answer.problems;
    if (problem !== undefined) throw new Error(problem.detail);
    if (answer.added === 0) throw new Error(texts.questions.alreadyThere);
    toast(texts.questions.added);
    setUnit("");
    onAdded();
  });
  return (
    <section class="panel">
      <h2>{texts.questions.add}</h2>
      <p class="soft">{texts.questions.addLead}</p>
      <Select
        label={texts.questions.from}
        value={unit}
        options={[
          ["", "–"],
          ...(units.value ?? []).map((one) => [one.unit_id, one.source_key] as const),
        ]}
        onValue={(id) => {
          setUnit(id);
          const found = units.value?.find(({ unit_id }) => unit_id === id);
          setKey(found === undefined ? "" : `test:${found.source_key}`);
        }}
      />
      {taken.value !== undefined && (
        <>
          <TextField
            label={texts.questions.key}
            hint={texts.questions.keyHint}
            value={key}
            onValue={setKey}
          />
          <h3>{texts.questions.answer}</h3>
          <FormView
            ui={ui}
            input={taken.value.input}
            onAnswer={(judgment) => void add.run(judgment)}
          />
        </>
      )}
      <Notice error={units.error ?? taken.error ?? add.error} />
    </section>
  );
}

export function QuestionsTab(props: {
  step: string;
  defined: Readonly<Record<string, unknown>>;
}): VNode {
  const { step, defined } = props;
  const pages = usePages<TestQuestionSummary>(
    async (after, signal) => {
      const request = { after: Number(after ?? 0), limit: QUESTIONS_PER_PAGE };
      const page = await api.listTestQuestions(step, request, { signal });
      const last = page.questions[page.questions.length - 1];
      return { items: page.questions, next: page.more ? String(last?.ordinal) : undefined };
    },
    [step],
  );
  if (!isRecord(defined.test_questions)) return <p class="empty">{texts.questions.off}</p>;
  const forgive = (one: TestQuestionSummary): VNode =>
    one.forgiven ? (
      <ConfirmedButton
        title={texts.questions.countAgainTitle(one.key)}
        question={texts.questions.countAgainQuestion}
        label={texts.questions.countAgainOf(one.key)}
        run={() => api.forgiveQuestion(step, one.unit_id, { count_again: true })}
        done={texts.questions.counted}
        onDone={pages.reload}
      >
        {texts.questions.countAgain}
      </ConfirmedButton>
    ) : (
      <ConfirmedButton
        title={texts.questions.forgiveTitle(one.key)}
        question={texts.questions.forgiveQuestion}
        label={texts.questions.forgiveOf(one.key)}
        run={() => api.forgiveQuestion(step, one.unit_id)}
        done={texts.questions.wasForgiven}
        onDone={pages.reload}
      >
        {texts.questions.forgive}
      </ConfirmedButton>
    );
  return (
    <>
      {may("changeWorkflows") && (
        <AddQuestion
          step={step}
          ui={typeof defined.ui === "string" ? defined.ui : ""}
          onAdded={pages.reload}
        />
      )}
      <h2>{texts.questions.title}</h2>
      <PagedList pages={pages}>
        {(questions) => (
          <>
            {questions.some((one) => !one.forgiven && isDoubtful(one)) && (
              <p class="soft">{texts.questions.doubtfulHint}</p>
            )}
            <Table
              caption={texts.questions.title}
              hideCaption
              rows={questions}
              rowKey={({ unit_id }) => unit_id}
              empty={texts.questions.none}
              columns={[
                {
                  key: "key",
                  title: texts.questions.question,
                  cell: ({ key, unit_id }) => (
                    <a class="break" href={consolePlaces.unit(unit_id)}>
                      {key}
                    </a>
                  ),
                },
                {
                  key: "truth",
                  title: texts.questions.truth,
                  cell: ({ truth }) =>
                    plainText(isRecord(truth) ? truth.answer : truth).slice(0, 80),
                },
                {
                  key: "health",
                  title: texts.questions.health,
                  cell: (one) => (
                    <span class="row tight">
                      {texts.questions.rightOf(one.right, one.answered)}
                      {one.forgiven && <Badge>{texts.questions.forgiven}</Badge>}
                      {!one.forgiven && isDoubtful(one) && (
                        <Badge tone="warning">{texts.questions.doubtful}</Badge>
                      )}
                    </span>
                  ),
                },
                ...(may("changeWorkflows")
                  ? [{ key: "actions", title: texts.questions.forgive, cell: forgive }]
                  : []),
              ]}
            />
          </>
        )}
      </PagedList>
    </>
  );
}
