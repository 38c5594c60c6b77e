import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import type { Page } from "playwright-core";

import { Harness, picture, reasonToSkip, until } from "./harness.js";
import {
  answerOf,
  choiceDefinition,
  finishedUnits,
  makeStep,
  nextText,
  shownUnit,
  unit,
  type MadeStep,
  type Row,
} from "./label_flow.js";

const QUIET_LINE = "Connection lost – trying again";
/** Chromium logs each request that a node or network that is away did not answer. */
const LOST = [/net::ERR_/, /Failed to load resource/];

const pets = (count: number): Row[] =>
  Array.from({ length: count }, (_one, at) => ({
    key: `k${at}`,
    input: { text: `Pet ${String(at).padStart(2, "0")}` },
  }));

const textSchema = {
  properties: { answer: { type: "string", minLength: 1 } },
  required: ["answer"],
};

describe("work at the labelling page", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  const openStep = (
    { stepId, workflowId }: MadeStep,
    contributor: string,
    allowedErrors: readonly RegExp[] = [],
  ): Promise<Page> =>
    harness.open(`/label#/steps/${stepId}`, {
      as: { role: "contributor", contributor, workflows: [workflowId] },
      allowedErrors,
    });

  /** Reloads the page while its node is away, which shows nothing, and again when it is back. */
  const reloadWithoutNode = async (page: Page): Promise<void> => {
    await assert.rejects(page.reload(), /ERR_CONNECTION_REFUSED/);
    await harness.node.start();
    await page.reload();
  };

  test("twenty_units_survive_two_kills_of_the_node_and_a_cut_network", async () => {
    const made = await makeStep(harness, choiceDefinition("twenty"), pets(20));
    const page = await openStep(made, "ana", LOST);
    const context = page.context();
    const quietLine = page.getByText(QUIET_LINE);
    const given = new Map<string, string>();
    let text: string | undefined;
    const label = async (): Promise<void> => {
      text = await nextText(page, text);
      const key = Number(text.slice(-2)) % 3 === 0 ? "2" : "1";
      given.set(text, key === "2" ? "dog" : "cat");
      await page.keyboard.press(key);
    };
    const kept = page.getByText("2 answers are kept here");
    /** The unit on the screen and the one behind it can be handed in while nobody answers. */
    const labelAlone = async (): Promise<void> => {
      await label();
      await quietLine.waitFor();
      await label();
      await kept.waitFor();
    };
    const heal = async (): Promise<void> => {
      await unit(page).waitFor();
      await quietLine.waitFor({ state: "hidden" });
    };

    while (given.size < 5) await label();
    await page.getByText("5 units handed in today").waitFor();
    await shownUnit(page, "Pet");
    await harness.node.kill();
    await labelAlone();
    await picture(page, "label-connection-lost");
    await harness.node.start();
    await heal();

    while (given.size < 11) await label();
    await page.getByText("11 units handed in today").waitFor();
    await harness.node.kill();
    await labelAlone();
    await reloadWithoutNode(page); // the answers are in the browser, and in no node
    await unit(page).waitFor();
    text = undefined;

    while (given.size < 16) await label();
    await page.getByText("16 units handed in today").waitFor();
    await context.setOffline(true);
    await labelAlone();
    await context.setOffline(false);
    await heal();

    while (given.size < 20) await label();
    await page.getByText("20 units handed in today").waitFor();
    await page.getByText("Nothing to label right now").waitFor();

    const units = await finishedUnits(harness, made.stepId, 20);
    assert.equal(units.size, 20);
    for (const [key, one] of units) {
      assert.equal(one.judgments, 1);
      assert.equal(answerOf(one), given.get(`Pet ${key.slice(1).padStart(2, "0")}`));
    }
  });

  test("a_draft_survives_a_reload_and_a_kill_of_the_node", async () => {
    const definition = choiceDefinition("drafts", {
      ui: { schema: textSchema },
      step: { judgment_schema: { type: "object", ...textSchema }, aggregation: {} },
    });
    const made = await makeStep(harness, definition, pets(3));
    const page = await openStep(made, "bea", LOST);
    await shownUnit(page, "Pet");
    const text = await nextText(page, undefined);
    await page.keyboard.type("a long thou");
    await page.reload();
    assert.equal(await nextText(page, undefined), text);
    assert.equal(await page.getByLabel("Answer").inputValue(), "a long thou");
    await harness.node.kill();
    await page.keyboard.press("End");
    await page.keyboard.type("ght");
    await reloadWithoutNode(page);
    assert.equal(await nextText(page, undefined), text);
    await page.keyboard.press("Enter");
    await page.getByText("1 unit handed in today").waitFor();
    const units = await finishedUnits(harness, made.stepId, 1);
    assert.deepEqual([...units.values()].map(answerOf), ["a long thought"]);
    assert.equal(
      await page.evaluate(() => localStorage.getItem("holdfast.label.drafts:bea")),
      null,
    );
  });

  test("the_unit_behind_the_screen_is_asked_for_ahead_and_given_back_on_leaving", async () => {
    const made = await makeStep(harness, choiceDefinition("ahead"), pets(2));
    const page = await openStep(made, "cora");
    const text = await nextText(page, undefined);
    const leases = async (): Promise<number> =>
      (await harness.api.getStepStatistics(made.stepId)).active_leases;
    const untilLeased = (count: number): Promise<void> =>
      until(async () => (await leases()) === count);
    await untilLeased(2);
    // Else the second grant is on its way: the page, which is left, can then not name it.
    await page.waitForFunction(() => {
      const kept = JSON.parse(localStorage.getItem("holdfast.label.desk:cora") ?? "{}") as {
        units?: unknown[];
      };
      return kept.units?.length === 2;
    });
    await page.goto("about:blank");
    await untilLeased(1);
    await page.goBack();
    assert.equal(await nextText(page, undefined), text);
    await untilLeased(2);
    await page.getByRole("link", { name: "Stop" }).click();
    await page.getByText("Work for you").waitFor();
    await untilLeased(0);
    await page.keyboard.press("1");
    await untilLeased(2);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    assert.equal(await leases(), 0);
  });

  test("the_next_unit_is_there_before_the_answer_about_the_last_one", async () => {
    const made = await makeStep(harness, choiceDefinition("quick"), pets(3));
    const page = await openStep(made, "ines");
    const first = await nextText(page, undefined);
    await until(async () => (await harness.api.getStepStatistics(made.stepId)).active_leases === 2);
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route("**/v1/judgments", async (route) => {
      await held;
      await route.continue();
    });
    await page.keyboard.press("1");
    await nextText(page, first);
    assert.match((await page.locator(".today").textContent()) ?? "", /^0 units/);
    answer();
    await page.getByText("1 unit handed in today").waitFor();
  });

  test("a_skipped_unit_does_not_come_again", async () => {
    const made = await makeStep(harness, choiceDefinition("skips"), pets(2));
    const page = await openStep(made, "dora");
    const first = await nextText(page, undefined);
    await page.keyboard.press("s");
    await page.getByText("Skipped.").waitFor();
    await nextText(page, first);
    await page.keyboard.press("1");
    await page.getByText("Nothing to label right now").waitFor();
    await picture(page, "label-waiting");
    await harness.api.addManyRows(made.stepId, [{ key: "new", input: { text: "Pet 99" } }]);
    await shownUnit(page, "Pet 99");
  });

  test("a_lease_goes_on_while_somebody_works_and_ends_when_nobody_does", async () => {
    const definition = choiceDefinition("leases", {
      step: {
        lease: { ttl_seconds: 3, total_max_seconds: 600, regrant_after_seconds: 1 },
      },
      ui: { one_key: false },
    });
    const made = await makeStep(harness, definition, pets(3));
    const page = await openStep(made, "emma", [/409/]);
    const text = await nextText(page, undefined);
    for (let extensions = 0; extensions < 3; extensions++) {
      const extended = page.waitForResponse((one) => one.url().endsWith("/extend") && one.ok());
      await page.keyboard.press(extensions % 2 === 0 ? "1" : "2");
      await extended;
    }
    assert.equal(await nextText(page, undefined), text);
    await page.getByText("The time for this unit is over").waitFor();
    await picture(page, "label-time-over");
    await page.keyboard.press("Enter");
    await shownUnit(page, "Pet");
  });

  test("feedback_on_test_questions_is_shown_where_the_step_gives_it", async () => {
    const definition = choiceDefinition("training", {
      step: { test_questions: { quiz: 2, quiz_pass: 0.5, every: 0, feedback: true } },
      ui: { feedback: true },
    });
    const made = await makeStep(harness, definition, pets(2));
    await harness.api.addManyTestQuestions(made.stepId, [
      { key: "t1", input: { text: "Miaows 01" }, truth: { answer: "cat" } },
      { key: "t2", input: { text: "Miaows 02" }, truth: { answer: "cat" } },
    ]);
    const page = await openStep(made, "flora");
    const first = await nextText(page, undefined);
    await page.keyboard.press("1");
    await page.getByText("test question, and right.").waitFor();
    await nextText(page, first);
    await page.keyboard.press("2");
    await page.getByText("test question, and not right.").waitFor();
    await shownUnit(page, "Pet");
    await picture(page, "label-feedback");
    await page.keyboard.press("1");
    await page.getByText("test question").waitFor({ state: "hidden" });
  });

  test("a_refusal_of_the_node_is_shown_at_its_place_and_can_be_mended", async () => {
    const strict = {
      properties: { answer: { type: "string", pattern: "^[A-Z]" } },
      required: ["answer"],
    };
    const definition = choiceDefinition("strict", {
      ui: { schema: textSchema },
      step: { judgment_schema: { type: "object", ...strict }, aggregation: {} },
    });
    const made = await makeStep(harness, definition, pets(1));
    const page = await openStep(made, "gina", [/422/]);
    await shownUnit(page, "Pet");
    await page.keyboard.type("lower");
    await page.keyboard.press("Enter");
    const problem = page.locator(".answer-field .field-problem");
    await problem.waitFor();
    assert.match((await problem.textContent()) ?? "", /\S/);
    assert.equal(await page.getByLabel("Answer").inputValue(), "lower");
    await picture(page, "label-refused");
    await page.getByLabel("Answer").fill("Upper");
    await page.waitForSelector("section.unit:not(.is-fresh)");
    await page.keyboard.press("Enter");
    await page.getByText("1 unit handed in today").waitFor();
  });

  test("a_step_without_a_form_takes_JSON_with_all_digits_and_shows_its_errors", async () => {
    const definition = {
      name: "free",
      steps: [
        {
          key: "free",
          title: "Anything",
          judgments_per_unit: 1,
          judgment_schema: {
            type: "object",
            properties: { answer: { type: "array", items: { type: "integer" } } },
          },
        },
      ],
    };
    const made = await makeStep(harness, definition, pets(1));
    const page = await openStep(made, "hana", [/422/]);
    await shownUnit(page, "Pet");
    const field = page.getByLabel("Answer as JSON");
    await field.fill('{"answer": [1,}');
    await page.keyboard.press("Control+Enter");
    await page.getByText("This is not JSON").waitFor();
    await field.fill('{"answer": [1, "two"]}');
    await page.keyboard.press("Control+Enter");
    await page.getByText("/answer/1").waitFor();
    await page.waitForSelector("section.unit:not(.is-fresh)");
    await field.fill('{"answer": [9400110200881234567890]}');
    await page.keyboard.press("Control+Enter");
    await page.getByText("1 unit handed in today").waitFor();
    const [result] = (await finishedUnits(harness, made.stepId, 1)).values();
    // An answer that is no text is counted as its JSON.
    assert.equal(answerOf(result), "[9400110200881234567890]");
  });
});
