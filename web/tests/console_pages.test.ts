/** Every page of the console: what it shows, whether it is accessible and fits, and its picture. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import { STACK, makeData, type Data } from "./console_data.js";
import {
  Harness,
  PHONE,
  expectAccessible,
  expectNoSidewaysScroll,
  picture,
  reasonToSkip,
} from "./harness.js";

describe("pages of the console", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  let data: Data;
  before(async () => {
    harness = await Harness.start();
    data = await makeData(harness.api);
  });
  after(() => harness.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  /** Opens a page, keeps a picture of it, and checks it in both themes and at 360 pixels. */
  async function show(
    name: string | undefined,
    path: string,
    text: string | RegExp,
  ): Promise<void> {
    const page = await harness.open(`/console${path}`, { as: "admin" });
    await page.locator("main").getByText(text).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    if (name !== undefined) await picture(page, `console-${name}`);
    await expectAccessible(page);
    await page.setViewportSize(PHONE);
    await expectNoSidewaysScroll(page);
  }

  test("charts_and_spark_lines_follow_the_work", async () => {
    const { api } = harness;
    await api.putQueue("thumbnails", {});
    const page = await harness.open("/console", { as: "admin" });
    await page.clock.install();
    await page.reload();
    await page.getByRole("link", { name: "thumbnails" }).waitFor();
    const ready = [40, 55, 62, 71, 66, 58, 61, 49, 40, 33, 28, 30, 22, 17, 12, 14, 9, 6];
    for (const number of ready) {
      await api.makeTasks("thumbnails", {
        tasks: Array.from({ length: 30 }, () => ({ type: "resize", body: {} })),
      });
      let left = (await api.getQueueMetrics("thumbnails")).ready;
      while (left > number) {
        const limit = Math.min(20, left - number);
        const { tasks = [] } = (await api.claimTasks("thumbnails", { worker: "w", limit })) ?? {};
        assert.ok(tasks.length > 0, "ready tasks, and none can be claimed");
        const outcomes = tasks.map(({ id, token }) => ({ task: id, token }));
        await api.reportTasks("thumbnails", { worker: "w", outcomes });
        left -= tasks.length;
      }
      // The line of the step moves as well.
      for (const contributor_id of ["ana", "ben"]) {
        const unit = await api.assign({ step_id: data.step, contributor_id });
        if (unit === undefined) continue;
        const { unit_id, token } = unit;
        const judgment = { step_id: data.step, unit_id, token, data: { answer: "yes" } };
        await api.submitJudgment({ ...judgment, contributor_id });
      }
      const answered = page.waitForResponse(/queues\/thumbnails\/metrics/);
      await page.clock.fastForward(10_500);
      await answered;
    }
    const spark = page.getByRole("row", { name: /thumbnails/ }).getByRole("img");
    const points = await spark.locator("polyline").getAttribute("points");
    assert.ok((points ?? "").split(" ").length >= 10, points ?? "no line");
    await picture(page, "console-overview");
    await page.getByLabel("Theme").selectOption("dark");
    await picture(page, "console-overview-dark");
    await page.getByLabel("Theme").selectOption("light");
    await page.goto(`${harness.url}/console#/queues`);
    await page.getByText("Queues 1 to").waitFor();
    await picture(page, "console-queues");
    await page.goto(`${harness.url}/console#/queues/thumbnails`);
    await page.getByRole("img", { name: /^Ready: 6 now/ }).waitFor();
    await page.getByRole("img", { name: /^Completed: / }).waitFor();
    await page.getByRole("table").waitFor();
    await picture(page, "console-queue");
  });

  test("the_overview_says_first_what_is_wrong", async () => {
    const page = await harness.open("/console", { as: "admin" });
    const problems = page.getByRole("list", { name: "Problems" }).getByRole("listitem");
    await problems.first().waitFor();
    const texts = await problems.allTextContents();
    assert.ok(
      texts.some((text) => /Queue mail: 7 tasks died/.test(text)),
      texts.join("\n"),
    );
    assert.ok(texts.some((text) => /Queue images is paused; 5 tasks are ready/.test(text)));
    assert.ok(texts.some((text) => /Queue mail has 7 dead letters/.test(text)));
    assert.match(texts[0] ?? "", /^Act/);
    // The first list of the page is this one.
    const first = await page
      .locator("main")
      .locator("ul, table")
      .first()
      .getAttribute("aria-label");
    assert.equal(first, "Problems");
    await page.getByText("Queue mail has 7 dead letters").click();
    await page.getByRole("heading", { name: "mail" }).waitFor();
    await page.getByText("SMTP_DOWN").first().waitFor();
  });

  test("a_phone_shows_the_overview_from_top_to_bottom", async () => {
    const page = await harness.open("/console", { as: "admin", size: PHONE });
    await page.getByRole("heading", { name: "Nodes" }).waitFor();
    await picture(page, "console-phone");
    await expectNoSidewaysScroll(page);
  });

  test("the_overview_fits_and_is_accessible", () => show(undefined, "", "Open steps"));
  test("the_queues_fit_and_are_accessible", () => show(undefined, "#/queues", "Queues 1 to"));
  test("a_queue_fits_and_is_accessible", () => show(undefined, "#/queues/mail", "The first 50"));
  test("dead_letters_fit_and_are_accessible", () =>
    show("dead-letters", "#/queues/mail/dead", "BAD_ADDRESS"));
  test("schedules_fit_and_are_accessible", () =>
    show("schedules", "#/queues/reports/schedules", "Europe/Berlin"));
  test("a_policy_fits_and_is_accessible", () =>
    show("policy", "#/queues/mail/definition", "max_attempts"));
  test("a_dead_task_fits_and_is_accessible", () =>
    show("task", `#/tasks/${data.retriedTask}`, "Attempt 3"));
  test("workflows_fit_and_are_accessible", () => show("workflows", "#/workflows", "sentiment"));
  test("a_workflow_fits_and_is_accessible", () =>
    show("workflow", `#/workflows/${data.workflow}`, "judgment_schema"));
  test("steps_fit_and_are_accessible", () => show("steps", "#/steps", "review"));
  test("a_step_fits_and_is_accessible", () => show("step", `#/steps/${data.step}`, "ben"));
  test("a_unit_fits_and_is_accessible", () => show("unit", `#/units/${data.unit}`, "Thank you"));
  test("people_fit_and_are_accessible", () =>
    show("people", "#/people?contributor=ana", "mailer-3"));
  test("events_fit_and_are_accessible", () =>
    show("events", "#/events?from=oldest", "JudgmentReceived"));
  test("webhooks_fit_and_are_accessible", () => show("webhooks", "#/webhooks", "example.org"));
  test("a_webhook_fits_and_is_accessible", () =>
    show("webhook", "#/webhooks/feed", "UnitFinalized"));
  test("the_cluster_fits_and_is_accessible", () => show("cluster", "#/cluster", "Invariants"));
  test("tokens_fit_and_are_accessible", () => show("tokens", "#/tokens", "contributor"));
  test("the_audit_log_fits_and_is_accessible", () => show("audit", "#/audit", "put_queue"));

  test("a_task_shows_its_attempts_with_the_error_in_full", async () => {
    const page = await harness.open(`/console#/tasks/${data.deadTask}`, { as: "admin" });
    const error = page.getByRole("region", { name: "Error of attempt 1" });
    assert.equal(await error.textContent(), STACK);
    await page.getByText("it is a dead letter since").waitFor();
    await page.getByText("mailer-2").first().waitFor();
  });
});
