/** Events as they happen, and the connection to the node. */

import type { EventFilter, FollowedEvent } from "holdfast";
import { useEffect, useRef } from "preact/hooks";

import { api, isAbort } from "./api.js";
import { noteRefusal } from "./session.js";
import { Signal } from "./signal.js";

/** How many live streams of this page are lost at the moment; the quiet line shows by it. */
export const lostStreams = new Signal(0);

export interface FollowSettings {
  onEvent: (event: FollowedEvent) => void;
  /** The stream ended for good: the role may not read events, or they are gone. */
  onEnd?: (error: unknown) => void;
  /** The stream was lost and is open again; events between came, but figures may be old. */
  onReconnect?: () => void;
  /** False: no stream now. */
  enabled?: boolean;
}

/** Follows events while the component is there. One stream: use one per page and share it. */
export function useEvents(filter: EventFilter, settings: FollowSettings): void {
  const latest = useRef(settings);
  latest.current = settings;
  const enabled = settings.enabled ?? true;

  useEffect(() => {
    if (!enabled) return undefined;
    const aborter = new AbortController();
    let lost = false;
    const setLost = (now: boolean): void => {
      if (now === lost) return;
      lost = now;
      lostStreams.set(lostStreams.value + (now ? 1 : -1));
      if (!now && !aborter.signal.aborted) latest.current.onReconnect?.();
    };
    const onConnection = (open: boolean): void => setLost(!open);
    const run = async (): Promise<void> => {
      for await (const event of api.followEvents(filter, { signal: aborter.signal, onConnection })) {
        latest.current.onEvent(event);
      }
    };
    run().catch((error: unknown) => {
      setLost(false);
      if (aborter.signal.aborted || isAbort(error)) return;
      noteRefusal(error);
      latest.current.onEnd?.(error);
    });
    return () => {
      aborter.abort();
      setLost(false);
    };
  }, [enabled, JSON.stringify(filter)]);
}

/**
 * Calls `work` soon after the first of several calls, and at most once in `seconds`: for lists that
 * are read again because events came.
 */
export function useThrottled(work: () => void, seconds: number): () => void {
  const latest = useRef(work);
  latest.current = work;
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, seconds * 1000);
  };
}
