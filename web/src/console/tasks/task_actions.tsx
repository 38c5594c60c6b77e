import type { TaskView } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { texts } from "../../texts/console.js";
import { ActionButton, ConfirmedButton } from "../../common/ui/action_button.js";
import { places } from "../places.js";
import { actionsOf, type TaskAction } from "./task_state.js";

export function TaskActions(props: { task: TaskView; onChange: () => void }): VNode {
  const { task, onChange } = props;
  const { id, queue } = task;
  const buttons: Readonly<Record<TaskAction, VNode>> = {
    retry: (
      <ActionButton
        key="retry"
        run={() => api.retryTask(id, { queue })}
        done={texts.task.retried}
        onDone={onChange}
      >
        {texts.task.retry}
      </ActionButton>
    ),
    pause: (
      <ActionButton
        key="pause"
        run={() => api.pauseTask(id, { queue })}
        done={texts.task.wasPaused}
        onDone={onChange}
      >
        {texts.task.pause}
      </ActionButton>
    ),
    resume: (
      <ActionButton
        key="resume"
        run={() => api.resumeTask(id, { queue })}
        done={texts.task.resumed}
        onDone={onChange}
      >
        {texts.task.resume}
      </ActionButton>
    ),
    eject: (
      <ConfirmedButton
        key="eject"
        title={texts.task.ejectTitle}
        question={texts.task.ejectQuestion(task.worker ?? "–")}
        run={() => api.ejectTask(id, { queue })}
        done={texts.task.ejected}
        onDone={onChange}
      >
        {texts.task.eject}
      </ConfirmedButton>
    ),
    cancel: (
      <ConfirmedButton
        key="cancel"
        danger
        title={texts.task.cancelTitle}
        question={texts.task.cancelQuestion}
        run={() => api.cancelTask(id, { queue })}
        done={texts.task.canceled}
        onDone={onChange}
      >
        {texts.task.cancel}
      </ConfirmedButton>
    ),
  };
  const isDead = task.status === "ERROR" || task.status === "FAILURE";
  return (
    <div class="page-actions">
      {actionsOf(task, Date.now()).map((action) => buttons[action])}
      {isDead && <a href={places.queue(queue, "dead")}>{texts.task.toDeadLetters}</a>}
    </div>
  );
}
