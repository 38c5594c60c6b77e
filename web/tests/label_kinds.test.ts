import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";

import type { UnitResult } from "holdfast";
import type { Page } from "playwright-core";

import { Harness, expectAccessible, picture, reasonToSkip, until } from "./harness.js";
import { exampleFolder, exampleRows, makeExample, unit } from "./label_flow.js";

/** Labels the unit on the screen by keys alone. */
type Labels = (page: Page) => Promise<void>;

const keys = async (page: Page, ...names: string[]): Promise<void> => {
  for (const name of names) await page.keyboard.press(name);
};

/** Kinds whose pictures the tests with a pointer take, with marks on them. */
const drawnElsewhere: ReadonlySet<string> = new Set(["boxes", "polygons", "ranking", "tags"]);

const byKeys: Readonly<Record<string, { label: Labels; answer: (value: unknown) => void }>> = {
  single_choice: {
    label: (page) => keys(page, "g"),
    answer: (value) => assert.equal(value, "good"),
  },
  several_choices: {
    label: (page) => keys(page, "3", "1", "2", "2", "4", "u", "Enter"),
    answer: (value) => assert.deepEqual(value, ["price", "quality"]),
  },
  text: {
    label: async (page) => {
      await page.keyboard.type("The train to Graz is late – 20 minutes.");
      await keys(page, "Tab");
      await page.keyboard.type("sure");
      await keys(page, "Enter");
    },
    answer: (value) => assert.equal(value, "The train to Graz is late – 20 minutes."),
  },
  tags: {
    label: (page) =>
      keys(page, "ArrowRight", "ArrowRight", "Shift+ArrowRight", "d", "ArrowRight", "p", "Enter"),
    answer: (value) => {
      assert.ok(Array.isArray(value));
      assert.equal(value.length, 2);
      for (const { start, end, text } of value as { start: number; end: number; text: string }[]) {
        assert.equal(text.length, end - start);
      }
    },
  },
  boxes: {
    label: (page) =>
      keys(
        page,
        "b",
        " ",
        "ArrowRight",
        "ArrowRight",
        " ",
        "Shift+ArrowRight",
        "Shift+ArrowDown",
        " ",
        "Enter",
      ),
    answer: (value) => {
      const [only] = value as { label: string; box: number[] }[];
      assert.equal(only?.label, "bus");
      const [left = 0, top = 0, right = 0, bottom = 0] = only.box;
      assert.deepEqual([right - left, bottom - top], [64, 40]); // a tenth of 640 by 400
    },
  },
  points: {
    label: (page) => keys(page, " ", " ", "Shift+ArrowLeft", " ", "Enter"),
    answer: (value) => assert.deepEqual(value, [{ point: [320, 200] }, { point: [256, 200] }]),
  },
  polygons: {
    label: (page) =>
      keys(page, " ", " ", "Shift+ArrowLeft", " ", "Shift+ArrowDown", " ", "c", "Enter"),
    answer: (value) =>
      assert.deepEqual(value, [
        {
          polygon: [
            [320, 200],
            [256, 200],
            [256, 240],
          ],
        },
      ]),
  },
  pairwise: {
    label: (page) => keys(page, "r"),
    answer: (value) => assert.equal(value, "right"),
  },
  ranking: {
    label: (page) => keys(page, "2", "1", "4", "Enter"),
    answer: (value) => {
      const rankings = exampleRows("ranking").map(
        ({ input }) => (input as { answers: string[] }).answers,
      );
      const all = rankings.find((one) => one.includes((value as string[])[0] ?? "")) ?? [];
      assert.deepEqual(value, [all[1], all[0], all[3], all[2]]);
    },
  },
};

describe("the kinds of answers", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("each_example_has_a_definition_data_and_a_test", () => {
    const kinds = (extension: string): string[] =>
      readdirSync(exampleFolder)
        .filter((name) => name.endsWith(`.${extension}`))
        .map((name) => name.slice(0, -extension.length - 1))
        .sort();
    assert.deepEqual(kinds("json"), Object.keys(byKeys).sort());
    assert.deepEqual(kinds("jsonl"), Object.keys(byKeys).sort());
  });

  for (const [kind, { label, answer }] of Object.entries(byKeys)) {
    test(`${kind}_is_labelled_by_keys_and_comes_out_as_its_schema_says`, async () => {
      const { stepId, workflowId } = await makeExample(harness, kind);
      const contributor = `ana_${kind}`;
      const page = await harness.open(`/label#/steps/${stepId}`, {
        as: { role: "contributor", contributor, workflows: [workflowId] },
      });
      await unit(page).waitFor();
      await page.waitForSelector("section.unit:not(.is-fresh)");
      await page.waitForFunction(
        () =>
          [...document.images].every((one) => one.complete) &&
          document.querySelector(".answer-field .loading") === null,
      );
      await expectAccessible(page);
      if (!drawnElsewhere.has(kind)) await picture(page, `label-${kind.replace("_", "-")}`);
      const before = await unit(page).elementHandle();
      await label(page);
      await page.getByText("1 unit handed in today").waitFor();
      await before?.waitForElementState("hidden");
      // The judgment is kept when it is handed in, and counted just after.
      let judged: UnitResult | undefined;
      await until(async () => {
        const { results } = await harness.api.listResults(stepId, { limit: 100 });
        assert.equal(results.length, exampleRows(kind).length);
        judged = results.find(({ judgments }) => judgments === 1);
        return judged !== undefined;
      });
      const { units: lineage } = await harness.api.getLineage(judged?.unit_id ?? "");
      const judgment = lineage[0]?.judgments[0]?.data as { answer: unknown };
      answer(judgment.answer);
    });
  }
});
