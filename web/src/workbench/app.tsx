import type { VNode } from "preact";
import { useEffect } from "preact/hooks";

import { usePlace, type Place } from "../common/router.js";
import { Frame, SignInGate } from "../common/ui/index.js";
import { texts } from "../texts/workbench.js";
import { NewWorkflow, TemplatesPage } from "./new_workflow.js";
import { consolePlaces, places } from "./places.js";
import { WorkflowPage } from "./workflow_page.js";
import { WorkflowsPage } from "./workflows_page.js";

/** Auditors read workflows as well; nothing that changes one is shown to them. */
const ROLES = ["requester", "admin", "auditor"];

function NotHere(): VNode {
  return (
    <>
      <h1>{texts.notHere.title}</h1>
      <p>
        {texts.notHere.text} <a href={places.workflows}>{texts.nav.workflows}</a>
      </p>
    </>
  );
}

/** The page of a place, with the title of its window. */
function pageOf({ path }: Place): [title: string, page: VNode] {
  const [section, item, tab] = path;
  switch (section) {
    case undefined:
      return [texts.title, <WorkflowsPage />];
    case "new":
      if (item === undefined) return [texts.template.title, <TemplatesPage />];
      return [texts.template.title, <NewWorkflow key={item} name={item} />];
    case "workflows":
      if (item === undefined) break;
      return [texts.nav.workflows, <WorkflowPage key={item} id={item} tab={tab} />];
  }
  return [texts.notHere.title, <NotHere />];
}

function SignedIn(): VNode {
  const place = usePlace();
  const [title, page] = pageOf(place);
  const [here = ""] = place.path;
  const key = place.path.join("/");
  useEffect(() => scrollTo(0, 0), [key]);
  const links = [
    { href: places.workflows, text: texts.nav.workflows, current: here !== "new" },
    { href: places.create, text: texts.nav.create, current: here === "new" },
    { href: consolePlaces.home, text: texts.nav.console, current: false },
  ];
  return (
    <Frame title={title} name={texts.title} home={places.workflows} links={links}>
      {page}
    </Frame>
  );
}

export function Workbench(): VNode {
  return (
    <SignInGate name={texts.title} home={places.workflows} roles={ROLES}>
      <SignedIn />
    </SignInGate>
  );
}
