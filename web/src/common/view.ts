/** Data of a view: loaded when it appears, and again while somebody looks at it. */

import { NoAnswerError, type EventFilter } from "holdfast";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { isAbort } from "./api.js";
import { useEvents, useThrottled } from "./live.js";
import { useLoad, type Loaded } from "./load.js";
import { noteRefusal } from "./session.js";
import { Signal } from "./signal.js";
import { requestsFail } from "./ui/frame.js";

/** Grows when a person asks for fresh figures; all views that are shown load again. */
const refreshes = new Signal(0);

export function refreshAll(): void {
  refreshes.set(refreshes.value + 1);
}

/** Calls `reload` when a person asks for fresh figures. */
export function useRefreshes(reload: () => void): void {
  useEffect(() => refreshes.follow(reload), [reload]);
}

/**
 * Loads as `useLoad`. `every`: again so many seconds after each answer, one request at a time,
 * while the page is visible; at once when it becomes visible after that time.
 */
export function useView<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  every?: number,
): Loaded<T> {
  const loaded = useLoad(load, inputs);
  const { reload, loading, error } = loaded;
  useRefreshes(reload);
  useEffect(() => {
    if (every === undefined || loading) return undefined;
    let due = false;
    const timer = setTimeout(() => {
      due = true;
      if (document.visibilityState === "visible") reload();
    }, every * 1000);
    const shown = (): void => {
      if (due && document.visibilityState === "visible") reload();
    };
    document.addEventListener("visibilitychange", shown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", shown);
    };
  }, [every, loading, reload]);
  useEffect(() => {
    if (!loading) requestsFail.set(error instanceof NoAnswerError);
    return () => requestsFail.set(false);
  }, [loading, error]);
  return loaded;
}

/** Seconds between two loads because of events. */
const EVENT_PAUSE = 2;

/**
 * Loads as `useView`, and soon after each event of the filter. A hidden page loads when it becomes
 * visible.
 */
export function useLiveView<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  every: number,
  filter: EventFilter,
): Loaded<T> {
  const loaded = useView(load, inputs, every);
  const { reload } = loaded;
  const missed = useRef(false);
  const soon = useThrottled(() => {
    missed.current = document.visibilityState !== "visible";
    if (!missed.current) reload();
  }, EVENT_PAUSE);
  useEffect(() => {
    const shown = (): void => {
      if (!missed.current || document.visibilityState !== "visible") return;
      missed.current = false;
      reload();
    };
    document.addEventListener("visibilitychange", shown);
    return () => document.removeEventListener("visibilitychange", shown);
  }, [reload]);
  // A role that may not read events still sees the figures of every `every` seconds.
  useEvents(filter, { onEvent: soon, onReconnect: soon, onEnd: () => undefined });
  return loaded;
}

/** The value once it has not changed for a moment: for filters that somebody types. */
export function useSettled<T>(value: T, milliseconds = 300): T {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), milliseconds);
    return () => clearTimeout(timer);
  }, [text, milliseconds]);
  return JSON.parse(settled) as T;
}

/** One request of a list; `next` leads to the page behind it and is left out at the end. */
export interface Page<Item> {
  items: readonly Item[];
  next?: string | undefined;
}

export interface Pages<Item> {
  items: readonly Item[];
  /** Whether the first answer is there. */
  isLoaded: boolean;
  hasMore: boolean;
  loading: boolean;
  error: unknown;
  /** Requests so far; a filtered list may need several before it finds an item. */
  requests: number;
  loadMore: () => void;
  reload: () => void;
}

/** Requests that one look at a filtered list may take by itself before it asks to go on. */
const EMPTY_PAGES_MOST = 5;

interface Shown<Item> {
  items: readonly Item[];
  next: string | undefined;
  isLoaded: boolean;
  requests: number;
}

/** A list page by page: a further page is a click, and no request reads all. */
export function usePages<Item>(
  load: (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>,
  inputs: readonly unknown[],
): Pages<Item> {
  const none: Shown<Item> = { items: [], next: undefined, isLoaded: false, requests: 0 };
  const [shown, setShown] = useState(none);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<unknown>(undefined);
  const [round, setRound] = useState(0);
  const aborter = useRef<AbortController | undefined>(undefined);
  const latest = useRef(load);
  latest.current = load;

  const go = useCallback((from: Shown<Item>) => {
    aborter.current?.abort();
    const own = new AbortController();
    aborter.current = own;
    setLoading(true);
    const run = async (): Promise<void> => {
      let { items, next, requests } = from;
      for (let pages = 1; ; pages++) {
        const page = await latest.current(next, own.signal);
        if (own.signal.aborted) return;
        items = [...items, ...page.items];
        next = page.next;
        requests++;
        if (page.items.length > 0 || next === undefined || pages === EMPTY_PAGES_MOST) break;
      }
      setShown({ items, next, isLoaded: true, requests });
      setError(undefined);
      setLoading(false);
    };
    run().catch((problem: unknown) => {
      if (own.signal.aborted || isAbort(problem)) return;
      noteRefusal(problem);
      setError(problem);
      setLoading(false);
    });
  }, []);

  useEffect(() => {
    go(none);
    return () => aborter.current?.abort();
  }, [...inputs, round]);

  const reload = useCallback(() => setRound((number) => number + 1), []);
  useRefreshes(reload);
  return {
    items: shown.items,
    isLoaded: shown.isLoaded,
    hasMore: shown.next !== undefined,
    loading,
    error,
    requests: shown.requests,
    loadMore: () => go(shown),
    reload,
  };
}

/** The answers of `work`, in order, of at most `most` at a time; an error where one failed. */
export async function eachOf<Item, Answer>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Answer>,
): Promise<(Answer | Error)[]> {
  const answers: (Answer | Error)[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let place = next++; place < items.length; place = next++) {
      try {
        answers[place] = await work(items[place] as Item);
      } catch (error) {
        if (isAbort(error)) throw error;
        answers[place] = error instanceof Error ? error : new Error(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return answers;
}
