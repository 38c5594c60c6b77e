/** Templates of workflows: a short form of each makes the whole definition. */

import { byteLength } from "./text.js";

export const TEMPLATES = [
  "single_choice",
  "several_choices",
  "media_choice",
  "text",
  "tags",
  "boxes",
  "points",
  "polygons",
  "pairwise",
  "ranking",
  "transcription",
  "prelabels",
  "review_after_doubt",
] as const;
export type TemplateName = (typeof TEMPLATES)[number];

/** The parts of an input that a template shows, each a member of the input. */
export type Slot = "text" | "image" | "media" | "left" | "right" | "items" | "audio" | "guess";

export const MEDIA = ["image", "audio", "video"] as const;
export type Medium = (typeof MEDIA)[number];

export type LabelsWanted = "required" | "optional" | "none";

interface Template {
  labels: LabelsWanted;
  slots: readonly Slot[];
  /** Slots that may be empty: all of the input is shown then, or nothing. */
  optional: readonly Slot[];
}

const OVER_TEXT: Template = { labels: "required", slots: ["text"], optional: ["text"] };
const OVER_IMAGE: Template = { labels: "optional", slots: ["image"], optional: [] };

const RULES: Readonly<Record<TemplateName, Template>> = {
  single_choice: OVER_TEXT,
  several_choices: OVER_TEXT,
  media_choice: { labels: "required", slots: ["media"], optional: [] },
  text: { labels: "none", slots: ["text"], optional: ["text"] },
  tags: { labels: "required", slots: ["text"], optional: [] },
  boxes: OVER_IMAGE,
  points: OVER_IMAGE,
  polygons: OVER_IMAGE,
  pairwise: { labels: "none", slots: ["text", "left", "right"], optional: ["text"] },
  ranking: { labels: "none", slots: ["text", "items"], optional: ["text"] },
  transcription: { labels: "none", slots: ["audio"], optional: [] },
  prelabels: { labels: "required", slots: ["text", "guess"], optional: ["text"] },
  review_after_doubt: OVER_TEXT,
};

export function rulesOf(template: TemplateName): Template {
  return RULES[template];
}

/** The form of a requester. */
export interface TemplateForm {
  template: TemplateName;
  name: string;
  question: string;
  instructions: string;
  labels: readonly string[];
  judgments: number;
  /** The member of the input for each slot; empty: none. */
  members: Readonly<Partial<Record<Slot, string>>>;
  medium: Medium;
  /** Results of less confidence are reviewed. */
  doubt: number;
  /** Some units are test questions, by which contributors are known. */
  hasTests: boolean;
}

const FIRST_MEMBERS: Readonly<Record<Slot, string>> = {
  text: "text",
  image: "image",
  media: "file",
  left: "left",
  right: "right",
  items: "items",
  audio: "audio",
  guess: "guess",
};

/** The form to begin with. */
export function emptyForm(template: TemplateName, labels: readonly string[]): TemplateForm {
  const rules = RULES[template];
  return {
    template,
    name: "",
    question: "",
    instructions: "",
    labels: rules.labels === "none" ? [] : labels,
    judgments: template === "transcription" || template === "text" ? 1 : 3,
    members: Object.fromEntries(rules.slots.map((slot) => [slot, FIRST_MEMBERS[slot]])),
    medium: "image",
    doubt: 0.7,
    hasTests: false,
  };
}

// --- the definition ---

/** Bytes of `ui` that a node takes. */
export const UI_BYTES_MAX = 1024;

type Json = Readonly<Record<string, unknown>>;

interface Step {
  schema: Json;
  show: readonly unknown[];
  /** Hints of the fields besides their titles. */
  fields: Readonly<Record<string, Json>>;
  oneKey?: boolean;
}

function pointerTo(member: string | undefined): string | undefined {
  if (member === undefined || member === "") return undefined;
  return `/${member.replace(/~/g, "~0").replace(/\//g, "~1")}`;
}

function answerSchema(answer: Json): Json {
  return { properties: { answer }, required: ["answer"] };
}

function numbers(length: number): Json {
  return { type: "array", items: { type: "number" }, minItems: length, maxItems: length };
}

/** A list of marks, each with its place and, where there are labels, its label. */
function marks(place: Json, labels: readonly string[]): Json {
  const label = labels.length > 0 ? { label: { enum: labels } } : {};
  const properties = { ...label, ...place };
  const items = { type: "object", properties, required: Object.keys(properties) };
  return { type: "array", items };
}

/** The parts of the first step that the kind of the answer decides. */
function firstStep(form: TemplateForm): Step {
  const { labels, members } = form;
  const at = (slot: Slot): string | undefined => pointerTo(members[slot]);
  const text = at("text");
  const shown = text === undefined ? [] : [text];
  const choice = answerSchema({ enum: labels });
  switch (form.template) {
    case "single_choice":
    case "review_after_doubt":
      return { schema: choice, show: shown, fields: {} };
    case "several_choices": {
      const items = { enum: labels };
      const answer = { type: "array", items, minItems: 1, uniqueItems: true };
      return { schema: answerSchema(answer), show: shown, fields: {} };
    }
    case "media_choice":
      return { schema: choice, show: [{ at: at("media"), as: form.medium }], fields: {} };
    case "text":
      return {
        schema: answerSchema({ type: "string", minLength: 1 }),
        show: shown,
        fields: { answer: { lines: 3 } },
      };
    case "transcription":
      return {
        schema: answerSchema({ type: "string", minLength: 1 }),
        show: [{ at: at("audio"), as: "audio" }],
        fields: { answer: { lines: 5 } },
      };
    case "tags": {
      const whole = { type: "integer" };
      const place = { start: whole, end: whole };
      return {
        schema: answerSchema(marks(place, labels)),
        show: [],
        fields: { answer: { on: text } },
      };
    }
    case "boxes":
    case "points":
    case "polygons": {
      const place = {
        boxes: { box: numbers(4) },
        points: { point: numbers(2) },
        polygons: { polygon: { type: "array", items: numbers(2), minItems: 3 } },
      }[form.template];
      return {
        schema: answerSchema(marks(place, labels)),
        show: [],
        fields: { answer: { on: at("image") } },
      };
    }
    case "pairwise":
      return {
        schema: answerSchema({ enum: PAIR_ANSWERS }),
        show: [...shown, { at: at("left"), and: at("right") }],
        fields: {
          answer: {
            titles: { left: "Left", right: "Right", same: "Both are as good" },
            keys: { left: "l", right: "r", same: "b" },
          },
        },
      };
    case "ranking": {
      const answer = { type: "array", items: { type: "string" }, uniqueItems: true };
      return {
        schema: answerSchema(answer),
        show: shown,
        fields: { answer: { as: "ranking", on: at("items") } },
      };
    }
    case "prelabels":
      return {
        schema: choice,
        show: shown,
        fields: { answer: { from: at("guess") } },
        oneKey: false,
      };
  }
}

const PAIR_ANSWERS: readonly string[] = ["left", "right", "same"];

/** Templates that show the input by a field of the form, or choose what they show. */
function uiOf(step: Step, instructions: string): string {
  const isMarked = step.show.length === 0 && step.fields.answer?.on !== undefined;
  return JSON.stringify({
    schema: step.schema,
    ...(instructions.trim() === "" ? {} : { instructions: instructions.trim() }),
    ...(step.show.length === 0 && !isMarked ? {} : { show: step.show }),
    ...(Object.keys(step.fields).length === 0 ? {} : { fields: step.fields }),
    ...(step.oneKey === undefined ? {} : { one_key: step.oneKey }),
  });
}

function judgmentSchema(schema: Json): Json {
  return { type: "object", additionalProperties: false, ...schema };
}

/** The answers that are counted by name; undefined where any answer can be given. */
function countedLabels(form: TemplateForm): readonly string[] | undefined {
  switch (form.template) {
    case "single_choice":
    case "media_choice":
    case "prelabels":
    case "review_after_doubt":
      return form.labels;
    case "pairwise":
      return PAIR_ANSWERS;
    default:
      return undefined;
  }
}

const VERDICTS: readonly string[] = ["approve", "correct", "reject"];

function reviewStep(form: TemplateForm): Json {
  const schema = {
    properties: { verdict: { enum: VERDICTS }, correction: { enum: form.labels } },
    required: ["verdict"],
  };
  const text = pointerTo(form.members.text);
  const show = [`/data${text ?? ""}`, { at: "/result/answer", title: "Answer so far" }];
  const ui = uiOf({ schema, show, fields: {} }, "");
  return {
    key: "review",
    title: `Review: ${form.question.trim()}`,
    ui,
    judgment_schema: {
      ...judgmentSchema(schema),
      if: { properties: { verdict: { const: "correct" } } },
      then: { required: ["correction"] },
    },
    judgments_per_unit: 1,
    aggregation: { method: "review", answer: "/verdict", correction: "/correction" },
  };
}

/** The workflow that a form describes. */
export function definitionOf(form: TemplateForm): Json {
  const step = firstStep(form);
  const labels = countedLabels(form);
  const isReviewed = form.template === "review_after_doubt";
  const first = {
    key: "label",
    title: form.question.trim(),
    ui: uiOf(step, form.instructions),
    judgment_schema: judgmentSchema(step.schema),
    judgments_per_unit: form.judgments,
    ...(labels === undefined ? {} : { aggregation: { answer: "/answer", labels } }),
    ...(form.hasTests ? { test_questions: { quiz: 0, every: 10 } } : {}),
    ...(isReviewed ? { routes: [{ when: { confidence_below: form.doubt }, to: ["review"] }] } : {}),
  };
  return {
    name: form.name.trim(),
    steps: isReviewed ? [first, reviewStep(form)] : [first],
  };
}

/** The members that an input needs for the form to show it. */
export function membersOf(form: TemplateForm): string[] {
  return RULES[form.template].slots.flatMap((slot) => form.members[slot] || []);
}

// --- problems ---

export type FormProblem =
  | { at: "name" | "question"; kind: "missing" }
  | { at: "labels"; kind: "few" | "many" | "twice" }
  | { at: "judgments" | "doubt"; kind: "range" }
  | { at: Slot; kind: "missing" | "twice" }
  | { at: "ui"; kind: "long"; bytes: number };

const LABELS_MOST = 60;
export const JUDGMENTS_MOST = 1000;

/** The mistakes in a form that are seen without a node. */
export function problemsOf(form: TemplateForm): FormProblem[] {
  const rules = RULES[form.template];
  const problems: FormProblem[] = [];
  if (form.name.trim() === "") problems.push({ at: "name", kind: "missing" });
  if (form.question.trim() === "") problems.push({ at: "question", kind: "missing" });
  const { labels } = form;
  const least = form.template === "tags" ? 1 : 2;
  if (rules.labels === "required" && labels.length < least) {
    problems.push({ at: "labels", kind: "few" });
  }
  if (labels.length > LABELS_MOST) problems.push({ at: "labels", kind: "many" });
  if (new Set(labels).size < labels.length) problems.push({ at: "labels", kind: "twice" });
  if (!Number.isInteger(form.judgments) || form.judgments < 1 || form.judgments > JUDGMENTS_MOST) {
    problems.push({ at: "judgments", kind: "range" });
  }
  if (form.template === "review_after_doubt" && !(form.doubt > 0 && form.doubt <= 1)) {
    problems.push({ at: "doubt", kind: "range" });
  }
  const seen = new Set<string>();
  for (const slot of rules.slots) {
    const member = form.members[slot] ?? "";
    if (member === "" && !rules.optional.includes(slot)) {
      problems.push({ at: slot, kind: "missing" });
    }
    if (member !== "" && seen.has(member)) problems.push({ at: slot, kind: "twice" });
    seen.add(member);
  }
  for (const { ui } of definitionOf(form).steps as { ui: string }[]) {
    const bytes = byteLength(ui);
    if (bytes > UI_BYTES_MAX) {
      problems.push({ at: "ui", kind: "long", bytes });
      break;
    }
  }
  return problems;
}

/** One label on each line, without blanks around them and without empty lines. */
export function labelsOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
