import assert from "node:assert/strict";
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

  test("the_form_is_accessible_and_fits_a_phone", async () => {
    const page = await harness.open("/console", { size: PHONE });
    await page.getByLabel("Token").waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  });
});
