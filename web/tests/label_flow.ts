/** The steps that the tests of the labelling page share. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { UnitResult } from "holdfast";
import type { Page } from "playwright-core";

import { until, type Harness } from "./harness.js";

const root = fileURLToPath(new URL("../../..", import.meta.url)); // from web/build/tests

export const exampleFolder = join(root, "examples/labelling");

export interface MadeStep {
  workflowId: string;
  stepId: string;
}

export interface Row {
  key: string;
  input: unknown;
}

/** Makes a workflow and loads its first step. */
export async function makeStep(
  harness: Harness,
  definition: unknown,
  rows: readonly Row[],
): Promise<MadeStep> {
  const made = await harness.api.createWorkflow(definition);
  const stepId = made.steps[0]?.id ?? "";
  const loaded = await harness.api.addManyRows(stepId, rows);
  if (loaded.added !== rows.length) throw new Error(JSON.stringify(loaded.problems));
  return { workflowId: made.workflow_id, stepId };
}

export function exampleDefinition(kind: string): {
  name: string;
  steps: Record<string, unknown>[];
} {
  const text = readFileSync(join(exampleFolder, `${kind}.json`), "utf8");
  return JSON.parse(text) as { name: string; steps: Record<string, unknown>[] };
}

export function exampleRows(kind: string): Row[] {
  const text = readFileSync(join(exampleFolder, `${kind}.jsonl`), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
}

export function makeExample(harness: Harness, kind: string): Promise<MadeStep> {
  return makeStep(harness, exampleDefinition(kind), exampleRows(kind));
}

/** A step with one choice between two labels. */
export function choiceDefinition(name: string, more: { step?: object; ui?: object } = {}): object {
  const schema = { properties: { answer: { enum: ["cat", "dog"] } }, required: ["answer"] };
  return {
    name,
    steps: [
      {
        key: "label",
        title: "Cat or dog?",
        ui: JSON.stringify({ schema, ...more.ui }),
        judgment_schema: { type: "object", additionalProperties: false, ...schema },
        judgments_per_unit: 1,
        aggregation: { answer: "/answer", labels: ["cat", "dog"] },
        ...more.step,
      },
    ],
  };
}

export const unit = (page: Page) => page.locator("section.unit");

/** Waits until a unit with a text is on the screen, and keys are for it. */
export async function shownUnit(page: Page, text: string): Promise<void> {
  await unit(page).filter({ hasText: text }).waitFor();
  await page.waitForSelector("section.unit:not(.is-fresh)");
}

/** The text of the unit on the screen, once it is another one than before. */
export async function nextText(page: Page, before: string | undefined): Promise<string> {
  const place = unit(page).locator(".text-input").first();
  for (;;) {
    await page.waitForSelector("section.unit:not(.is-fresh)");
    const now = (await place.textContent()) ?? "";
    if (now !== before) return now;
    await page.waitForFunction(
      (old) => document.querySelector("section.unit .text-input")?.textContent !== old,
      before,
    );
  }
}

/**
 * The finished units of a step, by the key of the source, once there are so many: a unit is
 * finished just after its last judgment is accepted.
 */
export async function finishedUnits(
  harness: Harness,
  stepId: string,
  count: number,
): Promise<Map<string, UnitResult>> {
  let finished: UnitResult[] = [];
  await until(async () => {
    const { results } = await harness.api.listResults(stepId, { limit: 1000 });
    finished = results.filter(({ state }) => state === "Finalized");
    return finished.length >= count;
  });
  return new Map(finished.map((one) => [one.source_key, one]));
}

export const answerOf = (one: UnitResult | undefined): unknown =>
  (one?.result as { answer: unknown } | null | undefined)?.answer;
