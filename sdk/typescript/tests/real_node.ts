/** A node of the real program, with a database of its own. */

import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Holdfast, type ClientSettings } from "../src/index.js";

export const BINARY = process.env.HOLDFAST_BINARY ?? "";
const START_SECONDS = 120;
const STOP_SECONDS = 60;

/** Why there is no node; undefined where there is one. */
export function reasonToSkip(): string | undefined {
  if (BINARY === "") return "HOLDFAST_BINARY does not name the program `holdfast`";
  return existsSync(BINARY) ? undefined : `HOLDFAST_BINARY names ${BINARY}, which is not there`;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

function withDeadline<T>(work: Promise<T>, seconds: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} took ${seconds} s`)), seconds * 1000);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Begins stopped; `start` waits until it serves requests. The port stays the same. */
export class RealNode {
  port = 0;
  private readonly scratch = mkdtempSync(join(tmpdir(), "holdfast-sdk-"));
  private process: ChildProcess | undefined;

  constructor() {
    chmodSync(this.scratch, 0o711); // for the user of the private database, where this one is root
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get token(): string {
    return readFileSync(join(this.scratch, "data", "admin.token"), "utf8").trim();
  }

  client(settings: Partial<ClientSettings> = {}): Holdfast {
    return new Holdfast(this.url, { token: this.token, ...settings });
  }

  async start(): Promise<void> {
    this.port ||= await freePort();
    const data = join(this.scratch, "data");
    const log = openSync(join(this.scratch, "node.log"), "a");
    // The program takes every variable HOLDFAST_* for an option.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")),
    );
    const options = ["--data-dir", data, "--port", "0", "--set", `http.port=${this.port}`];
    const started = spawn(BINARY, ["node", ...options], { env, stdio: ["ignore", "pipe", log] });
    this.process = started;
    const ready = new Promise<void>((resolve, reject) => {
      const failed = (): void => reject(new Error(`the node did not start: ${this.logTail()}`));
      started.on("exit", failed);
      if (started.stdout === null) return failed();
      createInterface({ input: started.stdout }).on("line", (line) => {
        if (/^ready pid=\d+ .*http=(\d+)$/.exec(line)?.[1] === String(this.port)) resolve();
      });
    });
    await withDeadline(ready, START_SECONDS, "the start of the node");
  }

  signal(name: NodeJS.Signals): void {
    this.process?.kill(name);
  }

  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Stops the node and removes its data. */
  async remove(): Promise<void> {
    this.signal("SIGCONT");
    await this.end("SIGTERM");
    rmSync(this.scratch, { recursive: true, force: true });
  }

  private async end(name: NodeJS.Signals): Promise<void> {
    const ending = this.process;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.on("exit", resolve));
    ending.kill(name);
    await withDeadline(exited, STOP_SECONDS, "the end of the node").catch((error: unknown) => {
      ending.kill("SIGKILL");
      throw error;
    });
  }

  private logTail(): string {
    return readFileSync(join(this.scratch, "node.log"), "utf8").slice(-4000);
  }
}
