/** The form of a judgment: made from its schema, the hints of the step and the input. */

import { fieldHintOf, type FieldHint, type Hints } from "./hints.js";
import { isRecord, valueAt } from "./pointer.js";

export interface Option {
  value: string | number | boolean;
  title: string;
  /** The keys that choose it, the first of which is shown. */
  keys: readonly string[];
}

interface Choice {
  kind: "choice";
  options: readonly Option[];
}

interface Choices {
  kind: "choices";
  options: readonly Option[];
  min: number;
  max: number;
}

interface NumberField {
  kind: "number";
  integer: boolean;
  min: number | undefined;
  max: number | undefined;
}

interface TextField {
  kind: "text";
  lines: number;
  min: number;
  max: number | undefined;
}

/** Labels of parts of a text. */
interface Tags {
  kind: "tags";
  text: string;
  options: readonly Option[];
  /** Whether a tag has the text that it covers. */
  withText: boolean;
  min: number;
}

export type ShapeName = "box" | "point" | "polygon";

interface Shapes {
  kind: "shapes";
  shape: ShapeName;
  image: string;
  options: readonly Option[];
  /** The value is one shape without a label, not a list. */
  single: boolean;
  min: number;
  max: number;
}

interface Ranking {
  kind: "ranking";
  options: readonly Option[];
}

export type FieldKind = Choice | Choices | NumberField | TextField | Tags | Shapes | Ranking;

interface FieldBase {
  name: string;
  title: string;
  help: string;
  required: boolean;
  /** The value that the field begins with. */
  start: unknown;
}

export type Field = FieldBase & FieldKind;
export type FieldOf<K extends FieldKind["kind"]> = FieldBase & Extract<FieldKind, { kind: K }>;

export interface FieldForm {
  kind: "fields";
  fields: readonly Field[];
  /** Members that have one value only. */
  fixed: Readonly<Record<string, unknown>>;
  /** A key of the only field hands in at once. */
  oneKey: boolean;
}

export interface JsonForm {
  kind: "json";
}

export type Form = FieldForm | JsonForm;
export type Values = Readonly<Record<string, unknown>>;

/** Keys of the page, which no option has. */
const PAGE_KEYS = "su?";
const LETTERS = "abcdefghijklmnopqrtvwxyz";
/** More options than that belong into a schema for programs. */
const OPTIONS_MAX = 60;
const REF_STEPS_MAX = 20;

// --- schemas ---

type Schema = Readonly<Record<string, unknown>>;

/** The schema that `$ref` names, in the same document. */
function resolved(schema: unknown, root: unknown): Schema {
  let now = schema;
  for (let steps = 0; isRecord(now) && typeof now.$ref === "string"; steps++) {
    if (steps === REF_STEPS_MAX || !now.$ref.startsWith("#")) return {};
    const { $ref, ...beside } = now;
    const target = valueAt(root, $ref.slice(1));
    now = isRecord(target) ? { ...target, ...beside } : {};
  }
  return isRecord(now) ? now : {};
}

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

interface Listed {
  value: string | number | boolean;
  title: string | undefined;
}

/** The values that a schema lists, with titles where it has some. */
function listedValues(schema: Schema): Listed[] | undefined {
  if (Array.isArray(schema.enum) && schema.enum.length > 0 && schema.enum.every(isScalar)) {
    return schema.enum.map((value) => ({ value, title: undefined }));
  }
  const either = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(either) && either.length > 0) {
    const listed = either.flatMap((one): Listed[] =>
      isRecord(one) && isScalar(one.const)
        ? [{ value: one.const, title: typeof one.title === "string" ? one.title : undefined }]
        : [],
    );
    if (listed.length === either.length) return listed;
  }
  return undefined;
}

function optionsOf(listed: readonly Listed[], hint: FieldHint): Option[] {
  const letters = new Set<string>();
  for (const { value } of listed) {
    const key = hint.keys[String(value)]?.toLowerCase();
    if (key !== undefined && key.length === 1 && !PAGE_KEYS.includes(key)) letters.add(key);
  }
  const free = [...LETTERS].filter((letter) => !letters.has(letter));
  const taken = new Set<string>();
  return listed.map(({ value, title }, place) => {
    const asked = hint.keys[String(value)]?.toLowerCase();
    const keys: string[] = [];
    if (asked !== undefined && letters.has(asked) && !taken.has(asked)) keys.push(asked);
    if (keys[0] !== undefined) taken.add(keys[0]);
    const usual = place < 9 ? String(place + 1) : free.shift();
    if (usual !== undefined && !taken.has(usual)) keys.push(usual);
    return { value, title: hint.titles[String(value)] ?? title ?? String(value), keys };
  });
}

function labelOptions(schema: Schema | undefined, hint: FieldHint): Option[] {
  const listed = schema === undefined ? undefined : listedValues(schema);
  return listed === undefined ? [] : optionsOf(listed, hint);
}

// --- inputs ---

/** The first text of an input, or the one that the hint names. */
function textFor(hint: FieldHint, input: unknown): string | undefined {
  if (hint.on !== undefined) {
    const found = valueAt(input, hint.on);
    return typeof found === "string" ? found : undefined;
  }
  if (typeof input === "string") return input;
  if (!isRecord(input)) return undefined;
  return Object.values(input).find((one): one is string => typeof one === "string");
}

const IMAGE_TEXT = /^(data:image\/|(https?:\/\/|\/)\S+\.(png|jpe?g|gif|webp|avif|svg)([?#]\S*)?$)/i;

export function isImageText(value: unknown): value is string {
  return typeof value === "string" && IMAGE_TEXT.test(value);
}

function imageFor(hint: FieldHint, input: unknown): string | undefined {
  if (hint.on !== undefined) {
    const found = valueAt(input, hint.on);
    return typeof found === "string" ? found : undefined;
  }
  if (isImageText(input)) return input;
  return isRecord(input) ? Object.values(input).find(isImageText) : undefined;
}

// --- fields ---

function isListOfNumbers(schema: Schema, length: number): boolean {
  const { items, prefixItems } = schema;
  if (Array.isArray(prefixItems)) return prefixItems.length === length;
  return isRecord(items) && ["number", "integer"].includes(String(items.type));
}

/** The shape that the items of a list have, by the member that holds its place. */
function shapeOf(members: Schema, root: unknown): ShapeName | undefined {
  const box = resolved(members.box, root);
  if (isListOfNumbers(box, 4)) return "box";
  const point = resolved(members.point, root);
  if (isListOfNumbers(point, 2)) return "point";
  return resolved(members.polygon, root).type === "array" ? "polygon" : undefined;
}

function listKind(
  schema: Schema,
  hint: FieldHint,
  input: unknown,
  root: unknown,
): FieldKind | undefined {
  const min = numberOf(schema.minItems) ?? 0;
  const max = numberOf(schema.maxItems) ?? Infinity;
  if (hint.as === "box" || hint.as === "point") {
    const image = imageFor(hint, input);
    if (image === undefined) return undefined;
    return { kind: "shapes", shape: hint.as, image, options: [], single: true, min: 1, max: 1 };
  }
  if (hint.as === "ranking" && hint.on !== undefined) {
    const listed = valueAt(input, hint.on);
    if (!Array.isArray(listed) || !listed.every(isScalar) || listed.length > OPTIONS_MAX) {
      return undefined;
    }
    const options = listed.map((value) => ({ value, title: undefined }));
    return { kind: "ranking", options: optionsOf(options, hint) };
  }
  const items = resolved(schema.items, root);
  const listed = listedValues(items);
  if (listed !== undefined) {
    if (listed.length > OPTIONS_MAX) return undefined;
    const options = optionsOf(listed, hint);
    const isRanking = hint.as === "ranking" || (min === listed.length && max === min);
    return isRanking ? { kind: "ranking", options } : { kind: "choices", options, min, max };
  }
  const members = isRecord(items.properties) ? items.properties : undefined;
  if (members === undefined) return undefined;
  const options = labelOptions(
    members.label === undefined ? undefined : resolved(members.label, root),
    hint,
  );
  const shape = shapeOf(members, root);
  if (shape !== undefined) {
    const image = imageFor(hint, input);
    if (image === undefined) return undefined;
    return { kind: "shapes", shape, image, options, single: false, min, max };
  }
  if (members.start !== undefined && members.end !== undefined && options.length > 0) {
    const text = textFor(hint, input);
    if (text === undefined) return undefined;
    return { kind: "tags", text, options, withText: members.text !== undefined, min };
  }
  return undefined;
}

function kindOf(
  schema: Schema,
  hint: FieldHint,
  input: unknown,
  root: unknown,
): FieldKind | undefined {
  const listed = listedValues(schema);
  if (listed !== undefined) {
    if (listed.length > OPTIONS_MAX) return undefined;
    return { kind: "choice", options: optionsOf(listed, hint) };
  }
  switch (schema.type) {
    case "boolean": {
      const values: Listed[] = [
        { value: true, title: "Yes" },
        { value: false, title: "No" },
      ];
      return { kind: "choice", options: optionsOf(values, hint) };
    }
    case "number":
    case "integer":
      return {
        kind: "number",
        integer: schema.type === "integer",
        min: numberOf(schema.minimum),
        max: numberOf(schema.maximum),
      };
    case "string":
      return {
        kind: "text",
        lines: Math.min(Math.max(Math.round(hint.lines ?? 3), 1), 30),
        min: numberOf(schema.minLength) ?? 0,
        max: numberOf(schema.maxLength),
      };
    case "array":
      return listKind(schema, hint, input, root);
    default:
      return undefined;
  }
}

/** `a_member_name` as `A member name`. */
export function titleOfName(name: string): string {
  const words = name.replace(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The form; one for JSON where a member has no field that fits. */
export function formOf(hints: Hints, input: unknown): Form {
  const json: JsonForm = { kind: "json" };
  const root = resolved(hints.schema, hints.schema);
  if (!isRecord(root.properties)) return json;
  const required = Array.isArray(root.required) ? root.required : [];
  const fields: Field[] = [];
  const fixed: Record<string, unknown> = {};
  for (const [name, source] of Object.entries(root.properties)) {
    const schema = resolved(source, hints.schema);
    if (Object.hasOwn(schema, "const")) {
      fixed[name] = schema.const;
      continue;
    }
    const hint = hints.fields[name] ?? fieldHintOf(undefined);
    const kind = kindOf(schema, hint, input, hints.schema);
    if (kind === undefined) return json;
    fields.push({
      ...kind,
      name,
      title: hint.title ?? (typeof schema.title === "string" ? schema.title : titleOfName(name)),
      help: typeof schema.description === "string" ? schema.description : "",
      // Holdfast counts `/answer` unless the step says otherwise, and refuses a judgment without.
      required: name === "answer" || required.includes(name),
      start: hint.from === undefined ? undefined : valueAt(input, hint.from),
    });
  }
  if (fields.length === 0) return json;
  const oneKey = hints.oneKey && fields.length === 1 && fields[0]?.kind === "choice";
  return { kind: "fields", fields, fixed, oneKey };
}

// --- values ---

const isList = (field: Field): boolean =>
  ["choices", "tags", "ranking"].includes(field.kind) || (field.kind === "shapes" && !field.single);

/** Whether a value from outside, such as a draft or a guess, may stand in a field. */
function fits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case "choice":
      return field.options.some((one) => one.value === value);
    case "number":
      return typeof value === "number";
    case "text":
      return typeof value === "string";
    case "choices":
    case "ranking":
      return (
        Array.isArray(value) &&
        value.every((one) => field.options.some((option) => option.value === one))
      );
    case "tags":
      return (
        Array.isArray(value) &&
        value.every(
          (one) =>
            isRecord(one) &&
            Number.isInteger(one.start) &&
            Number.isInteger(one.end) &&
            field.options.some((option) => option.value === one.label),
        )
      );
    case "shapes":
      return Array.isArray(value);
  }
}

/** The values that a form begins with; `draft` has those that a person has left there. */
export function startValues(form: FieldForm, draft: Values = {}): Values {
  const values: Record<string, unknown> = {};
  for (const field of form.fields) {
    const found = [draft[field.name], field.start].find(
      (one) => one !== undefined && fits(field, one),
    );
    if (found !== undefined) values[field.name] = found;
    else if (isList(field)) values[field.name] = [];
  }
  return values;
}

/** The judgment that the values make, in the order of the schema. */
export function judgmentOf(form: FieldForm, values: Values): Record<string, unknown> {
  const judgment: Record<string, unknown> = { ...form.fixed };
  for (const field of form.fields) {
    const value = values[field.name];
    if (value === undefined || (value === "" && !field.required)) continue;
    judgment[field.name] = value;
  }
  return judgment;
}

export type Problem =
  | { kind: "missing" }
  | { kind: "fewer"; least: number }
  | { kind: "more"; most: number }
  | { kind: "below"; least: number }
  | { kind: "above"; most: number }
  | { kind: "short"; least: number }
  | { kind: "long"; most: number }
  | { kind: "fraction" };

function problemOf(field: Field, value: unknown): Problem | undefined {
  if (value === undefined || (value === "" && field.kind === "text")) {
    return field.required ? { kind: "missing" } : undefined;
  }
  switch (field.kind) {
    case "number": {
      const number = value as number;
      if (field.integer && !Number.isInteger(number)) return { kind: "fraction" };
      if (field.min !== undefined && number < field.min) return { kind: "below", least: field.min };
      if (field.max !== undefined && number > field.max) return { kind: "above", most: field.max };
      return undefined;
    }
    case "text": {
      const { length } = [...(value as string)];
      if (length < field.min) return { kind: "short", least: field.min };
      if (field.max !== undefined && length > field.max) return { kind: "long", most: field.max };
      return undefined;
    }
    case "choices":
    case "tags":
    case "shapes": {
      if (field.kind === "shapes" && field.single) return undefined;
      const { length } = value as unknown[];
      if (length < field.min) return { kind: "fewer", least: field.min };
      if (field.kind !== "tags" && length > field.max) return { kind: "more", most: field.max };
      return undefined;
    }
    case "ranking": {
      const { length } = value as unknown[];
      if (length === 0 && !field.required) return undefined;
      return length < field.options.length
        ? { kind: "fewer", least: field.options.length }
        : undefined;
    }
    case "choice":
      return undefined;
  }
}

/** The problems of values, by the names of fields; the node has the last word. */
export function problemsOf(form: FieldForm, values: Values): Map<string, Problem> {
  const problems = new Map<string, Problem>();
  for (const field of form.fields) {
    const problem = problemOf(field, values[field.name]);
    if (problem !== undefined) problems.set(field.name, problem);
  }
  return problems;
}

/** The place of the option that a key chooses; undefined for another key. */
export function optionByKey(options: readonly Option[], key: string): number | undefined {
  const place = options.findIndex((one) => one.keys.includes(key.toLowerCase()));
  return place < 0 ? undefined : place;
}
