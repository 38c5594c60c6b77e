import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";

import {
  Harness,
  PHONE,
  expectAccessible,
  expectNoSidewaysScroll,
  picture,
  reasonToSkip,
} from "./harness.js";

describe("sign-in", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("a_token_opens_a_session_that_survives_a_reload_and_ends_by_sign_out", async () => {
    const page = await harness.open("/console");
    await page.getByLabel("Token").fill(await harness.token({ role: "auditor" }));
    await picture(page, "sign-in");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("auditor").waitFor();
    await page.reload();
    await page.getByText("auditor").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    await page.reload();
    await page.getByLabel("Token").waitFor();
  });

  test("a_bad_token_is_refused_beside_the_field", async () => {
    const page = await harness.open("/console", { allowedErrors: [/401/] });
    await page.getByLabel("Token").fill("hf_nothing");
    await page.keyboard.press("Enter");
    await page.getByText("This token is not good").waitFor();
    assert.equal(await page.getByLabel("Token").getAttribute("aria-invalid"), "true");
  });

  test("a_role_of_another_page_is_told_so", async () => {
    const page = await harness.open("/console", { as: { role: "worker", worker: "w1" } });
    await page.getByText("This page needs another role").waitFor();
  });

  test("a_link_signs_in_once_and_leaves_the_address", async () => {
    const link = await harness.link({ role: "auditor" });
    const page = await harness.open(link);
    await page.getByText("auditor").first().waitFor();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    assert.doesNotMatch(page.url(), /link=/);
    await page.reload();
    await page.getByText("auditor").first().waitFor();
    const other = await harness.open(link, { allowedErrors: [/401/] });
    await other.getByText("This sign-in link is not good any more").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
  });

  test("scripts_do_not_see_the_session", async () => {
    const page = await harness.open("/console", { as: { role: "auditor" } });
    await page.getByText("auditor").first().waitFor();
    assert.equal(await page.evaluate(() => document.cookie), "");
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    assert.doesNotMatch(stored, /hf_/);
  });

  test("a_page_on_another_port_cannot_act_in_a_session", async () => {
    await harness.api.putQueue("mail", {});
    const page = await harness.open("/console", { as: "admin" });
    await page.getByText("admin").first().waitFor();
    const form =
      `<!doctype html><form method="post" enctype="text/plain" ` +
      `action="${harness.url}/v1/queues/mail/pause"><input name="x" value="1"></form>` +
      `<script>document.forms[0].submit()</script>`;
    const server = createServer((_, answer) =>
      answer.writeHead(200, { "content-type": "text/html" }).end(form),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      // Another port of the same host is the same site: the browser sends the cookie along.
      const foreign = await page.context().newPage();
      const [answer] = await Promise.all([
        foreign.waitForResponse((one) => one.url().endsWith("/pause")),
        foreign.goto(`http://127.0.0.1:${port}/`),
      ]);
      assert.equal(answer.status(), 403);
      assert.match((await answer.request().allHeaders()).cookie ?? "", /holdfast=/);
    } finally {
      server.close();
    }
    assert.equal((await harness.api.getQueue("mail")).paused, false);
  });

  test("the_form_is_accessible_and_fits_a_phone", async () => {
    const page = await harness.open("/console", { size: PHONE });
    await page.getByLabel("Token").waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});
