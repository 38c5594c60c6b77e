/** The addresses of the workbench, and those of the console that it leads to. */

import { addressOf } from "../common/router.js";

export const TABS = ["progress", "data", "results", "questions"] as const;
export type Tab = (typeof TABS)[number];

export const places = {
  workflows: "#/",
  create: "#/new",
  template: (name: string) => addressOf(["new", name]),
  workflow: (id: string, tab: Tab = "progress", step?: string) =>
    addressOf(["workflows", id, ...(tab === "progress" ? [] : [tab])], { step }),
};

export const consolePlaces = {
  home: "/console",
  workflow: (id: string) => `/console${addressOf(["workflows", id])}`,
  step: (id: string) => `/console${addressOf(["steps", id])}`,
  unit: (id: string) => `/console${addressOf(["units", id])}`,
  person: (name: string) => `/console${addressOf(["people"], { contributor: name })}`,
};
