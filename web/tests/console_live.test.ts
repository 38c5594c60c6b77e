/** Events as they happen, over restarts; and the requests that the console does not send. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import type { Request } from "playwright-core";

import { makeData, type Data } from "./console_data.js";
import { Harness, reasonToSkip } from "./harness.js";

/** A killed node: requests meanwhile fail, and the browser says so. */
const LOST = [/net::ERR_/, /status of 50\d/];

describe("the live console", { skip: reasonToSkip() ?? false }, () => {
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

  test("the_tail_of_events_goes_on_behind_its_last_event_when_the_node_was_killed", async () => {
    const page = await harness.open("/console#/events?types=UnitReadyForAssignment", {
      as: "admin",
      allowedErrors: LOST,
    });
    // A stream without a cursor begins when the node opens it.
    const opened = page.waitForResponse(/\/v1\/events/);
    await page.reload();
    await opened;
    await page.getByText("No event yet").waitFor();
    const add = async (from: number, number: number): Promise<void> => {
      const rows = Array.from({ length: number }, (_, place) => ({
        key: `live-${from + place}`,
        input: { text: "late" },
      }));
      const { added } = await harness.api.addSourceData(data.step, { rows });
      assert.equal(added, number);
    };
    await add(0, 3);
    await page.getByText("3 events came").waitFor();
    await harness.node.kill();
    await page.getByText("Connection lost").waitFor();
    await harness.node.start();
    await add(3, 4);
    // Each of the seven once: the three of before do not come again, and none is skipped.
    await page.getByText("7 events came").waitFor();
    await page.getByText("Connection lost").waitFor({ state: "detached" });
    assert.equal(await page.locator(".events > li").count(), 7);
    await page.getByText("UnitReadyForAssignment").first().click();
    await page.getByRole("region", { name: "UnitReadyForAssignment" }).waitFor();
  });

  test("a_held_list_stands_still_and_counts_newer_events", async () => {
    const page = await harness.open(`/console#/events?step_id=${data.step}&from=oldest`, {
      as: { role: "operator" },
    });
    await page.locator(".events > li").first().waitFor();
    const first = await page.locator(".events > li").first().textContent();
    await page.getByRole("button", { name: "Hold the list" }).click();
    await harness.api.changeStep(data.step, { status: "paused" });
    await page.getByText(/1 newer/).waitFor();
    assert.equal(await page.locator(".events > li").first().textContent(), first);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("JobStepUpdated").first().waitFor();
    await harness.api.changeStep(data.step, { status: "running" });
  });

  test("the_overview_says_that_the_node_is_lost_and_heals_by_itself", async () => {
    const page = await harness.open("/console", { as: "admin", allowedErrors: LOST });
    await page.getByRole("heading", { name: "Open steps" }).waitFor();
    await harness.node.kill();
    await page.getByText("Connection lost").waitFor();
    await page.getByRole("link", { name: "mail", exact: true }).waitFor(); // the last figures stay
    await harness.node.start();
    await page.getByText("Connection lost").waitFor({ state: "detached" });
  });

  test("an_idle_list_sends_no_request_and_a_hidden_overview_none_either", async () => {
    const page = await harness.open("/console#/queues", { as: "admin" });
    await page.getByRole("link", { name: "mail", exact: true }).waitFor();
    await page.clock.install();
    const requests: string[] = [];
    page.on("request", (request: Request) => requests.push(request.url()));
    const setVisible = (state: "visible" | "hidden"): Promise<void> =>
      page.evaluate((now) => {
        Object.defineProperty(document, "visibilityState", { value: now, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }, state);

    await setVisible("hidden");
    await page.clock.fastForward(60_000);
    await page.clock.fastForward(60_000);
    assert.deepEqual(requests, []);
    const answered = page.waitForResponse(/queues\/mail\/metrics/);
    await setVisible("visible");
    await answered;
    await page.waitForLoadState("networkidle");

    await page.goto(`${harness.url}/console#/steps`);
    await page.getByText("in all").waitFor();
    requests.splice(0);
    await page.clock.fastForward(120_000);
    assert.deepEqual(requests, []);
  });

  test("no_request_of_any_page_reads_a_list_without_a_bound", async () => {
    const page = await harness.open("/console", { as: "admin" });
    const lists: URL[] = [];
    // Queues and webhooks are left out: the API lists them by name without pages.
    const isList =
      /\/(tasks|job-steps|workflows|attempts|contributors|tokens|audit|schedules|dead-letters)$/;
    page.on("request", (request: Request) => {
      const url = new URL(request.url());
      if (isList.test(url.pathname)) lists.push(url);
      assert.notEqual(request.headers()["accept"], "application/x-ndjson");
    });
    const addresses = [
      "",
      "#/queues",
      "#/queues/mail",
      "#/queues/mail/dead",
      "#/queues/reports/schedules",
      `#/tasks/${data.deadTask}`,
      "#/workflows",
      "#/steps",
      `#/steps/${data.step}`,
      "#/people",
      "#/webhooks/feed",
      "#/tokens",
      "#/audit",
    ];
    for (const address of addresses) {
      await page.goto(`${harness.url}/console${address}`);
      await page.locator("main").waitFor();
      await page.waitForFunction(() => document.querySelector(".loading") === null);
    }
    assert.ok(lists.length >= 10, String(lists));
    for (const url of lists) {
      const limit = Number(url.searchParams.get("limit"));
      assert.ok(limit >= 1 && limit <= 500, String(url));
    }
  });

  test("the_first_view_of_the_console_is_there_within_a_second", async () => {
    const page = await harness.open("/console", { as: "admin" });
    await page.getByRole("heading", { name: "Open steps" }).waitFor();
    const began = performance.now();
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.getByRole("heading", { name: "Open steps" }).waitFor();
    const seconds = (performance.now() - began) / 1000;
    // The machine of the tests is busy: five times the goal of one second still is a failure.
    assert.ok(seconds < 5, `${seconds} s`);
  });
});
