/** A real node, the pages, and Chromium. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { CreateTokenRequest, Holdfast } from "holdfast";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

import { RealNode, reasonToSkip as reasonWithoutNode } from "../../sdk/typescript/tests/real_node.js";

export const CHROMIUM = process.env.HOLDFAST_CHROMIUM ?? "/usr/bin/chromium";
/** The sandbox of Chromium does not work for root. */
export const chromiumArguments = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
/** A folder of built pages, such as build/dist, to be tested in the place of the program's own. */
const PAGES = process.env.HOLDFAST_PAGES;
const require = createRequire(import.meta.url);
const web = fileURLToPath(new URL("../..", import.meta.url)); // from build/tests
const pictures = join(web, "../docs/pictures");

/** Milliseconds for a page to show a thing; two busy cores are slow. */
const PATIENCE = 20_000;

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

export function reasonToSkip(): string | undefined {
  if (!existsSync(CHROMIUM)) return `there is no ${CHROMIUM}; HOLDFAST_CHROMIUM may name another`;
  return reasonWithoutNode();
}

export interface OpenSettings {
  /** Signed in with a token of this kind before the page opens; nobody where it is left out. */
  as?: CreateTokenRequest | "admin";
  size?: { width: number; height: number };
  theme?: "light" | "dark";
  /** Errors that the browser may log, such as the one about an answer 401. */
  allowedErrors?: readonly RegExp[];
}

/** Asks the node until it is so; fails when that takes too long. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!(await isSo())) assert.ok(performance.now() < end, `it takes longer than ${PATIENCE} ms`);
}

/** Answers requests for pages from a folder; all other requests go to the node. */
async function servePages(context: BrowserContext, folder: string): Promise<void> {
  const policy =
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'";
  const isOfPages = ({ pathname }: URL): boolean =>
    /^\/(assets\/[\w.-]+|console|label|workbench)$/.test(pathname);
  await context.route(isOfPages, async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    // Without its node a page is not there either.
    const isUp = await fetch(`${origin}/healthz`).then(
      () => true,
      () => false,
    );
    if (!isUp) return route.abort("connectionrefused");
    const name = pathname.startsWith("/assets/") ? pathname : `${pathname}.html`;
    const headers = { "content-security-policy": policy };
    return route.fulfill({ path: join(folder, name), headers });
  });
}

/** One node and one browser, for the tests of a file. */
export class Harness {
  readonly node = new RealNode();
  url = "";
  private browser: Browser | undefined;
  private readonly contexts: BrowserContext[] = [];
  private readonly errors: string[] = [];

  static async start(): Promise<Harness> {
    const harness = new Harness();
    try {
      await harness.node.start();
      harness.url = harness.node.url;
      harness.browser = await chromium.launch({
        executablePath: CHROMIUM,
        args: chromiumArguments,
      });
    } catch (error) {
      await harness.stop();
      throw error;
    }
    return harness;
  }

  /** With the token of the administrator. */
  get api(): Holdfast {
    return this.node.client();
  }

  /** Makes a token, such as `{ role: "contributor", contributor: "ana" }`. */
  async token(kind: CreateTokenRequest | "admin"): Promise<string> {
    return kind === "admin" ? this.node.token : (await this.api.createToken(kind)).token;
  }

  /** Makes a sign-in link, and returns its place: `/label#link=…`. */
  async link(kind: Pick<CreateTokenRequest, "role" | "contributor">): Promise<string> {
    const answer = await fetch(`${this.node.url}/v1/sign-in-links`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.node.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(kind),
    });
    assert.equal(answer.status, 201);
    return ((await answer.json()) as { path: string }).path;
  }

  /** Opens a page, such as `/console#/queues`. */
  async open(path: string, settings: OpenSettings = {}): Promise<Page> {
    assert.ok(this.browser);
    const context = await this.browser.newContext({
      viewport: settings.size ?? WIDE,
      colorScheme: settings.theme ?? "light",
      locale: "en-GB",
      timezoneId: "Europe/Berlin",
      reducedMotion: "reduce",
    });
    this.contexts.push(context);
    context.setDefaultTimeout(PATIENCE);
    if (PAGES !== undefined) await servePages(context, PAGES);
    if (settings.as !== undefined) {
      const token = await this.token(settings.as);
      const answer = await context.request.post(`${this.url}/v1/session`, {
        data: { token },
        headers: { "x-holdfast-csrf": "1" },
      });
      assert.equal(answer.status(), 200, await answer.text());
    }
    const page = await context.newPage();
    const note = (text: string): void => {
      if (settings.allowedErrors?.some((one) => one.test(text))) return;
      this.errors.push(`${page.url()}: ${text}`);
    };
    page.on("console", (message) => {
      if (message.type() === "error") note(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => note(String(error)));
    await page.goto(this.url + path);
    return page;
  }

  /** Fails for each error that a page has logged since the last call. Call it after each test. */
  expectNoErrors(): void {
    assert.deepEqual(this.errors.splice(0), []);
  }

  /** Closes the pages of a test. */
  async closePages(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    await this.node.remove();
  }
}

/** Fails for each violation of WCAG A or AA that axe finds, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  const source = require.resolve("axe-core/axe.min.js");
  if (!(await page.evaluate(() => "axe" in window))) {
    const { readFileSync } = await import("node:fs");
    await page.evaluate(readFileSync(source, "utf8")); // not as a script: the policy forbids those
  }
  for (const one of ["light", "dark"]) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, one);
    const found = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
      const { violations } = await axe.run(document, { runOnly });
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
    });
    assert.deepEqual(found, [], `in the ${one} theme`);
  }
  await page.evaluate((name) => {
    if (name === undefined) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = name;
  }, theme);
}

/** Fails where the page is wider than the window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const { content, window: room } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(content <= room, `the page is ${content} pixels wide in a window of ${room}`);
}

/** Keeps a picture of the page as docs/pictures/<name>.png. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" });
}
