import type { HoldfastError, StepOffer } from "holdfast";
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { beforeSignOut, noteRefusal } from "../common/session.js";
import { useSignal } from "../common/signal.js";
import { Button, LinkButton, toast } from "../common/ui/index.js";
import { texts } from "../texts/label.js";
import { client, lastClient } from "./client.js";
import { Desk, type DeskState } from "./desk.js";
import { countDone, doneToday } from "./done_today.js";
import { Drafts, type TextStore } from "./drafts.js";
import { hintsOf } from "../common/unit/hints.js";
import { clockText, secondsLeft, shareLeft, type Lease } from "./lease_clock.js";
import { UnitView } from "../common/unit/unit_view.js";

const clock = (): number => performance.now() / 1000;

/** Below this share the clock asks for attention. */
const LOW_SHARE = 0.2;

/** Things that a person does at work. Sounds and films that play count as well. */
const ACTIVITIES = [
  "keydown",
  "pointerdown",
  "pointermove",
  "wheel",
  "input",
  "touchmove",
] as const;

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A unit of a desk needs no more than an id that is new. */
const makeId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("");
  return [8, 12, 16, 20, 32].map((end, at, ends) => hex.slice(ends[at - 1] ?? 0, end)).join("-");
};

/** Renders again each second. */
function useSeconds(): void {
  const [, setSecond] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSecond((second) => second + 1), 1000);
    return () => clearInterval(timer);
  }, []);
}

function LeaseClock(props: { lease: Lease }): VNode {
  useSeconds();
  const now = clock();
  const share = shareLeft(props.lease, now);
  const time = clockText(secondsLeft(props.lease, now));
  return (
    <span
      class={share < LOW_SHARE ? "lease is-low" : "lease"}
      role="timer"
      title={texts.leaseHint}
      aria-label={texts.leaseLeft(time)}
    >
      <meter aria-hidden="true" min={0} max={1} low={LOW_SHARE} optimum={1} value={share} />
      <span class="figures">{time}</span>
    </span>
  );
}

function Centred(props: { title: string; children: ComponentChildren }): VNode {
  return (
    <section class="panel centred" role="status">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function endText(problem: HoldfastError | undefined): string {
  if (problem?.code === "not_qualified") return texts.ended.notQualified;
  if (problem === undefined || problem.code === "not_found") return texts.ended.notFound;
  return texts.ended.other(problem.detail || problem.title || problem.code);
}

function Over(props: { desk: Desk }): VNode {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || event.target instanceof HTMLButtonElement) return;
      props.desk.dropOver();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
  return (
    <Centred title={texts.over.title}>
      <p>{texts.over.lead}</p>
      <Button kind="main" onClick={() => props.desk.dropOver()}>
        {texts.over.button} <kbd aria-hidden="true">⏎</kbd>
      </Button>
    </Centred>
  );
}

/** Beside the unit; on a narrow screen above it, folded. */
function Instructions(props: { text: string; page: string | undefined }): VNode {
  const { text, page } = props;
  const [isOpen, setOpen] = useState(() => matchMedia("(min-width: 60rem)").matches);
  return (
    <details
      class="instructions panel"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{texts.instructions}</summary>
      {text.split(/\n+/).map((line, at) => (
        <p key={at} lang="">
          {line}
        </p>
      ))}
      {page !== undefined && (
        <p>
          {texts.ownPage}{" "}
          <a href={page} target="_blank" rel="noopener noreferrer">
            {page}
          </a>
        </p>
      )}
    </details>
  );
}

/** Quiet lines about earlier answers. */
function Notes(props: { desk: Desk; state: DeskState }): VNode {
  const { unsent, late, verdict, units } = props.state;
  const isStuck = unsent > 0 && units.length === 0;
  return (
    <div class="notes" role="status" aria-live="polite">
      {isStuck && <p class="note">{texts.unsent(unsent)}</p>}
      {late > 0 && (
        <p class="note note-warning">
          {texts.late(late)}{" "}
          <Button kind="quiet" onClick={() => props.desk.forgetLate()}>
            {texts.understood}
          </Button>
        </p>
      )}
      {verdict !== undefined && (
        <p key={verdict.number} class={verdict.right ? "note note-good" : "note note-warning"}>
          {verdict.right ? texts.verdict.right : texts.verdict.wrong}
        </p>
      )}
    </div>
  );
}

function useDesk(
  stepId: string,
  contributorId: string,
  store: TextStore,
  drafts: Drafts,
  onDone: () => void,
): Desk {
  const done = useRef(onDone);
  done.current = onDone;
  const desk = useMemo(
    () =>
      new Desk({
        api: client,
        lastApi: lastClient,
        stepId,
        contributorId,
        store,
        clock,
        pause,
        makeId,
        onAccepted: (unitId) => {
          drafts.remove(unitId);
          done.current();
        },
        onSignedOut: noteRefusal,
      }),
    [stepId, contributorId],
  );
  useEffect(() => {
    void desk.open();
    const timer = setInterval(() => {
      const plays = [...document.querySelectorAll<HTMLMediaElement>("audio, video")];
      if (plays.some((one) => !one.paused)) desk.noteActivity();
      desk.tick();
    }, 1000);
    const note = (): void => desk.noteActivity();
    for (const name of ACTIVITIES) addEventListener(name, note, { passive: true, capture: true });
    const hidden = (): void => desk.suspend();
    // A page out of the cache of the browser has given its next unit back.
    const shown = (event: PageTransitionEvent): void => {
      if (event.persisted) location.reload();
    };
    const leave = (): Promise<void> => desk.leave();
    beforeSignOut.add(leave);
    addEventListener("pagehide", hidden);
    addEventListener("pageshow", shown);
    return () => {
      clearInterval(timer);
      for (const name of ACTIVITIES) removeEventListener(name, note, { capture: true });
      removeEventListener("pagehide", hidden);
      removeEventListener("pageshow", shown);
      beforeSignOut.delete(leave);
      void desk.leave();
    };
  }, [desk]);
  return desk;
}

/** The work in one step. */
export function WorkView(props: {
  stepId: string;
  offer: StepOffer | undefined;
  contributorId: string;
  store: TextStore;
}): VNode {
  const { stepId, contributorId, store, offer } = props;
  const drafts = useMemo(() => new Drafts(store, contributorId), [store, contributorId]);
  const [today, setToday] = useState(() => doneToday(store, contributorId));
  const desk = useDesk(stepId, contributorId, store, drafts, () =>
    setToday(countDone(store, contributorId)),
  );
  const state = useSignal(desk.state);
  const [unit] = state.units;
  const ui = unit?.ui ?? offer?.ui ?? "";
  const hints = useMemo(() => hintsOf(ui), [ui]);
  desk.givesFeedback ||= hints.feedback;
  const hasSide = hints.instructions !== "" || hints.page !== undefined;
  const title = offer?.title || offer?.key || texts.unit;
  return (
    <div class="work">
      <header class="work-head">
        <h1>{title}</h1>
        <span class="soft figures today">{texts.doneToday(today)}</span>
        {unit !== undefined && !unit.isOver && <LeaseClock lease={unit.lease} />}
        <LinkButton href="#/">{texts.stop}</LinkButton>
      </header>
      <div class={hasSide ? "work-body has-side" : "work-body"}>
        <div class="work-main">
          <Notes desk={desk} state={state} />
          {unit !== undefined && unit.isOver && <Over desk={desk} />}
          {unit !== undefined && !unit.isOver && (
            <UnitView
              key={`${unit.assignmentId}${unit.refusal === undefined ? "" : "-refused"}`}
              unit={unit}
              hints={hints}
              desk={desk}
              drafts={drafts}
              onSkipped={() => toast(texts.skipped)}
            />
          )}
          {state.phase === "opening" && unit === undefined && (
            <p class="loading" role="status">
              {texts.opening}
            </p>
          )}
          {state.phase === "waiting" && unit === undefined && (
            <Centred title={texts.waiting.title}>
              <p>{texts.waiting.lead}</p>
              <LinkButton href="#/">{texts.steps.back}</LinkButton>
            </Centred>
          )}
          {state.phase === "ended" && (
            <Centred title={texts.ended.title}>
              <p>{endText(state.problem)}</p>
              <LinkButton href="#/">{texts.steps.back}</LinkButton>
            </Centred>
          )}
        </div>
        {hasSide && <Instructions text={hints.instructions} page={hints.page} />}
      </div>
    </div>
  );
}
