import { JsonText, type QueueView } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { Button, toast } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { DefinitionEditor } from "../parts/definition_editor.js";
import { JsonView } from "../parts/json_view.js";
import { places } from "../places.js";
import { may } from "../../common/rights.js";

/** Saves a policy unless the queue has changed since it was read: the API compares nothing here. */
async function savePolicy(before: QueueView, text: string): Promise<void> {
  const now = await api.getQueue(before.queue);
  if (now.revision !== before.revision) {
    throw new Error(texts.queue.changedMeanwhile(before.revision, now.revision));
  }
  await api.putQueue(before.queue, new JsonText(text));
  toast(texts.queue.saved(before.queue));
}

export function DefinitionTab(props: {
  view: QueueView;
  policyText: string;
  onSaved: () => void;
}): VNode {
  const { view, policyText } = props;
  // The text that the editor began with stays, while the figures behind it are loaded again.
  const [edited, setEdited] = useState<{ view: QueueView; text: string } | undefined>(undefined);
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{texts.queue.policy}</h2>
        <span class="soft">{texts.revision(view.revision)}</span>
        <div class="page-actions">
          {may("readAudit") && <a href={places.auditOf(`queue ${view.queue}`)}>{texts.changes}</a>}
          {may("changeQueues") && (
            <Button onClick={() => setEdited({ view, text: policyText })}>{texts.edit}</Button>
          )}
        </div>
      </div>
      <JsonView label={texts.queue.policy} text={policyText} />
      {edited !== undefined && (
        <DefinitionEditor
          title={texts.queue.editTitle(view.queue)}
          before={edited.text}
          save={async (text) => {
            await savePolicy(edited.view, text);
            props.onSaved();
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}
