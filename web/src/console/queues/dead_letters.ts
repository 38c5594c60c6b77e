/** Dead letters, grouped by their error. */

import type { TaskSummary } from "holdfast";

import { api } from "../../common/api.js";

/** Dead and failed tasks that one look groups, of each. */
export const DEAD_LOOKED_AT = 500;

export interface DeadGroup {
  type: string;
  errorCode: string;
  dead: number;
  failed: number;
  /** The last of them that ended. */
  latest: TaskSummary;
}

/** Groups by type and error; the largest group first. */
export function groupsOf(tasks: readonly TaskSummary[]): DeadGroup[] {
  const groups = new Map<string, DeadGroup>();
  for (const task of tasks) {
    const errorCode = task.error_code ?? "";
    const key = JSON.stringify([task.type, errorCode]);
    let group = groups.get(key);
    if (group === undefined) {
      group = { type: task.type, errorCode, dead: 0, failed: 0, latest: task };
      groups.set(key, group);
    }
    if (task.status === "ERROR") group.dead++;
    else group.failed++;
    if ((task.finished_at ?? "") > (group.latest.finished_at ?? "")) group.latest = task;
  }
  return [...groups.values()].sort(
    (one, other) => other.dead + other.failed - (one.dead + one.failed),
  );
}

export interface DeadTasks {
  tasks: readonly TaskSummary[];
  /** Whether the queue has more than were looked at. */
  more: boolean;
}

/** The latest dead and failed tasks of a queue. */
export async function deadOf(queue: string, signal: AbortSignal): Promise<DeadTasks> {
  const [dead, failed] = await Promise.all(
    ["ERROR", "FAILURE"].map((status) =>
      api.listTasks({ queue, status, order: "newest", limit: DEAD_LOOKED_AT }, { signal }),
    ),
  );
  return {
    tasks: [...(dead?.tasks ?? []), ...(failed?.tasks ?? [])],
    more: (dead?.more ?? false) || (failed?.more ?? false),
  };
}
