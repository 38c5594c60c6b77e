// docs/TUTORIAL.md from its first command to its last, in the demo and in Chromium.

import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";

import { BINARY } from "../../sdk/typescript/tests/real_node.js";
import { nextText, shownUnit } from "./label_flow.js";
import { CHROMIUM, WIDE, chromiumArguments, picture, reasonToSkip } from "./harness.js";

const root = fileURLToPath(new URL("../../..", import.meta.url)); // from web/build/tests
const EVENT_SECONDS = 120;

type DemoEvent = Record<string, unknown> & { event: string };

/** `./dev demo --web` without the build. */
class Demo {
  private readonly process: ChildProcess;
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface;

  constructor(environment: NodeJS.ProcessEnv) {
    this.process = spawn(BINARY, ["demo", "--web", "--port", "0", "--json"], {
      env: environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
    assert.ok(this.process.stdout);
    this.reader = createInterface({ input: this.process.stdout });
    this.lines = this.reader[Symbol.asyncIterator]();
  }

  async next(event: string): Promise<DemoEvent> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no ${event} in time`)), EVENT_SECONDS * 1000);
    });
    const line = await Promise.race([this.lines.next(), late]).finally(() => clearTimeout(timer));
    assert.equal(line.done, false, `the demo ended before ${event}`);
    const told = JSON.parse(String(line.value)) as DemoEvent;
    assert.equal(told.event, event);
    return told;
  }

  /** Its exit code. */
  async stop(): Promise<number | null> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const ended = new Promise<number | null>((resolve) => this.process.on("exit", resolve));
    this.process.kill("SIGTERM");
    const code = await ended;
    this.reader.close();
    return code;
  }
}

/** The commands of the page: its blocks of `sh`, in order. */
function commandsOfTutorial(): string[] {
  const text = readFileSync(join(root, "docs/TUTORIAL.md"), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands);
}

describe("tutorial", { skip: reasonToSkip() ?? false }, () => {
  const scratch = mkdtempSync(join(tmpdir(), "holdfast-tutorial-"));
  // The program takes every variable HOLDFAST_* for an option.
  const environment = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")),
  );
  let demo: Demo;
  let browser: Browser;
  let context: BrowserContext;

  before(async () => {
    demo = new Demo(environment);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: chromiumArguments });
    context = await browser.newContext({ viewport: WIDE, locale: "en-GB", reducedMotion: "reduce" });
    context.setDefaultTimeout(30_000);
  });
  after(async () => {
    await browser?.close();
    await demo?.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Runs commands of the page in a shell that keeps its variables; returns what they print. */
  function run(prelude: string, commands: string, ready: DemoEvent): string {
    const port = new URL(String(ready.label)).port;
    const shell = spawnSync("bash", ["-euo", "pipefail", "-c", `${prelude}\n${commands}`], {
      cwd: scratch,
      encoding: "utf8",
      env: {
        ...environment,
        PATH: `${dirname(BINARY)}:${environment.PATH ?? ""}`,
        HOLDFAST_NODE_DATA_DIR: String(ready.data_dir),
        HOLDFAST_HTTP_PORT: port,
      },
    });
    assert.equal(shell.status, 0, shell.stderr);
    return shell.stdout;
  }

  async function begin(page: Page, name: string): Promise<void> {
    await page.getByLabel("Contributor").fill(name);
    await page.getByRole("button", { name: "Begin" }).click();
  }

  test("the_tutorial_leads_from_the_demo_to_the_results_of_a_file", async () => {
    // given: the demo, with half of its job done
    const ready = await demo.next("ready");
    const console = await context.newPage();
    await console.goto(String(ready.console));
    await console.getByText("Nothing needs attention now.").waitFor();
    await console.getByRole("link", { name: "label" }).waitFor();
    await picture(console, "tutorial-console");

    // when: a person labels while the node is killed
    const label = await context.newPage();
    await label.goto(String(ready.label));
    await begin(label, "ana");
    await shownUnit(label, "Is the page about the name?");
    await picture(label, "tutorial-label");
    await label.keyboard.press("y");
    await label.getByText("1 unit handed in today").waitFor();
    await shownUnit(label, "Is the page about the name?");
    process.kill(Number(ready.node_pid), "SIGKILL");
    await demo.next("node_ended");
    await label.keyboard.press("n");
    await demo.next("node_started");

    // then: the answer arrives, and the work goes on
    await label.getByText("2 units handed in today").waitFor();
    await shownUnit(label, "Is the page about the name?");

    // when: the commands of the page make a job
    const [file, create, load, seal, link, results, ...more] = commandsOfTutorial();
    assert.ok(file && create && load && seal && link && results);
    assert.deepEqual(more, []);
    run("", file, ready);
    const made = run("", create.replace("examples/", `${root}/examples/`), ready);
    const step = /^([0-9a-f-]{36})  label /m.exec(made)?.[1];
    assert.ok(step, made);
    const [variables = "", post = ""] = load
      .replace(/^step=.*$/m, `step=${step}`)
      .split(/\n\n/);
    assert.equal(run(variables, post, ready).trim(), '{"added":5,"already_there":0,"problems":[]}');
    run(variables, seal, ready);
    assert.match(run(variables, link, ready), /\/label#link=hl_/);

    // and: two people do it
    for (const name of ["ana", "ben"]) {
      await label.goto(new URL("/label", String(ready.label)).href);
      await label.reload();
      await begin(label, name);
      await label.getByText("What does the message say about the weather?").click();
      let message: string | undefined;
      for (let done = 0; done < 5; ++done) {
        message = await nextText(label, message);
        if (name === "ana" && done === 0) {
          await label.mouse.move(0, 0); // off the answers
          await picture(label, "tutorial-own-job");
        }
        const good = /sun|Snow/.test(message);
        await label.keyboard.press(good ? "g" : message.includes("train") ? "n" : "b");
      }
      await label.getByText("Nothing to label right now").waitFor();
    }

    // then: the results are those of the file
    const printed = run(variables, results, ready);
    assert.match(printed, /label +Completed/);
    const answers = [...printed.matchAll(/,(m\d),Finalized,2,1,"\{""answer"":""(\w+)""/g)];
    assert.deepEqual(
      answers.map(([, key, answer]) => `${key} ${answer}`),
      ["m1 good", "m2 bad", "m3 none", "m4 good", "m5 bad"],
    );

    // and: the demo ends as it should
    assert.equal(await demo.stop(), 0);
  });
});
