/** What is wrong now, from the figures that the overview reads. */

import type {
  AuditStatus,
  GuardStatus,
  NodeStatus,
  Placement,
  TaskPage,
  WebhookView,
} from "holdfast";

import { duration, percent, shortCount } from "../../common/format.js";
import { texts } from "../../texts/console.js";
import { places } from "../places.js";
import {
  ERROR_SHARE_BOUND,
  OLDEST_READY_BOUND,
  oldestSeconds,
  type QueueFigures,
} from "../queues/queue_figures.js";

export interface Problem {
  /** `bad`: somebody has to act. `warning`: worth a look. */
  level: "bad" | "warning";
  text: string;
  /** The page where it can be mended or understood. */
  href?: string;
}

/** The facts that are known; those that the role may not read, or that failed, are left out. */
export interface OverviewFacts {
  node?: NodeStatus | undefined;
  guards?: GuardStatus | undefined;
  audits?: AuditStatus | undefined;
  placement?: Placement | undefined;
  queues?: readonly QueueFigures[] | undefined;
  deadLetters?: TaskPage | undefined;
  webhooks?: readonly WebhookView[] | undefined;
}

/** Changes that wait for a commit; more says that the database is slow. */
const QUEUED_BOUND = 2000;

/** Ends of work below which a share says little. */
const ENDS_LEAST = 10;

function nodeProblems({ node, guards, audits, placement }: OverviewFacts): Problem[] {
  const found: Problem[] = [];
  const href = places.cluster;
  const say = (level: Problem["level"], text: string): void => {
    found.push({ level, text, href });
  };
  if (guards?.fenced) say("bad", texts.problems.fenced(guards.why ?? ""));
  for (const { invariant, violations } of audits?.findings ?? []) {
    if (violations > 0) say("bad", texts.problems.invariant(invariant, violations));
  }
  const homeless = placement?.hosts.filter((host) => host === null).length ?? 0;
  if (homeless > 0) say("bad", texts.problems.homeless(homeless));
  if (node !== undefined && node.queued > QUEUED_BOUND) {
    say("bad", texts.problems.lag(shortCount(node.queued)));
  }
  if (node?.draining) say("warning", texts.problems.draining(node.name));
  if ((audits?.failed ?? 0) > 0) say("warning", texts.problems.audits(audits?.failed ?? 0));
  if ((guards?.never_found ?? 0) > 0) {
    say("warning", texts.problems.inDoubt(guards?.never_found ?? 0));
  }
  return found;
}

function queueProblems(figures: QueueFigures): Problem[] {
  const { queue, metrics, problem } = figures;
  const name = queue.queue;
  if (metrics === undefined) {
    const text = texts.problems.queueUnread(name, problem?.message ?? "");
    return [{ level: "bad", text, href: places.queue(name) }];
  }
  const found: Problem[] = [];
  if (metrics.dead > 0) {
    const text = texts.problems.died(name, metrics.dead);
    found.push({ level: "bad", text, href: places.queue(name, "dead") });
  }
  const oldest = oldestSeconds(metrics);
  if (oldest > OLDEST_READY_BOUND && !queue.paused) {
    const text = texts.problems.oldest(name, duration(Math.round(oldest)));
    found.push({ level: "bad", text, href: places.queue(name) });
  }
  const ends =
    metrics.completed +
    metrics.failed +
    metrics.dead +
    metrics.failed_attempts +
    metrics.lost_attempts;
  if (metrics.error_share >= ERROR_SHARE_BOUND && ends >= ENDS_LEAST) {
    const text = texts.problems.errors(name, percent(metrics.error_share));
    found.push({ level: "warning", text, href: places.queue(name) });
  }
  if (queue.paused) {
    const text = texts.problems.paused(name, metrics.ready);
    found.push({ level: "warning", text, href: places.queue(name) });
  }
  return found;
}

function storedDeadLetters(page: TaskPage | undefined): Problem[] {
  const byQueue = new Map<string, number>();
  for (const { queue } of page?.tasks ?? []) byQueue.set(queue, (byQueue.get(queue) ?? 0) + 1);
  return [...byQueue].map(([queue, number]) => ({
    level: "warning",
    text: texts.problems.deadLetters(queue, number, page?.more ?? false),
    href: places.queue(queue, "dead"),
  }));
}

function webhookProblems({ name, state, places: shards }: WebhookView): Problem[] {
  const found: Problem[] = [];
  const href = places.webhook(name);
  if (state === "failing" || state === "damaged") {
    const reason = shards.find(({ stopped }) => stopped !== undefined)?.stopped ?? state;
    found.push({ level: "bad", text: texts.problems.webhook(name, reason), href });
  }
  const dead = shards.reduce((sum, { dead_letters }) => sum + dead_letters, 0);
  if (dead > 0) {
    found.push({ level: "warning", text: texts.problems.webhookDead(name, dead), href });
  }
  return found;
}

/** All problems, the bad ones first. */
export function problemsOf(facts: OverviewFacts): Problem[] {
  const found = [
    ...nodeProblems(facts),
    ...(facts.queues ?? []).flatMap(queueProblems),
    ...(facts.webhooks ?? []).flatMap(webhookProblems),
    ...storedDeadLetters(facts.deadLetters),
  ];
  return [
    ...found.filter(({ level }) => level === "bad"),
    ...found.filter(({ level }) => level === "warning"),
  ];
}
