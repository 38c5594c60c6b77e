/** The flow of a requester: from a template to a result in a file. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";

import { HoldfastError } from "holdfast";

import { sampleInput } from "../src/workbench/samples.js";
import { TEMPLATES, definitionOf, emptyForm } from "../src/workbench/templates.js";
import { expectToast, inDialog, press } from "./console_steps.js";
import {
  Harness,
  PHONE,
  expectAccessible,
  expectNoSidewaysScroll,
  picture,
  reasonToSkip,
  until,
} from "./harness.js";
import { finishedUnits, shownUnit, unit } from "./label_flow.js";

const HOSTILE = "<img src=x onerror=alert(1)>";

describe("flows of the workbench", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("a_template_leads_to_a_labelled_unit_and_a_downloaded_result", async () => {
    const page = await harness.open("/workbench#/new", { as: { role: "requester" } });
    await page.getByText("Single choice").click();
    await page.getByLabel("Name of the workflow").fill("Messages about deliveries");
    await page.getByLabel("Question", { exact: true }).fill("Is the writer content?");
    await page.getByLabel("Labels, one on each line").fill("good\nbad\nnot said");
    await page.getByLabel("Judgments per unit").fill("1");
    await unit(page).getByText("not said").waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-template");
    await press(page, "Create the workflow");
    const text = 'id,text\na,It came a day early\nb,"Late, and wet"\nc,too,many\n';
    await page.getByLabel("Choose a CSV or JSON lines file").setInputFiles({
      name: "messages.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(text),
    });
    await unit(page).getByText("It came a day early").waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-data");
    await press(page, "Load the file");
    await page.getByText("The file is loaded: 3 rows read").waitFor();
    await page.getByText("the row has 3 fields, and the first line has 2").waitFor();
    await page.getByText("See the progress").click();
    await page.getByText("0 of 2 units").first().waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-progress");

    const { workflows } = await harness.api.listWorkflows();
    const made = await harness.api.getWorkflow(workflows[0]?.id ?? "");
    const step = made.steps[0]?.id ?? "";
    const label = await harness.open(`/label#/steps/${step}`, {
      as: { role: "contributor", contributor: "ana" },
    });
    await unit(label).waitFor();
    await label.waitForSelector("section.unit:not(.is-fresh)");
    await label.keyboard.press("1");
    await finishedUnits(harness, step, 1);
    await page.getByRole("link", { name: "Results" }).click();
    await page.getByRole("cell", { name: "good", exact: true }).waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-results");
    const download = async (format: string): Promise<[name: string, text: string]> => {
      const came = page.waitForEvent("download");
      await press(page, `Download as ${format}`);
      const file = await came;
      return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")];
    };
    type Result = { source_key: string };
    const [listName, list] = await download("JSON");
    const [linesName, lines] = await download("JSON lines");
    const [tableName, table] = await download("CSV");
    assert.match(listName, /\.json$/);
    assert.match(linesName, /\.jsonl$/);
    assert.match(tableName, /\.csv$/);
    const results = JSON.parse(list) as Result[];
    assert.deepEqual(results.map(({ source_key }) => source_key).sort(), ["a", "b"]);
    assert.deepEqual(
      lines
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Result),
      results,
    );
    const [header = "", ...records] = table.trim().split("\n");
    assert.match(header, /source_key/);
    assert.equal(records.length, 2);
    assert.equal(records.filter((record) => record.includes("good")).length, 1);
  });

  test("a_node_killed_during_a_load_loses_and_doubles_nothing", async () => {
    const { workflow_id, steps } = await harness.api.createWorkflow({
      name: "load",
      steps: [{ key: "only" }],
    });
    const page = await harness.open(`/workbench#/workflows/${workflow_id}/data`, {
      as: { role: "requester" },
      allowedErrors: [/./],
    });
    const all = 20_000;
    const lines = Array.from({ length: all }, (_, at) => `k${at},text ${at}`);
    await page.getByLabel("Choose a CSV or JSON lines file").setInputFiles({
      name: "many.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(["id,text", ...lines].join("\n")),
    });
    // The third request waits until the node is dead: the kill falls inside the load for certain.
    let requests = 0;
    let isDead = false;
    await page.route(/\/source-data/, async (route) => {
      if (++requests === 3) {
        await harness.node.kill();
        isDead = true;
      }
      await route.continue();
    });
    await press(page, "Load the file");
    await until(async () => {
      await page.waitForFunction(() => true);
      return isDead;
    });
    assert.equal(await page.getByText("The file is loaded").count(), 0);
    await harness.node.start();
    await page.getByText("The file is loaded: 20,000 rows read").waitFor({ timeout: 120_000 });
    const step = steps[0]?.id ?? "";
    assert.equal((await harness.api.getStepStatistics(step)).total_units, all);
  });

  test("each_template_makes_a_workflow_that_the_node_accepts", async () => {
    for (const template of TEMPLATES) {
      for (const hasTests of [false, true]) {
        const first = emptyForm(template, ["yes", "no"]);
        const form = { ...first, name: template, question: "Which?", hasTests };
        const made = await harness.api
          .createWorkflow(definitionOf(form))
          .catch((error: unknown) => {
            assert.ok(error instanceof HoldfastError);
            assert.fail(`${template}: ${error.message} ${JSON.stringify(error.errors)}`);
          });
        const rows = [{ key: "a", input: sampleInput(form) }];
        const loaded = await harness.api.addManyRows(made.steps[0]?.id ?? "", rows);
        assert.deepEqual(loaded.problems, [], template);
      }
    }
  });

  test("each_template_shows_a_form_in_its_preview", async () => {
    const page = await harness.open("/workbench#/new", { as: { role: "requester" } });
    for (const template of TEMPLATES) {
      await page.goto(`${harness.url}/workbench#/new/${template}`);
      await page.getByLabel("Name of the workflow").fill(template);
      await unit(page).locator(".answer-field").first().waitFor();
    }
  });

  test("a_doubtful_answer_goes_to_a_reviewer_with_the_answer_so_far", async () => {
    const first = emptyForm("review_after_doubt", ["yes", "no"]);
    const form = { ...first, name: "doubt", question: "Is it so?", judgments: 2 };
    const made = await harness.api.createWorkflow(definitionOf(form));
    const [label = "", review = ""] = made.steps.map(({ id }) => id);
    await harness.api.addManyRows(label, [{ key: "a", input: { text: "Sunny" } }]);
    for (const [at, contributor] of ["ana", "bo"].entries()) {
      const page = await harness.open(`/label#/steps/${label}`, {
        as: { role: "contributor", contributor },
      });
      await shownUnit(page, "Sunny");
      await page.keyboard.press(String(at + 1));
      await until(async () => (await harness.api.getStepStatistics(label)).judgments > at);
    }
    await until(async () => (await harness.api.getStepStatistics(review)).total_units === 1);
    const page = await harness.open(`/label#/steps/${review}`, {
      as: { role: "contributor", contributor: "cleo" },
    });
    await shownUnit(page, "Sunny");
    await unit(page).getByText("Answer so far").waitFor();
    await page.getByRole("button", { name: /approve/ }).click();
    await page.getByRole("button", { name: /Hand in/ }).click();
    await finishedUnits(harness, review, 1);
  });

  test("a_test_question_is_made_of_a_unit_and_forgiven", async () => {
    const first = emptyForm("single_choice", ["yes", "no"]);
    const form = { ...first, name: "tested", question: "Is it so?", hasTests: true };
    const { workflow_id, steps } = await harness.api.createWorkflow(definitionOf(form));
    const step = steps[0]?.id ?? "";
    await harness.api.addManyRows(step, [{ key: "a", input: { text: "Sunny" } }]);
    const page = await harness.open(`/workbench#/workflows/${workflow_id}/questions`, {
      as: { role: "requester" },
    });
    await page.getByLabel("Unit to take").selectOption({ label: "a" });
    await shownUnit(page, "Sunny");
    await unit(page).getByRole("button", { name: /yes/ }).click();
    await expectToast(page, "The test question is added");
    await page.getByRole("cell", { name: "yes", exact: true }).waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-questions");
    await press(page, "Forgive test:a");
    await inDialog(page, "Forgive").click();
    await expectToast(page, "The question is forgiven");
    await page.getByText("Forgiven", { exact: true }).waitFor();
    const { questions } = await harness.api.listTestQuestions(step);
    assert.deepEqual(
      questions.map(({ key, forgiven, truth }) => ({ key, forgiven, truth })),
      [{ key: "test:a", forgiven: true, truth: { answer: "yes" } }],
    );
  });

  test("the_console_and_the_workbench_lead_to_each_other", async () => {
    const page = await harness.open("/console", { as: { role: "requester" } });
    await page.getByRole("link", { name: "Workbench" }).click();
    await page.getByRole("heading", { name: "Workflows" }).waitFor();
    await page.getByRole("link", { name: "Console" }).click();
    await page.getByRole("link", { name: "Workbench" }).waitFor();
    const operator = await harness.open("/console", { as: { role: "operator" } });
    await operator.getByRole("link", { name: "Queues" }).first().waitFor();
    assert.equal(await operator.getByRole("link", { name: "Workbench" }).count(), 0);
  });

  test("words_of_a_requester_are_shown_as_text", async () => {
    const page = await harness.open("/workbench#/new/single_choice", { as: { role: "requester" } });
    await page.getByLabel("Name of the workflow").fill(HOSTILE);
    await page.getByLabel("Question", { exact: true }).fill(HOSTILE);
    await page.getByLabel("Labels, one on each line").fill(`good\n${HOSTILE}`);
    await unit(page).getByText(HOSTILE).waitFor();
    await press(page, "Create the workflow");
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    await page.getByLabel("Choose a CSV or JSON lines file").setInputFiles({
      name: "hostile.jsonl",
      mimeType: "application/x-ndjson",
      buffer: Buffer.from(JSON.stringify({ id: HOSTILE, text: `Words ${HOSTILE}` })),
    });
    await unit(page).getByText(`Words ${HOSTILE}`).waitFor();
    assert.equal(await page.locator("main img").count(), 0);
  });

  test("a_phone_shows_each_page_without_sideways_scrolling", async () => {
    const page = await harness.open("/workbench", { as: { role: "requester" }, size: PHONE });
    for (const place of ["#/", "#/new", "#/new/boxes", "#/new/review_after_doubt"]) {
      await page.goto(`${harness.url}/workbench${place}`);
      await page.locator("main h1").waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
    }
    await picture(page, "workbench-phone");
  });
});
