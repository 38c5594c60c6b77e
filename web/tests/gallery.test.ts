/** The server for development: it passes requests on, builds again, and shows the components. */

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import {
  Harness,
  PHONE,
  expectAccessible,
  expectNoSidewaysScroll,
  picture,
  reasonToSkip,
} from "./harness.js";

const tool = fileURLToPath(new URL("../../tools/serve.mjs", import.meta.url));

describe("gallery", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  let server: ChildProcess;
  before(async () => {
    harness = await Harness.start();
    const env = { ...process.env, PORT: "0" };
    server = spawn(process.execPath, [tool, harness.node.url], { env, stdio: ["ignore", "pipe", 2] });
    const output = server.stdout;
    assert.ok(output);
    harness.url = await new Promise<string>((resolve, reject) => {
      server.on("exit", () => reject(new Error("the server for development has ended")));
      createInterface({ input: output }).on("line", (line) => {
        const url = /^(http:\/\/[\d.:]+)\/console/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    });
    await untilBuilt(harness.url);
  });
  after(async () => {
    server.removeAllListeners("exit");
    server.kill();
    await harness.stop();
  });
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("each_component_is_accessible_in_both_themes_and_fits_a_phone", async () => {
    const page = await harness.open("/gallery");
    await page.getByRole("heading", { name: "Components", level: 1 }).waitFor();
    await expectAccessible(page);
    await picture(page, "gallery");
    await page.setViewportSize(PHONE);
    await expectNoSidewaysScroll(page);
  });

  test("a_dialog_keeps_the_focus_and_gives_it_back", async () => {
    const page = await harness.open("/gallery");
    const opener = page.getByRole("button", { name: "Open a dialog" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "A dialog" });
    await dialog.waitFor();
    await expectAccessible(page);
    assert.ok(await dialog.evaluate((element) => element.contains(document.activeElement)));
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.ok(await opener.evaluate((element) => element === document.activeElement));
  });

  test("the_server_for_development_passes_requests_of_pages_on", async () => {
    const page = await harness.open("/console");
    await page.getByLabel("Token").fill(await harness.token({ role: "auditor" }));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("auditor").first().waitFor();
  });
});

/** Waits until the first build is there. */
async function untilBuilt(url: string): Promise<void> {
  const end = Date.now() + 60_000;
  while ((await fetch(`${url}/gallery`)).status !== 200) {
    if (Date.now() > end) throw new Error("the pages were not built within a minute");
  }
}
