/** Corrections of one unit on its page, against a real node. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import type { Page } from "playwright-core";

import {
  REFUSED,
  expectNoDialog,
  expectState,
  expectToast,
  inDialog,
  press,
} from "./console_steps.js";
import { Harness, expectAccessible, reasonToSkip, until } from "./harness.js";

describe("corrections of a unit", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  /** A unit that ana and ben have judged "cat" and cem "dog". */
  async function finishedUnit(): Promise<{ step: string; unit: string }> {
    const { api } = harness;
    const { steps } = await api.createWorkflow({
      name: "pets",
      steps: [
        {
          key: "label",
          judgments_per_unit: 3,
          aggregation: { method: "majority", labels: ["cat", "dog", "owl"] },
        },
      ],
    });
    const step = steps[0]?.id ?? "";
    await api.addSourceData(step, { rows: [{ key: "pet-1", input: { image: "pet-1.png" } }] });
    let unit = "";
    for (const [contributor_id, answer] of [
      ["ana", "cat"],
      ["ben", "cat"],
      ["cem", "dog"],
    ] as const) {
      const one = await api.assign({ step_id: step, contributor_id });
      assert.ok(one !== undefined);
      unit = one.unit_id;
      const { token } = one;
      await api.submitJudgment({
        step_id: step,
        unit_id: unit,
        contributor_id,
        token,
        data: { answer },
      });
    }
    await until(async () => (await api.getUnit(unit, {})).state === "Finalized");
    return { step, unit };
  }

  async function openUnit(unit: string, role = "requester", allow = false): Promise<Page> {
    const page = await harness.open(`/console#/units/${unit}`, {
      as: { role },
      ...(allow ? { allowedErrors: REFUSED } : {}),
    });
    await page.getByRole("heading", { name: "Judgments" }).waitFor();
    return page;
  }

  test("all_judgments_stand_side_by_side", async () => {
    const { unit } = await finishedUnit();
    const page = await openUnit(unit);
    for (const name of ["ana", "ben", "cem"]) {
      await page.getByRole("rowheader", { name, exact: true }).waitFor();
    }
    assert.equal(await page.getByRole("cell", { name: "Counted", exact: true }).count(), 3);
    await expectAccessible(page);
  });

  test("a_result_is_overridden_with_a_reason_by_keyboard_alone", async () => {
    const { unit } = await finishedUnit();
    const page = await openUnit(unit);
    await page.getByRole("button", { name: "Override the result", exact: true }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Answer", { exact: true }).focus();
    await page.keyboard.type("dog");
    await page.keyboard.press("Enter");
    // Without a reason nothing is sent.
    await dialog.getByText("Say why").waitFor();
    await dialog.getByLabel("Reason").focus();
    await page.keyboard.type("the picture shows a dog");
    await inDialog(page, "Override the result").focus();
    await page.keyboard.press("Enter");
    await expectToast(page, "The result is overridden");
    await expectNoDialog(page);
    await page.getByRole("cell", { name: "the picture shows a dog", exact: true }).waitFor();
    const { result } = await harness.api.getUnit(unit, {});
    assert.equal((result as { answer: string }).answer, "dog");
    assert.equal(
      (result as { overridden: { reason: string } }).overridden.reason,
      "the picture shows a dog",
    );
  });

  test("an_answer_that_nobody_could_give_is_refused_beside_its_form", async () => {
    const { unit } = await finishedUnit();
    const page = await openUnit(unit, "requester", true);
    await press(page, "Override the result");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Answer", { exact: true }).fill("horse");
    await dialog.getByLabel("Reason").fill("it is a horse");
    await inDialog(page, "Override the result").click();
    await dialog.getByText("cat, dog, owl").first().waitFor();
  });

  test("a_finished_unit_is_reopened", async () => {
    const { unit } = await finishedUnit();
    const page = await openUnit(unit);
    await press(page, "Reopen");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Further judgments").fill("2");
    await dialog.getByLabel("Reason").fill("too close");
    await inDialog(page, "Reopen").click();
    await expectToast(page, "The unit is judged again");
    await expectState(page, "Judgable");
    assert.equal((await harness.api.getUnit(unit, {})).judgments_per_unit, 5);
  });

  test("a_judgment_is_tainted_and_reinstated", async () => {
    const { step, unit } = await finishedUnit();
    const page = await openUnit(unit);
    await press(page, "Taint the judgment of cem");
    await page.getByRole("dialog").getByLabel("Reason").fill("did not look");
    await inDialog(page, "Taint").click();
    await expectToast(page, "The judgment counts no more");
    await press(page, "Reinstate the judgment of cem");
    await page.getByRole("dialog").getByLabel("Reason").fill("did look");
    await inDialog(page, "Reinstate").click();
    await expectToast(page, "The judgment counts again");
    const { corrections } = await harness.api.listCorrections(step, unit);
    assert.deepEqual(
      corrections.map(({ what, reason }) => [what, reason]),
      [
        ["tainted", "did not look"],
        ["reinstated", "did look"],
      ],
    );
  });

  test("an_auditor_sees_corrections_and_makes_none", async () => {
    const { step, unit } = await finishedUnit();
    await harness.api.overrideResult(step, unit, { answer: "owl", reason: "look again" });
    const page = await openUnit(unit, "auditor");
    await page.getByRole("cell", { name: "look again", exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Override the result" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: /^Taint/ }).count(), 0);
  });
});
