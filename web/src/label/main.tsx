import { render, type VNode } from "preact";

import "../shared/style.css";
import { Frame, SignInGate } from "../shared/ui/index.js";
import { texts } from "../texts/label.js";

function Labelling(): VNode {
  return (
    <SignInGate name={texts.title} home="#/" roles={["contributor", "admin"]}>
      <Frame title={texts.title} name={texts.title} home="#/">
        <h1>{texts.title}</h1>
      </Frame>
    </SignInGate>
  );
}

const app = document.getElementById("app");
if (app !== null) render(<Labelling />, app);
