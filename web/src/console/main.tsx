import { render, type VNode } from "preact";

import "../shared/style.css";
import { Frame, SignInGate } from "../shared/ui/index.js";
import { texts } from "../texts/console.js";

function Console(): VNode {
  return (
    <SignInGate name={texts.title} home="#/" roles={["admin", "operator", "requester", "auditor"]}>
      <Frame title={texts.title} name={texts.title} home="#/">
        <h1>{texts.title}</h1>
      </Frame>
    </SignInGate>
  );
}

const app = document.getElementById("app");
if (app !== null) render(<Console />, app);
