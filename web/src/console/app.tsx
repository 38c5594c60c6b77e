import type { VNode } from "preact";
import { useEffect } from "preact/hooks";

import { usePlace, type Place } from "../common/router.js";
import { session } from "../common/session.js";
import { useSignal } from "../common/signal.js";
import { Frame, SignInGate } from "../common/ui/index.js";
import { texts } from "../texts/console.js";
import { AuditPage } from "./audit/audit_page.js";
import { ClusterPage } from "./cluster/cluster_page.js";
import { EventsPage } from "./events/events_page.js";
import { KeyHelp, useConsoleKeys } from "./keys.js";
import { OverviewPage } from "./overview/overview_page.js";
import { PeoplePage } from "./people/people_page.js";
import { places } from "./places.js";
import { QueuePage } from "./queues/queue_page.js";
import { QueuesPage } from "./queues/queues_page.js";
import { CONSOLE_ROLES, may, type Right } from "../common/rights.js";
import { StepPage } from "./steps/step_page.js";
import { StepsPage } from "./steps/steps_page.js";
import { UnitPage } from "./steps/unit_page.js";
import { WorkflowPage } from "./steps/workflow_page.js";
import { WorkflowsPage } from "./steps/workflows_page.js";
import { TaskPage } from "./tasks/task_page.js";
import { TokensPage } from "./tokens/tokens_page.js";
import { WebhookPage } from "./webhooks/webhook_page.js";
import { WebhooksPage } from "./webhooks/webhooks_page.js";

interface Section {
  /** The first segment of its address; empty: the overview. */
  name: string;
  text: string;
  right?: Right;
  /** Segments whose pages belong to it besides. */
  also?: readonly string[];
}

const SECTIONS: readonly Section[] = [
  { name: "", text: texts.nav.overview },
  { name: "queues", text: texts.nav.queues, right: "listQueues", also: ["tasks"] },
  { name: "workflows", text: texts.nav.workflows, right: "readWorkflows" },
  { name: "steps", text: texts.nav.steps, right: "listSteps", also: ["units"] },
  { name: "people", text: texts.nav.people },
  { name: "events", text: texts.nav.events },
  { name: "webhooks", text: texts.nav.webhooks },
  { name: "cluster", text: texts.nav.cluster },
  { name: "tokens", text: texts.nav.tokens, right: "listTokens" },
  { name: "audit", text: texts.nav.audit, right: "readAudit" },
];

/** The page of a place, with the title of its window. */
function pageOf({ path }: Place): [title: string, page: VNode] {
  const [section = "", item, part] = path;
  switch (section) {
    case "":
      return [texts.title, <OverviewPage />];
    case "queues":
      if (item === undefined) return [texts.nav.queues, <QueuesPage />];
      return [item, <QueuePage key={item} queue={item} tab={part} />];
    case "tasks":
      if (item !== undefined) return [texts.task.title, <TaskPage key={item} id={item} />];
      break;
    case "workflows":
      if (item === undefined) return [texts.nav.workflows, <WorkflowsPage />];
      return [texts.workflow.title, <WorkflowPage key={item} id={item} />];
    case "steps":
      if (item === undefined) return [texts.nav.steps, <StepsPage />];
      return [texts.step.title, <StepPage key={item} id={item} />];
    case "units":
      if (item !== undefined) return [texts.unit.title, <UnitPage key={item} id={item} />];
      break;
    case "people":
      return [texts.nav.people, <PeoplePage />];
    case "events":
      return [texts.nav.events, <EventsPage />];
    case "webhooks":
      if (item === undefined) return [texts.nav.webhooks, <WebhooksPage />];
      return [item, <WebhookPage key={item} name={item} />];
    case "cluster":
      return [texts.nav.cluster, <ClusterPage />];
    case "tokens":
      return [texts.nav.tokens, <TokensPage />];
    case "audit":
      return [texts.nav.audit, <AuditPage />];
  }
  return [texts.notHere.title, <NotHere />];
}

function NotHere(): VNode {
  return (
    <>
      <h1>{texts.notHere.title}</h1>
      <p>
        {texts.notHere.text} <a href={places.overview}>{texts.nav.overview}</a>
      </p>
    </>
  );
}

function SignedIn(): VNode {
  useSignal(session); // another role has other sections
  const place = usePlace();
  const [title, page] = pageOf(place);
  const here = place.path[0] ?? "";
  const help = useConsoleKeys();
  const key = place.path.join("/");
  useEffect(() => scrollTo(0, 0), [key]);
  const workbench = { href: "/workbench", text: texts.nav.workbench, current: false };
  const sections = SECTIONS.filter(({ right }) => right === undefined || may(right)).map(
    ({ name, text, also = [] }) => ({
      href: `#/${name}`,
      text,
      current: name === here || also.includes(here),
    }),
  );
  const links = may("readWorkflows") ? [...sections, workbench] : sections;
  return (
    <Frame title={title} name={texts.title} home={places.overview} links={links}>
      {page}
      <footer class="console-foot">
        <button type="button" class="link" onClick={help.open}>
          {texts.keys.open}
        </button>
      </footer>
      {help.isOpen && <KeyHelp onClose={help.close} />}
    </Frame>
  );
}

export function Console(): VNode {
  return (
    <SignInGate name={texts.title} home={places.overview} roles={CONSOLE_ROLES}>
      <SignedIn />
    </SignInGate>
  );
}
