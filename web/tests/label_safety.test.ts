import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import type { Page } from "playwright-core";

import {
  Harness,
  PHONE,
  expectAccessible,
  expectNoSidewaysScroll,
  picture,
  reasonToSkip,
} from "./harness.js";
import { choiceDefinition, makeExample, makeStep, unit } from "./label_flow.js";

/** Each would set `window.broken` if the page took a stranger's text for more than text. */
const SCRIPT = "<script>broken=1</script>";
const HANDLER = "<img src=x onerror=broken=1>";
const BREAKOUT = `"'></p></textarea><svg onload=broken=1>`;
const ADDRESS = "javascript:broken=1";

/** One second of silence. */
const SOUND = `data:audio/wav;base64,${Buffer.concat([
  Buffer.from("RIFF\u0000\u0000\u0000\u0000WAVEfmt ", "latin1"),
  Buffer.from([16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]),
  Buffer.from("data", "latin1"),
  Buffer.from([0x40, 0x1f, 0, 0]),
  Buffer.alloc(8000, 128),
]).toString("base64")}`;
const IMAGE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='80' height='60'%3E" +
  "%3Cscript%3Ewindow.broken=1%3C/script%3E%3Crect width='80' height='60' fill='teal'/%3E%3C/svg%3E";

async function expectUnbroken(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    broken: (window as unknown as { broken?: unknown }).broken,
    scripts: document.body.querySelectorAll("script, iframe, object, embed, form[action]").length,
    handlers: [...document.body.querySelectorAll("*")].filter((one) =>
      [...one.attributes].some(({ name }) => name.startsWith("on")),
    ).length,
    addresses: [...document.querySelectorAll("a[href], [src]")]
      .map((one) => one.getAttribute("href") ?? one.getAttribute("src") ?? "")
      .filter((one) => /^\s*javascript:/i.test(one)).length,
  }));
  assert.deepEqual(found, { broken: undefined, scripts: 0, handlers: 0, addresses: 0 });
}

describe("the labelling page and strangers", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("texts_of_strangers_stay_texts_in_every_field", async () => {
    const values = [BREAKOUT, HANDLER, SCRIPT];
    const schema = {
      properties: {
        answer: { enum: values, title: BREAKOUT, description: HANDLER },
        note: { type: "string", title: SCRIPT },
      },
    };
    const definition = choiceDefinition(BREAKOUT, {
      ui: {
        schema,
        instructions: `${BREAKOUT}\n${ADDRESS}`,
        fields: { answer: { titles: { [HANDLER]: `${HANDLER} titled` } } },
        show: [
          { at: "/text", title: BREAKOUT },
          { at: "/html", as: "html" },
          { at: "/html", and: "/text", as: "text" },
          { at: "/rows", as: "table" },
          { at: "/deep", as: "json" },
          { at: "/image", as: "image", title: HANDLER },
          { at: "/sound", as: "audio" },
        ],
      },
      step: { title: BREAKOUT, judgment_schema: {}, aggregation: {} },
    });
    const html =
      `<h1 onclick="window.broken=1">Kept</h1><p style="position:fixed">words ${SCRIPT}${HANDLER}</p>` +
      `<a href="${ADDRESS}">link</a><form action="/v1/session"><button>x</button></form>` +
      `<iframe src="/console"></iframe><math><mtext><style><img src=x onerror=window.broken=1>` +
      `</style></mtext></math><table><tr><td>cell`;
    const made = await makeStep(harness, definition, [
      {
        key: "k",
        input: {
          text: BREAKOUT,
          html,
          rows: [{ [BREAKOUT]: HANDLER }, { other: SCRIPT }],
          deep: { [SCRIPT]: [BREAKOUT] },
          image: IMAGE,
          sound: SOUND,
        },
      },
    ]);
    const page = await harness.open("/label", {
      as: { role: "contributor", contributor: HANDLER, workflows: [made.workflowId] },
    });
    await page.getByText("Work for you").waitFor();
    await page.getByText(BREAKOUT).first().waitFor();
    await expectUnbroken(page);
    await page.keyboard.press("1");
    await unit(page).waitFor();
    await page.waitForFunction(() => [...document.images].every((one) => one.complete));
    await expectUnbroken(page);
    const shown = page.locator(".html-input");
    assert.equal(await shown.locator("h4").textContent(), "Kept");
    assert.match((await shown.textContent()) ?? "", /words link.*cell/s);
    assert.equal(
      await shown
        .locator("p, h4, td")
        .evaluateAll((all) => all.filter((one) => one.attributes.length > 0).length),
      0,
    );
    assert.equal(await page.locator("img").count(), 1);
    assert.equal(await page.locator("audio").count(), 1);
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await expectUnbroken(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("2");
    await page.keyboard.press("Enter");
    await page.getByText("1 unit handed in today").waitFor();
    await expectUnbroken(page);
  });

  test("an_address_that_is_no_image_and_a_page_that_is_no_https_are_not_followed", async () => {
    const definition = choiceDefinition("addresses", {
      step: { ui: ADDRESS, judgment_schema: {}, aggregation: {} },
    });
    const made = await makeStep(harness, definition, [
      { key: "k", input: { photo: ADDRESS, link: `${ADDRESS}//a.png` } },
    ]);
    const page = await harness.open(`/label#/steps/${made.stepId}`, {
      as: { role: "contributor", contributor: "ana", workflows: [made.workflowId] },
    });
    await unit(page).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    await expectUnbroken(page);
  });

  test("an_image_of_another_host_is_blocked_by_the_policy_and_told", async () => {
    const input = { photo: "http://127.0.0.1:9/a.png" };
    const made = await makeStep(harness, choiceDefinition("elsewhere"), [{ key: "k", input }]);
    const page = await harness.open(`/label#/steps/${made.stepId}`, {
      as: { role: "contributor", contributor: "bea", workflows: [made.workflowId] },
      allowedErrors: [/Content Security Policy/],
    });
    await page.getByText("The image cannot be shown").waitFor();
  });

  test("all_states_are_accessible", async () => {
    const made = await makeExample(harness, "single_choice");
    const as = { role: "contributor", contributor: "cora", workflows: [made.workflowId] };
    const page = await harness.open("/label", { as });
    await page.getByText("What does the message say").waitFor();
    await expectAccessible(page);
    await picture(page, "label-steps");
    await page.keyboard.press("1");
    await unit(page).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    await expectAccessible(page);
    await picture(page, "label-keys");
    await page.keyboard.press("Escape");
    await harness.api.changeStep(made.stepId, { status: "canceled" });
    await page.waitForSelector("section.unit:not(.is-fresh)");
    const boxed = await makeExample(harness, "boxes");
    const dark = await harness.open(`/label#/steps/${boxed.stepId}`, {
      as: { role: "contributor", contributor: "dark", workflows: [boxed.workflowId] },
      theme: "dark",
    });
    await unit(dark).waitFor();
    const canvas = dark.locator("svg.canvas");
    const place = await canvas.boundingBox();
    assert.ok(place);
    const { x, y, width, height } = place;
    await dark.mouse.move(x + width * 0.52, y + height * 0.62);
    await dark.mouse.down();
    await dark.mouse.move(x + width * 0.69, y + height * 0.79, { steps: 4 });
    await dark.mouse.up();
    await dark.keyboard.press("b");
    await dark.getByRole("button", { name: "Box 1: Bus", exact: true }).waitFor();
    await dark.keyboard.press("+");
    await expectAccessible(dark);
    await picture(dark, "label-boxes-dark");
    await dark.keyboard.press("u");
    await dark.getByRole("button", { name: "Box 1: Car", exact: true }).waitFor();
    await dark.keyboard.press("u");
    await dark.getByText("Nothing is marked yet.").waitFor();
  });

  for (const kind of ["single_choice", "tags", "boxes", "pairwise", "ranking", "text"]) {
    test(`${kind}_fits_a_phone`, async () => {
      const made = await makeExample(harness, kind);
      const page = await harness.open(`/label#/steps/${made.stepId}`, {
        as: { role: "contributor", contributor: `phone_${kind}`, workflows: [made.workflowId] },
        size: PHONE,
      });
      await unit(page).waitFor();
      await page.waitForFunction(() => document.querySelector(".answer-field .loading") === null);
      await expectNoSidewaysScroll(page);
      if (kind === "single_choice" || kind === "tags") {
        await picture(page, `label-phone-${kind.replace("_", "-")}`);
      }
      await expectAccessible(page);
    });
  }
});
