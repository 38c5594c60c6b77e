import { JsonText } from "holdfast";
import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { Button } from "../common/ui/index.js";
import { hintsOf } from "../common/unit/hints.js";
import { UnitView, type AnswerTaker, type DraftKeeper } from "../common/unit/unit_view.js";
import { bigIntText } from "../common/unit/input_model.js";
import { isRecord } from "../common/unit/pointer.js";
import { texts } from "../texts/workbench.js";

const NO_DRAFTS: DraftKeeper = {
  get: () => undefined,
  set: () => undefined,
  remove: () => undefined,
};

/** A form of the labelling page with one input; `onAnswer` gets what is handed in. */
export function FormView(props: {
  ui: string;
  input: unknown;
  onAnswer: (judgment: unknown) => void;
  onSkip?: () => void;
}): VNode {
  const { ui, input, onAnswer, onSkip } = props;
  const hints = useMemo(() => hintsOf(ui), [ui]);
  const inputText = useMemo(() => JSON.stringify(input, bigIntText), [input]);
  const unit = { unitId: "preview", input, isSending: false, refusal: undefined };
  const desk: AnswerTaker = {
    handIn: (judgment) =>
      onAnswer(judgment instanceof JsonText ? JSON.parse(judgment.text) : judgment),
    decline: () => onSkip?.(),
  };
  return (
    <UnitView
      key={`${ui} ${inputText}`}
      isPart
      unit={unit}
      hints={hints}
      desk={desk}
      drafts={NO_DRAFTS}
      onSkipped={() => undefined}
    />
  );
}

/** The step of a definition as contributors see it. */
export function Preview(props: { step: unknown; input: unknown }): VNode {
  const { step, input } = props;
  const [answer, setAnswer] = useState<unknown>(undefined);
  const [round, setRound] = useState(0);
  if (!isRecord(step)) return <p class="empty">{texts.preview.failed}</p>;
  const ui = typeof step.ui === "string" ? step.ui : "";
  const { instructions } = hintsOf(ui);
  const again = (): void => {
    setAnswer(undefined);
    setRound(round + 1);
  };
  return (
    <div class="preview">
      {typeof step.title === "string" && step.title !== "" && (
        <p class="preview-title">{step.title}</p>
      )}
      {instructions !== "" && (
        <div class="preview-instructions">
          {instructions.split("\n").map((line, at) => (
            <p key={at}>{line}</p>
          ))}
        </div>
      )}
      <FormView key={round} ui={ui} input={input} onAnswer={setAnswer} onSkip={again} />
      {answer !== undefined && (
        <div class="preview-answer" role="status">
          <p>{texts.preview.answer}</p>
          <pre tabIndex={0}>{JSON.stringify(answer, bigIntText, 2)}</pre>
          <Button onClick={again}>{texts.preview.again}</Button>
        </div>
      )}
    </div>
  );
}
