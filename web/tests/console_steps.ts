/** Steps of tests on a page of the console. */

import type { Page } from "playwright-core";

/** The browser logs each answer that refuses. */
export const REFUSED = [/status of 4(00|22) /];

/** The button in the dialog that is open. */
export function inDialog(page: Page, name: string | RegExp): ReturnType<Page["getByRole"]> {
  return page.getByRole("dialog").getByRole("button", { name });
}

export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name, exact: typeof name === "string" }).click();
}

export async function expectToast(page: Page, text: string | RegExp): Promise<void> {
  await page.locator(".toast").filter({ hasText: text }).first().waitFor();
}

/** A state beside the heading of the page. */
export async function expectState(page: Page, state: string): Promise<void> {
  await page.locator(".page-head .badge").getByText(state, { exact: true }).waitFor();
}

export async function expectNoDialog(page: Page): Promise<void> {
  await page.getByRole("dialog").waitFor({ state: "detached" });
}
