import type { ChangeStepRequest, StepView } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { texts } from "../../texts/console.js";
import { ActionButton, ConfirmedButton } from "../../common/ui/action_button.js";

/** The changes that the state of a step allows. */
export function StepActions(props: {
  step: Pick<StepView, "id" | "key" | "status" | "sealed">;
  onChange: () => void;
}): VNode | null {
  const { step, onChange } = props;
  const set = (status: ChangeStepRequest["status"]) => () => api.changeStep(step.id, { status });
  if (step.status === "Canceled") return null;
  const isPaused = step.status === "Paused";
  const isOver = step.status === "Completed";
  return (
    <div class="page-actions">
      {!isOver &&
        (isPaused ? (
          <ActionButton run={set("running")} done={texts.step.resumed(step.key)} onDone={onChange}>
            {texts.step.resume}
          </ActionButton>
        ) : (
          <ActionButton run={set("paused")} done={texts.step.wasPaused(step.key)} onDone={onChange}>
            {texts.step.pause}
          </ActionButton>
        ))}
      {!step.sealed && (
        <ConfirmedButton
          title={texts.step.sealTitle(step.key)}
          question={texts.step.sealQuestion}
          run={set("sealed")}
          done={texts.step.wasSealed(step.key)}
          onDone={onChange}
        >
          {texts.step.seal}
        </ConfirmedButton>
      )}
      {!isOver && (
        <ConfirmedButton
          danger
          title={texts.step.cancelTitle(step.key)}
          question={texts.step.cancelQuestion}
          run={set("canceled")}
          done={texts.step.canceled(step.key)}
          onDone={onChange}
        >
          {texts.step.cancel}
        </ConfirmedButton>
      )}
    </div>
  );
}
