/** The addresses of the console. */

import { addressOf } from "../common/router.js";

export const QUEUE_TABS = ["tasks", "dead", "schedules", "definition"] as const;
export type QueueTab = (typeof QUEUE_TABS)[number];

export const places = {
  overview: "#/",
  queues: "#/queues",
  queue: (queue: string, tab: QueueTab = "tasks") =>
    addressOf(["queues", queue, ...(tab === "tasks" ? [] : [tab])]),
  task: (id: string) => addressOf(["tasks", id]),
  workflows: "#/workflows",
  workflow: (id: string) => addressOf(["workflows", id]),
  steps: "#/steps",
  step: (id: string) => addressOf(["steps", id]),
  unit: (id: string) => addressOf(["units", id]),
  people: "#/people",
  person: (name: string) => addressOf(["people"], { contributor: name }),
  events: "#/events",
  eventsOf: (filter: { step_id?: string; unit_id?: string; workflow_id?: string }) =>
    addressOf(["events"], filter),
  webhooks: "#/webhooks",
  webhook: (name: string) => addressOf(["webhooks", name]),
  cluster: "#/cluster",
  tokens: "#/tokens",
  audit: "#/audit",
  auditOf: (item: string) => addressOf(["audit"], { item }),
};
