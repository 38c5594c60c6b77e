/** The flows of an operator, each against a real node with real work. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import { makeData, type Data } from "./console_data.js";
import {
  REFUSED,
  expectNoDialog,
  expectState,
  expectToast,
  inDialog,
  press,
} from "./console_steps.js";
import { Harness, picture, reasonToSkip } from "./harness.js";

describe("flows of the console", { skip: reasonToSkip() ?? false }, () => {
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

  test("dead_letters_of_one_error_are_redriven_and_others_stay", async () => {
    const { api } = harness;
    const page = await harness.open("/console#/queues/mail/dead", { as: { role: "operator" } });
    await press(page, "Redrive tasks of send with SMTP_DOWN");
    await page.getByText("become live again").waitFor();
    await picture(page, "console-redrive");
    await inDialog(page, "Redrive").click();
    await expectToast(page, "Redrive: ");
    await expectNoDialog(page);
    await page.getByRole("button", { name: "Redrive tasks of send with SMTP_DOWN" }).waitFor({
      state: "detached",
    });
    const { tasks } = await api.listTasks({ queue: "mail", status: "ERROR" });
    assert.ok(tasks.length > 0);
    assert.deepEqual(new Set(tasks.map(({ type }) => type)), new Set(["newsletter"]));
    await press(page, "Redrive all");
    await inDialog(page, "Redrive").click();
    await page.getByText("There is no dead or failed task.").waitFor();
    const left = await api.listTasks({ queue: "mail", status: "FAILURE" });
    assert.equal(left.tasks.length, 0);
  });

  test("all_tasks_that_a_filter_matches_are_counted_and_canceled", async () => {
    const { api } = harness;
    await api.putQueue("bulk", {});
    for (const type of ["mine", "others"]) {
      await api.makeTasks("bulk", {
        tasks: Array.from({ length: 30 }, () => ({ type, body: {} })),
      });
    }
    const page = await harness.open("/console#/queues/bulk/tasks?type=mine", {
      as: { role: "operator" },
    });
    await press(page, "Cancel all that match");
    await page.getByText("30 tasks match.").waitFor();
    await inDialog(page, "Cancel all that match").click();
    await expectToast(page, "Cancel: 30 changed");
    await expectNoDialog(page);
    const { tasks } = await api.listTasks({ queue: "bulk", status: "CANCELED" });
    assert.deepEqual(new Set(tasks.map(({ type }) => type)), new Set(["mine"]));
    assert.equal(tasks.length, 30);
    await page.getByText("Bulk actions").click();
    await page.getByRole("cell", { name: "type=mine" }).waitFor();
  });

  test("a_queue_is_paused_and_resumed", async () => {
    const page = await harness.open("/console#/queues/mail", { as: { role: "operator" } });
    await press(page, "Pause");
    await expectToast(page, "Queue mail is paused");
    await page.getByRole("button", { name: "Resume", exact: true }).waitFor();
    assert.equal((await harness.api.getQueue("mail")).paused, true);
    await press(page, "Resume");
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    assert.equal((await harness.api.getQueue("mail")).paused, false);
  });

  test("the_filters_of_the_tasks_stand_in_the_address", async () => {
    const page = await harness.open("/console#/queues/mail", { as: "admin" });
    await page.getByLabel("Status").selectOption("EXECUTING");
    await page
      .getByRole("table", { name: "Tasks of mail" })
      .getByText("mailer-3")
      .first()
      .waitFor();
    await page.getByText("3 in all").waitFor();
    assert.match(page.url(), /status=EXECUTING/);
    await page.getByLabel("Type").fill("nothing");
    await page.getByText("There is no such task.").waitFor();
    await page.reload();
    assert.equal(await page.getByLabel("Type").inputValue(), "nothing");
    await page.getByText("There is no such task.").waitFor();
  });

  test("a_task_offers_the_actions_that_its_state_allows", async () => {
    const { api } = harness;
    const page = await harness.open(`/console#/tasks/${data.laterTask}`, {
      as: { role: "operator" },
    });
    const actions = page.locator(".page-actions button");
    await page.getByRole("button", { name: "Make due now" }).waitFor();
    assert.deepEqual(await actions.allTextContents(), ["Make due now", "Pause", "Cancel the task"]);
    await press(page, "Make due now");
    await expectToast(page, "The task is due");
    await page.getByRole("button", { name: "Make due now" }).waitFor({ state: "detached" });
    await press(page, "Pause");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await expectState(page, "Paused");
    assert.equal((await api.getTask(data.laterTask))?.paused, true);
    await press(page, "Resume");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await press(page, "Cancel the task");
    await inDialog(page, "Cancel the task").click();
    await expectState(page, "Canceled");
    assert.equal((await api.getTask(data.laterTask))?.status, "CANCELED");
    assert.equal(await actions.count(), 0);
  });

  test("a_task_is_taken_from_its_worker", async () => {
    const page = await harness.open(`/console#/tasks/${data.runningTask}`, {
      as: { role: "operator" },
    });
    await press(page, "Take from its worker");
    await page.getByText("mailer-3 loses the lease").waitFor();
    await inDialog(page, "Take from its worker").click();
    await page.getByText("Ejected").waitFor();
    assert.equal((await harness.api.getTask(data.runningTask))?.status, "QUEUED");
  });

  test("a_completed_task_shows_its_result_and_no_action", async () => {
    const page = await harness.open(`/console#/tasks/${data.completedTask}`, { as: "admin" });
    await page.getByRole("region", { name: "Result" }).getByText('"sent": true').waitFor();
    assert.equal(await page.locator(".page-actions button").count(), 0);
  });

  test("a_schedule_is_made_paused_resumed_run_and_removed", async () => {
    const { api } = harness;
    const page = await harness.open("/console#/queues/reports/schedules", {
      as: "admin",
      allowedErrors: REFUSED,
    });
    await page.getByLabel("Name of a new schedule").fill("hourly");
    await press(page, "New schedule");
    const editor = page.getByLabel("Definition (JSON)");
    await editor.fill('{"cron": "0 25 * * *", "task": {"type": "report.hourly"}}');
    await press(page, "Review changes");
    await press(page, "Save");
    await page.getByText("The node refuses this definition").waitFor();
    await page.getByRole("dialog").getByText("/cron").first().waitFor();
    await press(page, "Back to the text");
    await editor.fill('{"cron": "0 * * * *", "task": {"type": "report.hourly"}}');
    await press(page, "Review changes");
    await press(page, "Save");
    await expectToast(page, "Schedule hourly is saved");
    const one = page.locator("article").filter({ hasText: "hourly" });
    await one.getByText("0 * * * * · UTC").waitFor();

    await one.getByText("The next 10 times").click();
    await one.locator("ol li").nth(9).waitFor();
    assert.match(await one.locator("ol li").first().innerText(), /:00:00 UTC$/);

    await press(page, "Pause hourly");
    await page.getByRole("button", { name: "Resume hourly" }).waitFor();
    const paused = (await api.listSchedules("reports")).schedules.find(
      ({ name }) => name === "hourly",
    );
    assert.equal(paused?.paused, true);
    await press(page, "Resume hourly");
    await page.getByRole("button", { name: "Pause hourly" }).waitFor();

    await press(page, "Make its task now: hourly");
    await inDialog(page, "Make its task now").click();
    await expectToast(page, "The task of hourly is made");
    const { tasks } = await api.listTasks({ queue: "reports", type: "report.hourly" });
    assert.equal(tasks.length, 1);

    await press(page, "Remove hourly");
    await inDialog(page, "Remove").click();
    await one.waitFor({ state: "detached" });
    assert.equal((await api.listSchedules("reports")).schedules.length, 1);
  });

  test("a_policy_is_changed_after_its_difference_was_shown", async () => {
    const page = await harness.open("/console#/queues/mail/definition", {
      as: { role: "operator" },
      allowedErrors: REFUSED,
    });
    await press(page, "Edit");
    const editor = page.getByLabel("Definition (JSON)");
    const before = await editor.inputValue();
    assert.equal(await page.getByRole("button", { name: "Review changes" }).isDisabled(), true);
    await editor.fill(before.replace('"running_max": 50', '"running_max": 80, "bogus": 1'));
    await press(page, "Review changes");
    await press(page, "Save");
    await page.getByRole("dialog").getByText("/bogus").first().waitFor();
    await press(page, "Back to the text");
    await editor.fill("{");
    await page.getByText("This is no JSON").waitFor();
    await editor.fill(before.replace('"running_max": 50', '"running_max": 80'));
    await press(page, "Review changes");
    const difference = page.getByRole("region", { name: "Difference" });
    assert.match(
      (await difference.textContent()) ?? "",
      /−\s+"running_max": 50\n\+\s+"running_max": 80/,
    );
    assert.equal(await page.getByRole("dialog").getByText("/bogus").count(), 0);
    await picture(page, "console-difference");
    await press(page, "Save");
    await expectToast(page, "The policy of mail is saved");
    const { policy } = await harness.api.getQueue("mail");
    assert.equal((policy as { running_max: number }).running_max, 80);
  });

  test("a_policy_that_has_changed_meanwhile_is_not_overwritten", async () => {
    const page = await harness.open("/console#/queues/images/definition", { as: "admin" });
    await press(page, "Edit");
    await page.getByLabel("Definition (JSON)").fill('{"running_max": 3}');
    await harness.api.putQueue("images", { running_max: 2 });
    await press(page, "Review changes");
    await press(page, "Save");
    await page.getByText("It was changed meanwhile").waitFor();
    const { policy } = await harness.api.getQueue("images");
    assert.deepEqual(policy, { running_max: 2 });
  });

  test("numbers_of_a_definition_keep_all_their_digits", async () => {
    await harness.api.putQueue("digits", {});
    const text = '{"weights": {"a": 1.50, "b": 2}}';
    const page = await harness.open("/console#/queues/digits/definition", { as: "admin" });
    await press(page, "Edit");
    await page.getByLabel("Definition (JSON)").fill(text);
    await press(page, "Review changes");
    await press(page, "Save");
    await expectToast(page, "is saved");
    await page.getByRole("region", { name: "Policy" }).getByText('"a": 1.50').waitFor();
  });

  test("a_queue_is_made_and_removed", async () => {
    const page = await harness.open("/console#/queues", {
      as: { role: "operator" },
      allowedErrors: REFUSED,
    });
    await press(page, "New queue");
    await page.getByRole("dialog").getByLabel("Queue").fill("Not Good");
    await press(page, "Make the queue");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.getByRole("dialog").getByLabel("Queue").fill("fresh");
    await press(page, "Make the queue");
    await page.getByRole("heading", { name: "fresh" }).waitFor();
    await press(page, "Remove");
    await inDialog(page, "Remove").click();
    await expectToast(page, "Queue fresh is removed");
    await page.getByRole("heading", { name: "Queues" }).waitFor();
  });

  test("a_step_is_paused_resumed_sealed_and_canceled", async () => {
    const { api } = harness;
    const statusOf = async (): Promise<string> => (await api.getStepStatistics(data.step)).status;
    const page = await harness.open(`/console#/steps/${data.step}`, { as: { role: "requester" } });
    await press(page, "Pause");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    assert.equal(await statusOf(), "Paused");
    await press(page, "Resume");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    assert.equal(await statusOf(), "Open");
    await press(page, "Seal");
    await inDialog(page, "Seal").click();
    await expectState(page, "Sealed");
    await press(page, "Remove ben");
    await inDialog(page, "Remove").click();
    await page.getByText("Removed").first().waitFor();
    await press(page, "Cancel the step");
    await inDialog(page, "Cancel the step").click();
    await expectState(page, "Canceled");
    assert.equal(await statusOf(), "Canceled");
  });

  test("a_step_that_somebody_else_pauses_changes_on_the_page_at_once", async () => {
    const { workflow_id, steps } = await harness.api.createWorkflow({
      name: "live",
      steps: [{ key: "only" }],
    });
    const page = await harness.open(`/console#/workflows/${workflow_id}`, { as: "admin" });
    await page.getByText("Open", { exact: true }).waitFor();
    // The page's own time stands still but for these steps, too few for its next look by itself:
    // the event alone makes it load.
    await page.clock.install();
    await page.reload();
    const state = page.locator("td .badge").first();
    await state.getByText("Open", { exact: true }).waitFor();
    await page.clock.pauseAt(Date.now() + 1000);
    await harness.api.changeStep(steps[0]?.id ?? "", { status: "paused" });
    for (let tick = 0; tick < 80 && (await state.textContent()) !== "Paused"; tick++) {
      await page.clock.runFor(100);
    }
    assert.equal(await state.textContent(), "Paused");
  });

  test("a_workflow_is_checked_by_the_node_before_it_is_changed", async () => {
    const { api } = harness;
    const { workflow_id } = await api.createWorkflow({
      name: "change me",
      steps: [{ key: "one" }],
    });
    const page = await harness.open(`/console#/workflows/${workflow_id}`, {
      as: { role: "requester" },
      allowedErrors: REFUSED,
    });
    await press(page, "Edit");
    const editor = page.getByLabel("Definition (JSON)");
    await editor.fill('{"name": "change me", "steps": [{"key": "one", "judgments_per_unit": 0}]}');
    await press(page, "Review changes");
    await page.getByText("The node refuses this definition").waitFor();
    await editor.fill('{"name": "change me", "steps": [{"key": "one", "judgments_per_unit": 5}]}');
    await press(page, "Review changes");
    await page.getByText(/The node finds/).click();
    await page.getByText("/steps/one/judgments_per_unit").waitFor();
    assert.equal((await api.getWorkflow(workflow_id)).version, 1); // a check changes nothing
    await press(page, "Save");
    await page.getByText("Version 2", { exact: true }).waitFor();
    assert.equal((await api.getWorkflow(workflow_id)).version, 2);
  });
});
