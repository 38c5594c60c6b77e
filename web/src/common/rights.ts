/**
 * Which roles may do what, as the API has it (`/openapi.json` names the roles of each operation).
 * The API decides: a control that is hidden here is refused there as well.
 */

import { mayAs } from "./session.js";

const ROLES = {
  listQueues: ["admin", "operator", "auditor"],
  changeQueues: ["admin", "operator"],
  listSteps: ["admin", "operator", "requester", "auditor"],
  readWorkflows: ["admin", "requester", "auditor"],
  changeWorkflows: ["admin", "requester"],
  listWebhooks: ["admin", "operator", "requester", "auditor"],
  changeWebhooks: ["admin", "operator", "requester"],
  readGuards: ["admin", "operator", "auditor"],
  changeCluster: ["admin", "operator"],
  listTokens: ["admin", "auditor"],
  changeTokens: ["admin"],
  readAudit: ["admin", "auditor"],
} as const;

export type Right = keyof typeof ROLES;

/** The roles that have a console: each of them reads more than its own work. */
export const CONSOLE_ROLES = ["admin", "operator", "requester", "auditor"] as const;

export function may(right: Right): boolean {
  return mayAs(...ROLES[right]);
}
