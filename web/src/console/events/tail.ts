/** The newest events of a stream, for a list that people read. */

import type { FollowedEvent } from "holdfast";

/** Events that are kept; older ones leave the list. */
export const EVENTS_KEPT = 300;

export interface TailEvent {
  /** An event that comes twice has the same. */
  key: string;
  shard: number;
  seq: number;
  type: string;
  /** RFC 3339; undefined where the event has no time. */
  at: string | undefined;
  stepId: string | undefined;
  unitId: string | undefined;
  event: unknown;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Times in events are microseconds since 1970, or RFC 3339. */
function timeOf(value: unknown): string | undefined {
  if (typeof value === "string") return Number.isNaN(Date.parse(value)) ? undefined : value;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  const date = new Date(Number(value) / 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

export function tailEventOf({ shard, seq, event }: Omit<FollowedEvent, "cursor">): TailEvent {
  const members = (typeof event === "object" && event !== null ? event : {}) as Readonly<
    Record<string, unknown>
  >;
  return {
    key: `${shard}/${seq}`,
    shard,
    seq,
    type: textOf(members["type"]) ?? "?",
    at: timeOf(members["at"]),
    stepId: textOf(members["step_id"]),
    unitId: textOf(members["unit_id"]),
    event,
  };
}

/** The newest first, each once. */
export class Tail {
  #events: readonly TailEvent[] = [];
  readonly #keys = new Set<string>();
  /** Events that came, those that have left the list among them. */
  total = 0;

  get events(): readonly TailEvent[] {
    return this.#events;
  }

  /** Adds events in the order in which they came. */
  add(coming: readonly TailEvent[]): void {
    const fresh = coming.filter(({ key }) => {
      if (this.#keys.has(key)) return false;
      this.#keys.add(key);
      return true;
    });
    this.total += fresh.length;
    const all = [...fresh].reverse().concat(this.#events);
    for (const { key } of all.slice(EVENTS_KEPT)) this.#keys.delete(key);
    this.#events = all.slice(0, EVENTS_KEPT);
  }
}
