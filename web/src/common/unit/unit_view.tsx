import { JsonText, type HoldfastError } from "holdfast";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { sentenceOf } from "../api.js";
import { Button, TextArea } from "../ui/index.js";
import { texts } from "../../texts/label.js";
import { ChoiceField, ChoicesField, RankingField } from "./fields/choice_fields.js";
import type { FieldKeys, FieldProps, PropsOf } from "./fields/field_props.js";
import { ShapesField } from "./fields/shapes_field.js";
import { TagsField } from "./fields/tags_field.js";
import { NumberAnswer, TextAnswer } from "./fields/typed_fields.js";
import {
  formOf,
  judgmentOf,
  problemsOf,
  startValues,
  type Field,
  type Form,
} from "./form_model.js";
import { Help } from "./help.js";
import type { Hints } from "./hints.js";
import { changed, historyOf, typed, undone } from "./history.js";
import { InputView } from "./input_view.js";
import { commandOf, type Press } from "./key_commands.js";
import { memberPointer } from "./pointer.js";

/** A key that comes sooner than a person can have seen the unit was meant for the one before. */
const FRESH_SECONDS = 0.12;

const TYPES_TEXT =
  "input:not([type=radio]):not([type=checkbox]):not([type=button]), select, [contenteditable]";

function pressOf(event: KeyboardEvent): Press {
  const target = event.target instanceof Element ? event.target : undefined;
  const inText = target?.matches("textarea")
    ? "lines"
    : target?.matches(TYPES_TEXT)
      ? "line"
      : "no";
  return {
    key: event.key,
    ctrl: event.ctrlKey || event.metaKey || event.altKey,
    shift: event.shiftKey,
    repeat: event.repeat,
    inText,
    onButton:
      target?.closest("button, a, select, audio, video, summary") != null &&
      target.closest("[data-form]") === null,
  };
}

function FieldView(props: FieldProps): VNode {
  switch (props.field.kind) {
    case "choice":
      return <ChoiceField {...(props as PropsOf<"choice">)} />;
    case "choices":
      return <ChoicesField {...(props as PropsOf<"choices">)} />;
    case "ranking":
      return <RankingField {...(props as PropsOf<"ranking">)} />;
    case "number":
      return <NumberAnswer {...(props as PropsOf<"number">)} />;
    case "text":
      return <TextAnswer {...(props as PropsOf<"text">)} />;
    case "tags":
      return <TagsField {...(props as PropsOf<"tags">)} />;
    case "shapes":
      return <ShapesField {...(props as PropsOf<"shapes">)} />;
  }
}

/** Whether a place in a judgment is within one of its members. */
function isWithin(place: string, name: string): boolean {
  const member = memberPointer("", name);
  return place === member || place.startsWith(`${member}/`);
}

/** The sentences of a refusal at each field, and the rest of it. */
function placed(
  refusal: HoldfastError | undefined,
  form: Form,
): { at: Map<string, string>; rest: string } {
  const at = new Map<string, string>();
  if (refusal === undefined) return { at, rest: "" };
  const names = form.kind === "fields" ? form.fields.map(({ name }) => name) : [];
  const others: string[] = [];
  for (const { place, detail } of refusal.errors) {
    const name = names.find((one) => isWithin(place.replace(/^\/data(?=\/|$)/, ""), one));
    if (name === undefined) others.push(place === "" ? detail : `${place}: ${detail}`);
    else at.set(name, detail);
  }
  if (at.size > 0 && others.length === 0) return { at, rest: "" };
  return { at, rest: texts.refused(others.join("; ") || sentenceOf(refusal)) };
}

/** A unit as the form needs it. */
export interface ShownUnit {
  unitId: string;
  input: unknown;
  /** Its judgment is on the way, and the person waits for the answer. */
  isSending: boolean;
  /** Why the judgment that was handed in is not taken. */
  refusal: HoldfastError | undefined;
}

/** Takes what a person does with a unit. */
export interface AnswerTaker {
  /** With `wait` the unit stays on the screen until the judgment is accepted. */
  handIn(judgment: unknown, how?: { wait?: boolean }): void;
  decline(): void;
}

/** Keeps what a person has not handed in yet. */
export interface DraftKeeper {
  get(unitId: string): Readonly<Record<string, unknown>> | undefined;
  set(unitId: string, draft: Readonly<Record<string, unknown>>): void;
  remove(unitId: string): void;
}

/**
 * One unit with its form. The key of the component is the assignment. `isPart`: the unit is a part
 * of a page with other things on it; it takes no focus, and keys only while the focus is within.
 */
export function UnitView(props: {
  unit: ShownUnit;
  hints: Hints;
  desk: AnswerTaker;
  drafts: DraftKeeper;
  onSkipped: () => void;
  isPart?: boolean;
}): VNode {
  const { unit, hints, desk, drafts } = props;
  const form = useMemo(() => formOf(hints, unit.input), [hints, unit.input]);
  const draft = useMemo(() => drafts.get(unit.unitId) ?? {}, [unit.unitId]);
  const [history, setHistory] = useState(() =>
    historyOf(form.kind === "fields" ? startValues(form, draft) : {}),
  );
  const [jsonText, setJsonText] = useState(() =>
    typeof draft[""] === "string" ? draft[""] : '{\n  "answer": \n}',
  );
  const [activeAt, setActiveAt] = useState(0);
  const [isChecked, setChecked] = useState(false);
  const [jsonProblem, setJsonProblem] = useState<string | undefined>(undefined);
  const [helps, setHelps] = useState(false);
  const section = useRef<HTMLElement>(null);
  const [isFresh, setFresh] = useState(true);
  const fieldKeys = useRef(new Map<string, FieldKeys>());

  const fields = form.kind === "fields" ? form.fields : [];
  const active = fields[activeAt];
  const isOneKey = form.kind === "fields" && form.oneKey;

  useEffect(() => {
    const timer = setTimeout(() => setFresh(false), FRESH_SECONDS * 1000);
    if (props.isPart) return () => clearTimeout(timer);
    const first = section.current?.querySelector<HTMLElement>(
      "[data-field]:first-of-type :is(textarea, input)",
    );
    const begins = fields[0]?.kind === "text" || fields[0]?.kind === "number";
    (begins && first ? first : section.current)?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
    return () => clearTimeout(timer);
  }, []);

  const store = (values: Readonly<Record<string, unknown>>): void =>
    drafts.set(unit.unitId, values);

  const handIn = (values = history.now): void => {
    if (unit.isSending || isFresh) return;
    if (form.kind === "json") {
      try {
        desk.handIn(new JsonText(jsonText), { wait: true });
        setJsonProblem(undefined);
      } catch (error) {
        setJsonProblem(texts.json.invalid(error instanceof Error ? error.message : String(error)));
      }
      return;
    }
    const problems = problemsOf(form, values);
    if (problems.size > 0) {
      setChecked(true);
      const at = fields.findIndex(({ name }) => problems.has(name));
      setActiveAt(Math.max(at, 0));
      focusField(fields[at]);
      return;
    }
    // A form of choices alone cannot be refused; others wait for the answer, and keep their place.
    const isSafe = fields.every(({ kind }) => kind === "choice" || kind === "choices");
    desk.handIn(judgmentOf(form, values), { wait: !isSafe });
  };

  const focusField = (field: Field | undefined): void => {
    if (field === undefined) return;
    const box = section.current?.querySelector(`[data-field="${CSS.escape(field.name)}"]`);
    box?.scrollIntoView({ block: "nearest" });
    if (field.kind === "text" || field.kind === "number") {
      box?.querySelector<HTMLElement>("textarea, input")?.focus();
    } else if (document.activeElement instanceof HTMLElement) {
      document.activeElement.blur();
    }
  };

  const set = (field: Field, value: unknown, how?: "typed"): void => {
    if (unit.isSending || (isOneKey && isFresh)) return;
    const next =
      how === "typed" ? typed(history, field.name, value) : changed(history, field.name, value);
    setHistory(next);
    store(next.now);
    const at = fields.indexOf(field);
    if (isOneKey) return handIn(next.now);
    if (field.kind === "choice" && at === activeAt && fields[at + 1] !== undefined) {
      setActiveAt(at + 1);
      focusField(fields[at + 1]);
    } else {
      setActiveAt(at);
    }
  };

  const skip = (): void => {
    if (unit.isSending || isFresh) return;
    drafts.remove(unit.unitId);
    desk.decline();
    props.onSkipped();
  };

  const undo = (): void => {
    const next = undone(history);
    setHistory(next);
    store(next.now);
  };

  const run = (event: KeyboardEvent): void => {
    if (event.isComposing || document.querySelector("dialog[open]") !== null) return;
    const press = pressOf(event);
    const command = commandOf(press, form, active);
    if (command === undefined) return;
    event.preventDefault();
    const keys = active === undefined ? undefined : fieldKeys.current.get(active.name);
    switch (command.do) {
      case "hand_in":
        return handIn();
      case "skip":
        return skip();
      case "undo":
        return undo();
      case "help":
        return setHelps(true);
      case "leave_field":
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        return;
      case "option":
        return keys?.option?.(command.place);
      case "field":
        return keys?.press?.(press);
      case "move": {
        const at = Math.min(Math.max(activeAt + command.by, 0), fields.length - 1);
        setActiveAt(at);
        return focusField(fields[at]);
      }
    }
  };
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const pressed = (event: Event): void => latest.current(event as KeyboardEvent);
    const place = props.isPart && section.current !== null ? section.current : window;
    place.addEventListener("keydown", pressed);
    return () => place.removeEventListener("keydown", pressed);
  }, []);

  const problems = isChecked && form.kind === "fields" ? problemsOf(form, history.now) : undefined;
  const refusal = placed(unit.refusal, form);
  const problemAt = (name: string): string | undefined => {
    const problem = problems?.get(name);
    return problem === undefined ? refusal.at.get(name) : texts.problem(problem);
  };
  return (
    <section
      class={isFresh ? "unit panel is-fresh" : "unit panel"}
      ref={section}
      tabIndex={props.isPart ? 0 : -1}
      aria-label={texts.unit}
      aria-busy={unit.isSending}
      onFocusIn={(event) => {
        const box = (event.target as Element).closest<HTMLElement>("[data-field]");
        const at = fields.findIndex(({ name }) => name === box?.dataset.field);
        if (at >= 0) setActiveAt(at);
      }}
    >
      <InputView hints={hints} input={unit.input} form={form} />
      <div class="form">
        {fields.map((field, at) => (
          <FieldView
            key={field.name}
            field={field}
            value={history.now[field.name]}
            problem={problemAt(field.name)}
            isActive={fields.length > 1 && at === activeAt}
            set={(value, how) => set(field, value, how)}
            answerKeys={(keys) => fieldKeys.current.set(field.name, keys)}
          />
        ))}
        {form.kind === "json" && (
          <TextArea
            label={texts.json.label}
            hint={texts.json.hint}
            problem={jsonProblem ?? (refusal.rest === "" ? undefined : refusal.rest)}
            class="mono json-answer"
            rows={8}
            spellcheck={false}
            value={jsonText}
            onValue={(text) => {
              setJsonText(text);
              store({ "": text });
            }}
          />
        )}
        {form.kind === "fields" && refusal.rest !== "" && (
          <p class="notice" role="alert">
            {refusal.rest}
          </p>
        )}
      </div>
      <div class="actions">
        {isOneKey ? (
          <span class="soft one-key">{texts.oneKey}</span>
        ) : (
          <Button kind="main" busy={unit.isSending} data-form onClick={() => handIn()}>
            {unit.isSending ? texts.handingIn : texts.handIn}{" "}
            <kbd aria-hidden="true">{form.kind === "json" ? "Ctrl ⏎" : "⏎"}</kbd>
          </Button>
        )}
        <Button data-form onClick={skip}>
          {texts.skip} <kbd aria-hidden="true">s</kbd>
        </Button>
        {form.kind === "fields" && !isOneKey && (
          <Button data-form disabled={history.past.length === 0} onClick={undo}>
            {texts.undo} <kbd aria-hidden="true">u</kbd>
          </Button>
        )}
        <Button kind="quiet" data-form onClick={() => setHelps(true)}>
          {texts.allKeys} <kbd aria-hidden="true">?</kbd>
        </Button>
      </div>
      {helps && <Help form={form} onClose={() => setHelps(false)} />}
    </section>
  );
}
