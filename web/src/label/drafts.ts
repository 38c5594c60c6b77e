/** Values and requests that outlive a reload. */

import { isRecord } from "../common/unit/pointer.js";

/** The part of `localStorage` that is used; tests put a map in its place. */
export interface TextStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Storage of a browser that may forbid it: then everything holds until the page is left. */
export function browserStore(): TextStore {
  try {
    const store = window.localStorage;
    store.getItem("holdfast.label");
    return store;
  } catch {
    const texts = new Map<string, string>();
    return {
      getItem: (key) => texts.get(key) ?? null,
      setItem: (key, value) => void texts.set(key, value),
      removeItem: (key) => void texts.delete(key),
    };
  }
}

export function readJson(store: TextStore, key: string): unknown {
  try {
    const text = store.getItem(key);
    return text === null ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

/** Returns whether there was room. */
export function writeJson(store: TextStore, key: string, value: unknown): boolean {
  try {
    store.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // full, or forbidden
  }
}

/** Drafts kept for one contributor; the oldest go first. */
const DRAFTS_MAX = 20;

/**
 * Drafts of a contributor, by unit: one that is handed out again, after a reload or a lease that
 * ran out, begins where the person left it.
 */
export class Drafts {
  readonly #key: string;

  constructor(
    private readonly store: TextStore,
    contributor: string,
  ) {
    this.#key = `holdfast.label.drafts:${contributor}`;
  }

  get(unitId: string): Record<string, unknown> | undefined {
    const draft = this.#all()[unitId];
    return isRecord(draft) ? draft : undefined;
  }

  set(unitId: string, draft: Readonly<Record<string, unknown>>): void {
    const { [unitId]: _old, ...others } = this.#all();
    const kept = Object.entries(others).slice(-(DRAFTS_MAX - 1));
    writeJson(this.store, this.#key, Object.fromEntries([...kept, [unitId, draft]]));
  }

  remove(unitId: string): void {
    const { [unitId]: removed, ...others } = this.#all();
    if (removed === undefined) return;
    if (Object.keys(others).length === 0) this.store.removeItem(this.#key);
    else writeJson(this.store, this.#key, others);
  }

  #all(): Record<string, unknown> {
    const all = readJson(this.store, this.#key);
    return isRecord(all) ? all : {};
  }
}
