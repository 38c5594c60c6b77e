import { JsonText, textAt, type StepView, type WorkflowView } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import {
  Badge,
  Button,
  LoadState,
  Progress,
  Table,
  toast,
  type Column,
} from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { StateBadge } from "../../common/ui/state_badge.js";
import { DefinitionEditor } from "../parts/definition_editor.js";
import { JsonView } from "../parts/json_view.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";
import { useLiveView } from "../../common/view.js";
import { StepActions } from "./step_actions.js";

const EVERY = 10;

interface Facts {
  workflow: WorkflowView;
  text: string;
}

function Steps(props: { steps: readonly StepView[]; onChange: () => void }): VNode {
  const columns: readonly Column<StepView>[] = [
    {
      key: "key",
      title: texts.step.step,
      cell: ({ id, key }) => <a href={places.step(id)}>{key}</a>,
    },
    {
      key: "status",
      title: texts.step.status,
      cell: ({ status, sealed }) => (
        <span class="row tight">
          <StateBadge state={status} />
          {sealed && <Badge>{texts.step.sealed}</Badge>}
        </span>
      ),
    },
    {
      key: "units",
      title: texts.step.units,
      cell: ({ key, completed_units, total_units }) => (
        <Progress label={texts.step.progressOf(key)} done={completed_units} all={total_units} />
      ),
    },
    ...(may("changeWorkflows")
      ? [
          {
            key: "actions",
            title: texts.actions,
            cell: (step: StepView) => <StepActions step={step} onChange={props.onChange} />,
          },
        ]
      : []),
  ];
  return (
    <Table
      caption={texts.nav.steps}
      hideCaption
      columns={columns}
      rows={props.steps}
      rowKey={({ id }) => id}
    />
  );
}

export function WorkflowPage({ id }: { id: string }): VNode {
  const loaded = useLiveView<Facts>(
    async (signal) => {
      const workflow = await api.getWorkflow(id, {}, { signal });
      return { workflow, text: textAt(workflow, "definition") ?? "{}" };
    },
    [id],
    EVERY,
    { workflow_id: id, types: ["JobStepUpdated"] },
  );
  const [edited, setEdited] = useState<Facts | undefined>(undefined);
  return (
    <LoadState loaded={loaded}>
      {({ workflow, text }) => (
        <>
          <p class="crumbs">
            <a href={places.workflows}>{texts.nav.workflows}</a>
          </p>
          <div class="page-head">
            <h1 class="break">{workflow.name}</h1>
            <Badge>{texts.workflow.versionOf(workflow.version)}</Badge>
          </div>
          <p class="row tight">
            <span class="mono break">{workflow.id}</span>
            <a href={places.eventsOf({ workflow_id: workflow.id })}>{texts.nav.events}</a>
          </p>
          <Steps steps={workflow.steps} onChange={loaded.reload} />
          <section class="panel">
            <div class="panel-head">
              <h2>{texts.workflow.definition}</h2>
              {may("changeWorkflows") && (
                <div class="page-actions">
                  <Button onClick={() => setEdited({ workflow, text })}>{texts.edit}</Button>
                </div>
              )}
            </div>
            <JsonView label={texts.workflow.definition} text={text} />
          </section>
          {edited !== undefined && (
            <DefinitionEditor
              title={texts.workflow.editTitle(edited.workflow.name)}
              before={edited.text}
              check={async (draft) => {
                const { version } = edited.workflow;
                const answer = await api.validateWorkflow(id, new JsonText(draft), { version });
                return answer.differences;
              }}
              save={async (draft) => {
                // The version makes the update conditional, as If-Match does.
                const { version } = edited.workflow;
                const answer = await api.updateWorkflow(id, new JsonText(draft), { version });
                toast(texts.workflow.saved(answer.version));
                loaded.reload();
              }}
              onClose={() => setEdited(undefined)}
            />
          )}
        </>
      )}
    </LoadState>
  );
}
