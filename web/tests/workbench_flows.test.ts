/** The flow of a requester: from a template to a result in a file. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";

import { press } from "./console_steps.js";
import {
  Harness,
  PHONE,
  expectAccessible,
  expectNoSidewaysScroll,
  picture,
  reasonToSkip,
  until,
} from "./harness.js";
import { finishedUnits, unit } from "./label_flow.js";

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
    await page.getByLabel("Name of the workflow").fill(HOSTILE);
    await page.getByLabel("Question", { exact: true }).fill(HOSTILE);
    await page.getByLabel("Labels, one on each line").fill(`good\n${HOSTILE}`);
    await page.getByLabel("Judgments per unit").fill("1");
    await unit(page).getByText(HOSTILE).waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-template");
    await press(page, "Create the workflow");
    const text = `id,text\na,Sunny\nb,"${HOSTILE}"\nc,too,many\n`;
    await page.getByLabel("Choose a CSV or JSON lines file").setInputFiles({
      name: "messages.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(text),
    });
    await unit(page).getByText("Sunny").waitFor();
    await expectAccessible(page);
    await picture(page, "workbench-data");
    await press(page, "Load the file");
    await page.getByText("The file is loaded: 3 rows read").waitFor();
    await page.getByText("the row has 3 fields, and the first line has 2").waitFor();
    await page.getByText("See the progress").click();
    await page.locator(".graph").waitFor();
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
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      press(page, "Download as JSON"),
    ]);
    const results = JSON.parse(readFileSync(await file.path(), "utf8")) as { source_key: string }[];
    assert.deepEqual(new Set(results.map(({ source_key }) => source_key)), new Set(["a", "b"]));
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
    const lines = Array.from({ length: 5000 }, (_, at) => `k${at},text ${at}`);
    await page.getByLabel("Choose a CSV or JSON lines file").setInputFiles({
      name: "many.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(["id,text", ...lines].join("\n")),
    });
    await press(page, "Load the file");
    const step = steps[0]?.id ?? "";
    await until(async () => (await harness.api.getStepStatistics(step)).total_units > 0);
    await harness.node.kill();
    await harness.node.start();
    await page.getByText("The file is loaded: 5,000 rows read").waitFor({ timeout: 120_000 });
    assert.equal((await harness.api.getStepStatistics(step)).total_units, 5000);
  });

  test("a_phone_shows_each_page_without_sideways_scrolling", async () => {
    const page = await harness.open("/workbench", { as: { role: "requester" }, size: PHONE });
    for (const place of ["#/", "#/new", "#/new/boxes", "#/new/review_after_doubt"]) {
      await page.goto(`${harness.url}/workbench${place}`);
      await page.locator("main h1").waitFor();
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
    }
  });
});
