/** Texts of the overview. */

import { shortCount } from "../../common/format.js";

const counted = (number: number, one: string, many: string): string =>
  number === 1 ? `one ${one}` : `${shortCount(number)} ${many}`;

export const overview = {
  overview: {
    title: "Overview",
    problems: "Problems",
    wellBadge: "All well",
    well: "Nothing needs attention now.",
    levels: { bad: "Act", warning: "Look" },
    unread: (reason: string) => `Part of this page could not be read: ${reason}`,
    allQueues: (number: number) => `All ${number} queues`,
    allSteps: "All steps",
    steps: "Open steps",
    noSteps: "No step is open.",
    nodes: "Nodes",
    answers: "Answers this page",
    draining: "Draining",
  },
  problems: {
    fenced: (why: string) =>
      `The node is fenced and decides nothing${why === "" ? "" : `: ${why}`}`,
    invariant: (name: string, rows: number) =>
      `Invariant ${name} is broken by ${counted(rows, "row", "rows")}`,
    homeless: (shards: number) => `No node hosts ${counted(shards, "shard", "shards")}`,
    lag: (changes: string) => `${changes} changes wait for a commit: the database is slow`,
    draining: (node: string) => `Node ${node} is draining: it hands its shards over and stops`,
    audits: (number: number) => `${counted(number, "audit", "audits")} of the database failed`,
    inDoubt: (number: number) =>
      `The outcome of ${counted(number, "commit", "commits")} was never found out`,
    queueUnread: (queue: string, reason: string) => `Queue ${queue} cannot be read: ${reason}`,
    died: (queue: string, tasks: number) =>
      `Queue ${queue}: ${counted(tasks, "task", "tasks")} died in the last minute`,
    oldest: (queue: string, time: string) => `Queue ${queue}: a ready task has waited for ${time}`,
    errors: (queue: string, share: string) => `Queue ${queue}: ${share} of the work fails`,
    paused: (queue: string, ready: number) =>
      `Queue ${queue} is paused; ${counted(ready, "task is", "tasks are")} ready`,
    deadLetters: (queue: string, number: number, more: boolean) =>
      `Queue ${queue} has ${more ? "at least " : ""}` +
      counted(number, "dead letter", "dead letters"),
    webhook: (name: string, reason: string) => `Webhook ${name} does not deliver: ${reason}`,
    webhookDead: (name: string, number: number) =>
      `Webhook ${name} has ${counted(number, "dead letter", "dead letters")}`,
  },
};
