/** Roles, stored scripts and the keyboard. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import type { Page } from "playwright-core";

import { makeData, type Data } from "./console_data.js";
import { Harness, picture, reasonToSkip } from "./harness.js";

const SCRIPT = `<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>`;

/** Every page of the console with data on it. */
function addressesOf(data: Data): string[] {
  return [
    "",
    "#/queues",
    "#/queues/mail",
    "#/queues/mail/dead",
    "#/queues/reports/schedules",
    "#/queues/mail/definition",
    `#/tasks/${data.deadTask}`,
    `#/tasks/${data.runningTask}`,
    "#/workflows",
    `#/workflows/${data.workflow}`,
    "#/steps",
    `#/steps/${data.step}`,
    `#/units/${data.unit}`,
    "#/people?contributor=ana",
    "#/events?from=oldest",
    "#/webhooks",
    "#/webhooks/feed",
    "#/cluster",
    "#/tokens",
    "#/audit",
  ];
}

async function goTo(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator("main h1").first().waitFor();
  await page.waitForFunction(() => document.querySelector("main .loading") === null);
}

describe("safety of the console", { skip: reasonToSkip() ?? false }, () => {
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

  test("an_auditor_sees_every_page_and_no_action", async () => {
    // Each of these only reads.
    const reading = new Set([
      "Refresh",
      "Show more",
      "Look on",
      "Keys (?)",
      "Copy",
      "Open",
      "Hold the list",
      "Clear filters",
      "Sign out",
      "Count finished tasks",
      "Measure the agreement",
      "Show the profile",
      "Show all 16 shards",
      "Check the invariants now",
    ]);
    const page = await harness.open("/console", { as: { role: "auditor" } });
    for (const address of addressesOf(data)) {
      await goTo(page, `${harness.url}/console${address}`);
      assert.equal(await page.getByText("Could not be loaded").count(), 0, address);
      const buttons = await page.getByRole("button").allTextContents();
      const changing = buttons.filter((text) => !reading.has(text));
      assert.deepEqual(changing, [], address);
    }
    const links = await page.getByRole("navigation", { name: "Menu" }).getByRole("link").count();
    assert.equal(links, 11);
  });

  test("an_auditor_who_sends_a_change_anyway_is_refused_by_the_node", async () => {
    const page = await harness.open("/console", {
      as: { role: "auditor" },
      allowedErrors: [/403/],
    });
    const status = await page.evaluate(async () => {
      const answer = await fetch("/v1/queues/mail/pause", {
        method: "POST",
        headers: { "x-holdfast-csrf": "1", "idempotency-key": crypto.randomUUID() },
      });
      return answer.status;
    });
    assert.equal(status, 403);
    assert.equal((await harness.api.getQueue("mail")).paused, false);
  });

  test("an_operator_and_a_requester_see_their_sections_alone", async () => {
    const sections = async (role: string): Promise<string[]> => {
      const page = await harness.open("/console", { as: { role } });
      const menu = page.getByRole("navigation", { name: "Menu" });
      await menu.waitFor();
      await page.getByRole("heading", { name: "Open steps" }).waitFor();
      assert.equal(await page.getByText("could not be read").count(), 0, role);
      return menu.getByRole("link").allTextContents();
    };
    assert.deepEqual(await sections("operator"), [
      "Overview",
      "Queues",
      "Steps",
      "People",
      "Events",
      "Webhooks",
      "Cluster",
    ]);
    assert.deepEqual(await sections("requester"), [
      "Overview",
      "Workflows",
      "Steps",
      "People",
      "Events",
      "Webhooks",
      "Cluster",
      "Workbench",
    ]);
  });

  test("a_token_with_scopes_sees_its_queues_alone", async () => {
    const page = await harness.open("/console", {
      as: { role: "operator", queues: ["mail", "image"] },
      allowedErrors: [/status of 403/],
    });
    await page.getByRole("link", { name: "images", exact: true }).waitFor();
    await page.getByText("Queue mail has 7 dead letters").waitFor();
    assert.equal(await page.getByText("could not be read").count(), 0);
    assert.equal(await page.getByRole("link", { name: "reports" }).count(), 0);
    await page.getByRole("link", { name: "mail", exact: true }).click();
    await page.getByText("The first 50").waitFor();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
  });

  test("stored_scripts_are_shown_as_text_and_never_run", async () => {
    const { api } = harness;
    await api.putQueue("hostile", { retry: { max_attempts: 1 } });
    const type = SCRIPT.slice(0, 128);
    const made = await api.makeTasks("hostile", {
      type,
      body: { text: SCRIPT, [SCRIPT]: SCRIPT },
      data: SCRIPT,
      owner_id: SCRIPT.slice(0, 100),
      run_as_id: SCRIPT.slice(0, 100),
      max_attempts: 1,
    });
    await api.claimTasks("hostile", { worker: SCRIPT.slice(0, 128) }).then((claimed) =>
      api.failTask(made.id ?? "", {
        worker: SCRIPT.slice(0, 128),
        token: claimed?.tasks[0]?.token ?? 0,
        kind: "transient",
        code: SCRIPT.slice(0, 128),
        detail: SCRIPT,
      }),
    );
    const held = await api.makeTasks("hostile", { type, body: {} });
    await api.claimTasks("hostile", { worker: SCRIPT.slice(0, 128) });
    await api.putSchedule("hostile", SCRIPT.slice(0, 128), {
      cron: "@daily",
      task: { type, body: { text: SCRIPT } },
    });
    await api.pauseQueue("hostile", { type });
    const { workflow_id, steps } = await api.createWorkflow({
      name: SCRIPT,
      steps: [{ key: "one", title: SCRIPT, ui: SCRIPT, judgments_per_unit: 1 }],
    });
    const step = steps[0]?.id ?? "";
    await api.addSourceData(step, { rows: [{ key: SCRIPT, input: { text: SCRIPT } }] });
    const contributor_id = SCRIPT.slice(0, 128);
    const one = await api.assign({ step_id: step, contributor_id });
    const unit_id = one?.unit_id ?? "";
    await api.submitJudgment({
      step_id: step,
      unit_id,
      contributor_id,
      token: one?.token ?? 0,
      data: { answer: SCRIPT },
    });
    await api.putProfile(contributor_id, { location: "DE" });
    await api.createToken({ role: "contributor", contributor: contributor_id });

    const page = await harness.open("/console", { as: "admin" });
    const named = encodeURIComponent(contributor_id);
    const addresses = [
      ...addressesOf(data),
      "#/queues/hostile",
      "#/queues/hostile/dead",
      "#/queues/hostile/schedules",
      `#/tasks/${made.id}`,
      `#/tasks/${held.id}`,
      `#/workflows/${workflow_id}`,
      `#/steps/${step}`,
      `#/units/${unit_id}`,
      `#/people?contributor=${named}`,
      `#/queues/${encodeURIComponent(SCRIPT)}`,
    ];
    let shown = 0;
    for (const address of addresses.slice(0, -1)) {
      await goTo(page, `${harness.url}/console${address}`);
      shown += await page.getByText("onerror=").count();
      assert.equal(await page.evaluate(() => "wasRun" in window), false, address);
      assert.equal(await page.locator("main img, main script, main iframe").count(), 0, address);
    }
    assert.ok(shown >= 12, `the texts are shown ${shown} times`);
    await goTo(page, `${harness.url}/console#/events?from=oldest&step_id=${step}`);
    await page.getByText("UnitFinalized").first().waitFor();
    for (const summary of await page.locator(".event summary").all()) await summary.click();
    await page.getByText("onerror=").first().waitFor();
    assert.equal(await page.evaluate(() => "wasRun" in window), false);
  });

  test("a_name_in_the_address_is_text_as_well", async () => {
    const page = await harness.open(`/console#/queues/${encodeURIComponent(SCRIPT)}`, {
      as: "admin",
      allowedErrors: [/status of 4/],
    });
    await page.getByText("Could not be loaded").waitFor();
    assert.equal(await page.evaluate(() => "wasRun" in window), false);
  });

  test("the_keyboard_alone_reaches_filters_sections_rows_and_help", async () => {
    const page = await harness.open("/console", { as: "admin" });
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("Go to the filter").waitFor();
    await picture(page, "console-keys");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("g");
    await page.keyboard.press("q");
    await page.getByRole("heading", { name: "Queues" }).waitFor();
    await page.getByRole("link", { name: "mail", exact: true }).waitFor();
    await page.keyboard.press("/");
    const filtered = page.waitForResponse(/queues\?prefix=mai/);
    await page.keyboard.type("mai");
    await filtered;
    await page.getByRole("link", { name: "images" }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: "mail", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "mail" }).waitFor();
    await page.getByRole("table").waitFor();
    const answered = page.waitForResponse(/queues\/mail\/metrics/);
    await page.keyboard.press("r");
    await answered;
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { name: "Tokens" }).waitFor();
  });

  test("every_control_of_a_page_is_reached_by_tab_and_shows_its_focus", async () => {
    const page = await harness.open("/console#/queues/mail", { as: "admin" });
    await page.getByText("The first 50").waitFor();
    const controls = await page.evaluate(
      () => document.querySelectorAll("a[href], button, input, select, summary").length,
    );
    const reached = new Set<string>();
    let hidden = 0;
    for (let place = 0; place < controls + 10; place++) {
      await page.keyboard.press("Tab");
      const now = await page.evaluate(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return null;
        const { outlineStyle } = getComputedStyle(element);
        const all = [...document.querySelectorAll("*")];
        return { place: String(all.indexOf(element)), outlined: outlineStyle !== "none" };
      });
      if (now === null) break;
      if (!now.outlined) hidden++;
      reached.add(now.place);
    }
    assert.ok(reached.size >= controls, `${reached.size} of ${controls} controls`);
    assert.equal(hidden, 0);
  });
});
