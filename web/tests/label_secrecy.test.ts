import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";

import { Harness, reasonToSkip } from "./harness.js";
import { choiceDefinition, makeStep, nextText } from "./label_flow.js";

const EACH = 100;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface Seen {
  isTest: boolean;
  /** Method, path and size of each request about the unit, with the status and size of the answer. */
  requests: string[];
  html: string;
}

describe("test questions", { skip: reasonToSkip() ?? false }, () => {
  let harness: Harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  afterEach(async () => {
    await harness.closePages();
    harness.expectNoErrors();
  });

  test("a_hundred_test_questions_look_and_travel_like_a_hundred_units", async () => {
    const text = (at: number): string => `Sign ${String(at).padStart(4, "0")}`;
    const tests = new Set(Array.from({ length: 2 * EACH }, (_one, at) => text(2 * at + 1)));
    const rows = Array.from({ length: 2 * EACH }, (_one, at) => ({
      key: `u${at}`,
      input: { text: text(2 * at) },
    }));
    const definition = choiceDefinition("secret", { step: { test_questions: { every: 2 } } });
    const { stepId, workflowId } = await makeStep(harness, definition, rows);
    const questions = [...tests].map((one, at) => ({
      key: `t${at}`,
      input: { text: one },
      truth: { answer: "cat" },
    }));
    assert.equal((await harness.api.addManyTestQuestions(stepId, questions)).added, tests.size);

    const page = await harness.open("/label", {
      as: { role: "contributor", contributor: "ana", workflows: [workflowId] },
    });
    /** Texts by the ids of their assignments, and requests in their order. */
    const texts = new Map<string, string>();
    const travelled: { line: string; assignment: string }[] = [];
    const pending: Promise<void>[] = [];
    page.on("response", (answer) => {
      const request = answer.request();
      if (request.method() === "GET") return;
      const place = travelled.push({ line: "", assignment: "" }) - 1;
      const note = async (): Promise<void> => {
        const body = request.postData() ?? "";
        const reply = await answer.text();
        const path = new URL(request.url()).pathname;
        const parsed = (reply === "" ? {} : JSON.parse(reply)) as {
          assignment_id?: string;
          input?: { text: string };
        };
        const sent = (body === "" ? {} : JSON.parse(body)) as { assignment_id?: string };
        const assignment =
          parsed.assignment_id ?? sent.assignment_id ?? path.match(UUID)?.[0] ?? "";
        if (parsed.input !== undefined) texts.set(assignment, parsed.input.text);
        const line = [
          request.method(),
          path.replace(UUID, "ID"),
          body.length,
          answer.status(),
          // The rest of the lease has as many digits as the moment has.
          reply.replace(/"lease_seconds":[\d.]+/, "").length,
          Object.keys(parsed).join(),
        ].join(" ");
        travelled[place] = { line, assignment };
      };
      pending.push(note());
    });
    await page.goto(`${harness.url}/label#/steps/${stepId}`);

    const seen = new Map<string, Seen>();
    const count = (isTest: boolean): number =>
      [...seen.values()].filter((one) => one.isTest === isTest).length;
    let shown: string | undefined;
    while (count(true) < EACH || count(false) < EACH) {
      shown = await nextText(page, shown);
      const html = await page.locator(".work").evaluate((one) => {
        const copy = one.cloneNode(true) as HTMLElement;
        copy.querySelector(".today")?.remove();
        copy.querySelector(".lease")?.remove();
        return copy.outerHTML;
      });
      // Ids of elements count on from unit to unit.
      const shape = html.replace(shown, "TEXT").replace(/ (id|for|aria-\w+by)="[^"]*"/g, "");
      seen.set(shown, { isTest: tests.has(shown), requests: [], html: shape });
      await page.keyboard.press("1");
    }
    await page.getByText(`${seen.size} units handed in today`).waitFor();
    await Promise.all(pending);
    for (const { line, assignment } of travelled) {
      seen.get(texts.get(assignment) ?? "")?.requests.push(line);
    }

    const forms = (isTest: boolean, of: (one: Seen) => string): string[] =>
      [...new Set([...seen.values()].filter((one) => one.isTest === isTest).map(of))].sort();
    const requests = (one: Seen): string => one.requests.join("\n");
    assert.deepEqual(forms(true, requests), forms(false, requests));
    assert.equal(forms(true, requests).length, 1, "each unit is asked for and handed in, once");
    assert.match(forms(true, requests)[0] ?? "", /assignments.*\n.*judgments/);
    assert.deepEqual(
      forms(true, ({ html }) => html),
      forms(false, ({ html }) => html),
    );
  });
});
