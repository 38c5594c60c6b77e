/** Time that passes only when everything waits for it. */

import type { Environment } from "../src/calls.js";

interface Timer {
  readonly at: number;
  readonly work: () => void;
}

export class VirtualTime {
  now = 1000;
  /** The pauses that were asked for, in their order. */
  readonly scheduled: number[] = [];
  private timers: Timer[] = [];
  private ids = 0;

  /** The things outside a call, in this time. */
  readonly world: Omit<Environment, "rule"> = {
    clock: () => this.now,
    schedule: (seconds, work) => this.schedule(seconds, work),
    random: () => 0.5,
    makeId: () => `00000000-0000-7000-9000-${String(++this.ids).padStart(12, "0")}`,
  };

  schedule(seconds: number, work: () => void): () => void {
    const timer = { at: this.now + Math.max(0, seconds), work };
    this.scheduled.push(seconds);
    this.timers.push(timer);
    return () => (this.timers = this.timers.filter((one) => one !== timer));
  }

  pause(seconds: number): Promise<void> {
    return new Promise((resolve) => void this.schedule(seconds, resolve));
  }

  /** Lets time pass until the work has ended. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => void (isOver = true);
    work.then(end, end);
    for (;;) {
      // All promises that can be settled without a timer are settled before this returns.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver) return work;
      const next = this.timers.reduce<Timer | undefined>(
        (first, one) => (first === undefined || one.at < first.at ? one : first),
        undefined,
      );
      if (next === undefined) throw new Error("nothing is left that could happen");
      this.timers = this.timers.filter((one) => one !== next);
      this.now = Math.max(this.now, next.at);
      next.work();
    }
  }
}
