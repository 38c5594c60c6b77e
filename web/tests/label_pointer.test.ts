import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import type { Page } from "playwright-core";

import { Harness, picture, reasonToSkip } from "./harness.js";
import { makeExample } from "./label_flow.js";

type Place = readonly [x: number, y: number];

/** The place on the screen of a place in the image. */
async function onScreen(page: Page, [x, y]: Place): Promise<{ x: number; y: number }> {
  return page.locator("svg.canvas").evaluate(
    (svg, [left, top]) => {
      const matrix = (svg as SVGSVGElement).getScreenCTM();
      const point = new DOMPoint(left, top).matrixTransform(matrix ?? undefined);
      return { x: point.x, y: point.y };
    },
    [x, y] as const,
  );
}

async function click(page: Page, place: Place): Promise<void> {
  const { x, y } = await onScreen(page, place);
  await page.mouse.click(x, y);
}

async function drag(page: Page, from: Place, to: Place): Promise<void> {
  const begin = await onScreen(page, from);
  const end = await onScreen(page, to);
  await page.mouse.move(begin.x, begin.y);
  await page.mouse.down();
  await page.mouse.move((begin.x + end.x) / 2, (begin.y + end.y) / 2);
  await page.mouse.move(end.x, end.y);
  await page.mouse.up();
}

/** Whether numbers are equal but for the rounding of pixels of the screen. */
function near(found: readonly number[], wanted: readonly number[]): void {
  assert.equal(found.length, wanted.length);
  for (const [at, one] of found.entries()) {
    assert.ok(Math.abs(one - (wanted[at] ?? NaN)) <= 2, `${found.join()} is not ${wanted.join()}`);
  }
}

describe("labelling with a pointer", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  const openExample = async (kind: string, contributor: string): Promise<Page> => {
    const made = await makeExample(harness, kind);
    return harness.open(`/label#/steps/${made.stepId}`, {
      as: { role: "contributor", contributor, workflows: [made.workflowId] },
    });
  };

  /** The draft of the only unit, as the form has it. */
  const draftOf = (page: Page, contributor: string): Promise<unknown> =>
    page.evaluate((name) => {
      const text = localStorage.getItem(`holdfast.label.drafts:${name}`) ?? "{}";
      const [draft] = Object.values(JSON.parse(text) as Record<string, { answer: unknown }>);
      return draft?.answer;
    }, contributor);

  test("boxes_are_drawn_selected_reshaped_and_moved_in_view", async () => {
    const page = await openExample("boxes", "bo");
    await page.locator("svg.canvas").waitFor();
    await drag(page, [188, 330], [270, 360]);
    await drag(page, [472, 314], [338, 246]); // from the right bottom corner
    await page.keyboard.press("b");
    const boxes = async (): Promise<{ label: string; box: number[] }[]> =>
      (await draftOf(page, "bo")) as { label: string; box: number[] }[];
    assert.deepEqual(
      (await boxes()).map(({ label }) => label),
      ["car", "bus"],
    );
    near((await boxes())[1]?.box ?? [], [338, 246, 472, 314]);

    await click(page, [220, 345]); // selects the first
    await drag(page, [270, 360], [288, 386]);
    near((await boxes())[0]?.box ?? [], [188, 330, 288, 386]);

    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Move the view" }).click();
    await drag(page, [320, 200], [300, 180]);
    await page.getByRole("button", { name: "Move the view" }).click();
    assert.equal((await boxes()).length, 2); // nothing was drawn
    await page.keyboard.press("Escape");
    await drag(page, [330, 130], [360, 150]);
    near((await boxes())[2]?.box ?? [], [330, 130, 360, 150]);
    await page.getByRole("button", { name: "Whole image" }).click();
    await page.getByRole("button", { name: "Remove Box 3: Bus" }).click();
    assert.equal((await boxes()).length, 2);
    await click(page, [400, 280]);
    await picture(page, "label-boxes");
    for (let step = 0; step < 3; step++) await page.keyboard.press("u");
    assert.equal((await boxes()).length, 2);
    near((await boxes())[0]?.box ?? [], [188, 330, 270, 360]);
  });

  test("a_polygon_is_closed_at_its_first_corner", async () => {
    const page = await openExample("polygons", "po");
    await page.locator("svg.canvas").waitFor();
    const corners: Place[] = [
      [200, 100],
      [400, 110],
      [420, 300],
      [180, 280],
    ];
    for (const corner of corners) await click(page, corner);
    await click(page, corners[0] ?? [0, 0]);
    await page.locator(".marks li").waitFor();
    const [lake] = (await draftOf(page, "po")) as { polygon: number[][] }[];
    near(lake?.polygon.flat() ?? [], corners.flat());
    await picture(page, "label-polygons");
  });

  test("a_text_is_labelled_with_the_pointer", async () => {
    const made = await makeExample(harness, "tags");
    const page = await harness.open(`/label#/steps/${made.stepId}`, {
      as: { role: "contributor", contributor: "mouse", workflows: [made.workflowId] },
    });
    const text = page.locator(".tag-text");
    await text.waitFor();
    const word = await text.locator("[data-start]").evaluate((one) => {
      const range = document.createRange();
      range.setStart(one.firstChild ?? one, 0);
      range.setEnd(one.firstChild ?? one, 2);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
    await page.mouse.dblclick(word.x, word.y);
    await page.getByRole("button", { name: "Place" }).click();
    await page.locator(".marks li").waitFor();
    assert.equal(await page.locator(".marks li").count(), 1);
    await page.locator(".marks").getByRole("button").click();
    await page.getByText("Nothing is labelled yet.").waitFor();
    for (const [steps, more, label] of [
      [1, 2, "d"],
      [3, 1, "p"],
      [6, 0, "l"],
      [4, 1, "o"],
    ] as const) {
      for (let step = 0; step < steps; step++) await page.keyboard.press("ArrowRight");
      for (let word = 0; word < more; word++) await page.keyboard.press("Shift+ArrowRight");
      await page.keyboard.press(label);
    }
    assert.equal(await page.locator(".marks li").count(), 4);
    await page.keyboard.press("Escape");
    await picture(page, "label-tags");
  });

  test("a_ranking_is_clicked_in_order_and_mended_with_arrows", async () => {
    const page = await openExample("ranking", "ra");
    const rest = page.locator(".options-list .option");
    await rest.first().waitFor();
    const names = await rest.locator("span:not(.option-mark)").allTextContents();
    await rest.nth(3).click();
    await rest.nth(0).click();
    await rest.nth(0).click();
    await page.getByRole("button", { name: `Move ${names[0]} up` }).click();
    assert.deepEqual(await draftOf(page, "ra"), [names[0], names[3], names[1], names[2]]);
    await picture(page, "label-ranking");
  });
});
