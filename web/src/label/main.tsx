import { render, type VNode } from "preact";
import { useState } from "preact/hooks";

import "../common/style.css";
import "../common/unit/unit.css";
import "./label.css";
import "../common/unit/marks.css";
import { useLoad } from "../common/load.js";
import { usePlace } from "../common/router.js";
import { session } from "../common/session.js";
import { useSignal } from "../common/signal.js";
import { Button, Frame, SignInGate, TextField } from "../common/ui/index.js";
import { texts } from "../texts/label.js";
import { client } from "./client.js";
import { browserStore } from "./drafts.js";
import { StepsView } from "./steps_view.js";
import { WorkView } from "./work_view.js";

/** Seconds between looks for new steps. */
const LOOK_AGAIN = 15;
const STEPS_MAX = 100;

const store = browserStore();

/** For sign-ins that are bound to no contributor. */
function NameForm(props: { onName: (name: string) => void }): VNode {
  const [name, setName] = useState("");
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") props.onName(name.trim());
      }}
    >
      <h1>{texts.name.title}</h1>
      <TextField
        label={texts.name.label}
        hint={texts.name.hint}
        maxLength={128}
        required
        value={name}
        onValue={setName}
      />
      <Button kind="main" type="submit">
        {texts.name.button}
      </Button>
    </form>
  );
}

function Work(props: { contributorId: string }): VNode {
  const { contributorId } = props;
  const { path } = usePlace();
  const stepId = path[0] === "steps" ? path[1] : undefined;
  const offers = useLoad(
    (signal) => client.findSteps({ contributor_id: contributorId, limit: STEPS_MAX }, { signal }),
    [contributorId, stepId],
    stepId === undefined ? { every: LOOK_AGAIN } : {},
  );
  if (stepId === undefined) return <StepsView offers={offers} />;
  return (
    <WorkView
      key={stepId}
      stepId={stepId}
      offer={offers.value?.steps.find(({ id }) => id === stepId)}
      contributorId={contributorId}
      store={store}
    />
  );
}

function Page(): VNode {
  const now = useSignal(session);
  const [given, setGiven] = useState<string | undefined>(undefined);
  const contributorId = (now.state === "open" ? now.session.contributor : null) ?? given;
  if (contributorId === undefined) return <NameForm onName={setGiven} />;
  return <Work key={contributorId} contributorId={contributorId} />;
}

function Labelling(): VNode {
  return (
    <SignInGate name={texts.title} home="#/" roles={["contributor", "admin"]}>
      <Frame title={texts.title} name={texts.title} home="#/">
        <Page />
      </Frame>
    </SignInGate>
  );
}

const app = document.getElementById("app");
if (app !== null) render(<Labelling />, app);
