/** Data of the API in components. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import { isAbort } from "./api.js";
import { noteRefusal } from "./session.js";

export interface Loaded<T> {
  /** The last answer; kept while a newer one is on its way or failed. */
  value: T | undefined;
  /** Why the last request failed. */
  error: unknown;
  loading: boolean;
  /** Loads again now. */
  reload: () => void;
}

/**
 * Loads when the component appears, when one of `inputs` changes, on `reload`, and every `every`
 * seconds while the page is visible. A request that is overtaken is aborted.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { every }: { every?: number } = {},
): Loaded<T> {
  const [value, setValue] = useState<T | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [loading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const shownInputs = useRef(inputs);

  useEffect(() => {
    const aborter = new AbortController();
    // Another item: the value of the former one must not stand below its name.
    if (shownInputs.current.some((input, place) => !Object.is(input, inputs[place]))) {
      setValue(undefined);
    }
    shownInputs.current = inputs;
    setLoading(true);
    load(aborter.signal)
      .then((answer) => {
        if (aborter.signal.aborted) return;
        setValue(() => answer);
        setError(undefined);
        setLoading(false);
      })
      .catch((problem: unknown) => {
        if (aborter.signal.aborted || isAbort(problem)) return;
        noteRefusal(problem);
        setError(problem);
        setLoading(false);
      });
    return () => aborter.abort();
  }, [...inputs, round]);

  const reload = useCallback(() => setRound((number) => number + 1), []);

  useEffect(() => {
    if (every === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, every * 1000);
    return () => clearInterval(timer);
  }, [every, reload]);

  return { value, error, loading, reload };
}

/** A change that a person asked for: one at a time, with its error. */
export function useAction<A extends unknown[]>(
  action: (...given: A) => Promise<void>,
): { run: (...given: A) => Promise<boolean>; busy: boolean; error: unknown } {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const running = useRef(false);
  const run = async (...given: A): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      await action(...given);
      return true;
    } catch (problem) {
      noteRefusal(problem);
      setError(problem);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { run, busy, error };
}
