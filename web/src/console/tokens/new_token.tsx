import type { CreateTokenRequest } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../../common/api.js";
import { useAction } from "../../common/load.js";
import { Button, Dialog, Notice, Select, TextField } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { texts as sharedTexts } from "../../texts/common.js";
import { CopyButton } from "../parts/copy.js";

const ROLES = ["admin", "operator", "requester", "producer", "worker", "contributor", "auditor"];

const DAY = 86_400;

const ENDS: readonly (readonly [value: string, seconds: number | undefined])[] = [
  ["1h", 3600],
  ["1d", DAY],
  ["30d", 30 * DAY],
  ["1y", 365 * DAY],
  ["never", undefined],
];

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

interface Draft {
  role: string;
  name: string;
  queues: string;
  workflows: string;
  ends: string;
}

export function requestOf(draft: Draft): CreateTokenRequest {
  const { role, name, ends } = draft;
  const queues = wordsOf(draft.queues);
  const workflows = wordsOf(draft.workflows);
  return {
    role,
    ...(role === "contributor" && name !== "" ? { contributor: name } : {}),
    ...(role === "worker" && name !== "" ? { worker: name } : {}),
    ...(queues.length > 0 ? { queues } : {}),
    ...(workflows.length > 0 ? { workflows } : {}),
    expires_in: ENDS.find(([value]) => value === ends)?.[1],
  };
}

/** Makes a token and shows it, once: nobody can be shown its secret again. */
export function NewToken(props: { onClose: () => void }): VNode {
  const [draft, setDraft] = useState<Draft>({
    role: "operator",
    name: "",
    queues: "",
    workflows: "",
    ends: "30d",
  });
  const [token, setToken] = useState<string | undefined>(undefined);
  const make = useAction(async () => {
    setToken((await api.createToken(requestOf(draft))).token);
  });
  const set = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  if (token !== undefined) {
    return (
      <Dialog title={texts.token.made_} onClose={props.onClose}>
        <p>{texts.token.once}</p>
        <p class="row">
          <code class="break secret">{token}</code>
          <CopyButton text={token} label={texts.token.copy} />
        </p>
        <div class="dialog-actions">
          <Button kind="main" onClick={props.onClose}>
            {texts.token.stored}
          </Button>
        </div>
      </Dialog>
    );
  }
  const isBound = draft.role === "worker" || draft.role === "contributor";
  return (
    <Dialog title={texts.token.new} onClose={props.onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void make.run();
        }}
      >
        <Select
          label={texts.token.role}
          hint={texts.token.roles[draft.role]}
          options={ROLES.map((role) => [role, role] as const)}
          value={draft.role}
          onValue={(role) => set({ role })}
        />
        {isBound && (
          <TextField
            label={texts.token.boundTo}
            hint={texts.token.boundHint}
            value={draft.name}
            onValue={(name) => set({ name })}
          />
        )}
        <TextField
          label={texts.token.queues}
          hint={texts.token.queuesHint}
          value={draft.queues}
          onValue={(queues) => set({ queues })}
        />
        <TextField
          label={texts.token.workflows}
          hint={texts.token.workflowsHint}
          value={draft.workflows}
          onValue={(workflows) => set({ workflows })}
        />
        <Select
          label={texts.token.ends}
          options={ENDS.map(([value]) => [value, texts.token.endsIn[value] ?? value] as const)}
          value={draft.ends}
          onValue={(ends) => set({ ends })}
        />
        <Notice error={make.error} />
        <div class="dialog-actions">
          <Button onClick={props.onClose}>{sharedTexts.cancel}</Button>
          <Button kind="main" type="submit" busy={make.busy}>
            {texts.token.make}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
