/** Flows around webhooks, tokens and the audit log, against a real node. */

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import { makeData } from "./console_data.js";
import { REFUSED, expectState, expectToast, inDialog, press } from "./console_steps.js";
import { Harness, reasonToSkip, until } from "./harness.js";

describe("webhooks, tokens and the audit log", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
    await makeData(harness.api);
  });
  after(() => harness.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("a_token_is_shown_once_and_revoked", async () => {
    const page = await harness.open("/console#/tokens", { as: "admin" });
    await press(page, "New token");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Role").selectOption("producer");
    await dialog.getByLabel("Queues").fill("mail, img-");
    await dialog.getByLabel("Ends").selectOption("1d");
    await press(page, "Make the token");
    const secret = (await dialog.locator("code").textContent()) ?? "";
    assert.match(secret, /^hf_/);
    const ask = (): Promise<number> =>
      fetch(`${harness.node.url}/v1/queues/mail`, {
        headers: { authorization: `Bearer ${secret}` },
      }).then(({ status }) => status);
    assert.equal(await ask(), 200);
    await press(page, "I have stored it");
    await page.getByText("queues mail*, queues img-*").first().waitFor();
    assert.ok(!(await page.content()).includes(secret));
    const { tokens } = await harness.api.listTokens();
    const made = tokens.find(({ id }) => secret.includes(id));
    assert.ok(made?.expires_at);
    await press(page, new RegExp(`Revoke …${made.id.slice(-8)}`));
    await inDialog(page, "Revoke").click();
    await expectToast(page, "The token is revoked");
    const state = (await harness.api.listTokens()).tokens.find(({ id }) => id === made.id)?.state;
    assert.equal(state, "revoked");
  });

  test("dead_letters_of_a_webhook_are_replayed_and_forgotten", async () => {
    const { api } = harness;
    const letters = async (): Promise<number> =>
      ((await api.listWebhooks({ prefix: "feed" })).webhooks[0]?.places ?? []).reduce(
        (sum, { dead_letters }) => sum + dead_letters,
        0,
      );
    await until(async () => (await letters()) === 10);
    const page = await harness.open("/console#/webhooks/feed", { as: { role: "operator" } });
    await page.locator(".event summary").first().click();
    const event = page.getByRole("region", { name: "Event" }).first();
    await event.getByText('"type": "UnitFinalized"').waitFor();
    await api.putQueue("feed", {}); // takes every event from now on
    await press(page, "Replay all");
    await inDialog(page, "Replay all").click();
    await expectToast(page, "10 dead letters");
    await until(async () => (await letters()) === 0);
    const { tasks } = await api.listTasks({ queue: "feed" });
    assert.equal(tasks.length, 10);

    await api.putQueue("refusing", { types: { event: { versions: { "7": {} } } } });
    await api.putWebhook("lost", { queue: "refusing", types: ["UnitFinalized"], start: "oldest" });
    await page.goto(`${harness.url}/console#/webhooks/lost`);
    await page.getByRole("button", { name: "Forget all" }).click();
    await inDialog(page, "Forget all").click();
    await expectToast(page, "They are removed");
    await press(page, "Pause");
    await expectState(page, "paused");
    await press(page, "Resume");
    await expectState(page, "active");
    await press(page, "Remove");
    await inDialog(page, "Remove").click();
    await page.getByRole("heading", { name: "Webhooks" }).waitFor();
  });

  test("a_webhook_is_made_with_the_problems_that_the_node_names", async () => {
    const page = await harness.open("/console#/webhooks", {
      as: { role: "operator" },
      allowedErrors: REFUSED,
    });
    await page.getByLabel("Name of a new webhook").fill("orders");
    await press(page, "New webhook");
    await page.getByLabel("Definition (JSON)").fill('{"queue": "mail", "typos": []}');
    await press(page, "Review changes");
    await press(page, "Save");
    await page.getByRole("dialog").getByText("/typos").first().waitFor();
    await press(page, "Back to the text");
    await page.getByLabel("Definition (JSON)").fill('{"queue": "mail", "types": ["UnitCanceled"]}');
    await press(page, "Review changes");
    await press(page, "Save");
    await page.getByRole("heading", { name: "orders" }).waitFor();
  });

  test("changes_stand_in_the_audit_log_with_their_author", async () => {
    const operator = await harness.open("/console#/queues/mail", { as: { role: "operator" } });
    await press(operator, "Pause");
    await expectToast(operator, "Queue mail is paused");
    const page = await harness.open("/console#/audit?item=queue%20mail", { as: "admin" });
    await page.getByText("pause_queue").first().waitFor();
    assert.equal((await page.getByRole("cell", { name: /^token:/ }).count()) > 0, true);
    await page.getByLabel("Operation").fill("put_queue");
    await page.getByText("pause_queue").first().waitFor({ state: "detached" });
    await page.getByText("put_queue").first().waitFor();
  });
});
