/** The parts of an input, and the way to show each. */

import { isImageText, titleOfName, type Form } from "./form_model.js";
import type { Hints, ShownAs } from "./hints.js";
import { isRecord, memberPointer, valueAt } from "./pointer.js";

interface Block {
  title: string;
  at: string;
  as: ShownAs;
  value: unknown;
}

export type Part =
  | (Block & { kind: "block" })
  | { kind: "pair"; title: string; left: Block; right: Block }
  /** Short values, together in one table. */
  | { kind: "facts"; rows: readonly { title: string; at: string; value: unknown }[] };

const AUDIO_TEXT =
  /^(data:audio\/|(https?:\/\/|\/)\S+\.(mp3|ogg|oga|opus|wav|flac|m4a)([?#]\S*)?$)/i;
const VIDEO_TEXT = /^(data:video\/|(https?:\/\/|\/)\S+\.(mp4|webm|ogv|mov)([?#]\S*)?$)/i;

/** A text that is longer, or has lines, is a block of its own. */
const FACT_CHARACTERS_MAX = 80;

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function isTable(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => isRecord(row) && Object.values(row).every(isScalar))
  );
}

function shownAs(value: unknown): ShownAs {
  if (isImageText(value)) return "image";
  if (typeof value === "string") {
    if (AUDIO_TEXT.test(value)) return "audio";
    return VIDEO_TEXT.test(value) ? "video" : "text";
  }
  if (isScalar(value)) return "text";
  if (isTable(value) || (isRecord(value) && Object.values(value).every(isScalar))) return "table";
  return "json";
}

function isFact(value: unknown): boolean {
  if (typeof value !== "string") return isScalar(value);
  return shownAs(value) === "text" && value.length <= FACT_CHARACTERS_MAX && !value.includes("\n");
}

function lastName(pointer: string): string {
  const name = pointer.split("/").pop() ?? "";
  return titleOfName(name.replace(/~1/g, "/").replace(/~0/g, "~"));
}

function blockOf(input: unknown, at: string, as?: ShownAs, title?: string): Block {
  const value = valueAt(input, at);
  return { title: title ?? lastName(at), at, as: as ?? shownAs(value), value };
}

/** Values that fields of the form show themselves. */
function shownByFields(form: Form): Set<unknown> {
  const values = new Set<unknown>();
  if (form.kind === "json") return values;
  for (const field of form.fields) {
    if (field.kind === "tags") values.add(field.text);
    if (field.kind === "shapes") values.add(field.image);
  }
  return values;
}

function namedParts(hints: Hints, input: unknown): Part[] {
  const parts: Part[] = [];
  for (const { at, and, as, title } of hints.show ?? []) {
    if (and === undefined) {
      parts.push({ kind: "block", ...blockOf(input, at, as, title) });
      continue;
    }
    const left = blockOf(input, at, as);
    const right = blockOf(input, and, as);
    parts.push({ kind: "pair", title: title ?? "", left, right });
  }
  return parts;
}

/** A list that a ranking shows. */
function rankedPlaces(hints: Hints): Set<string> {
  const places = Object.values(hints.fields).filter(({ as }) => as === "ranking");
  return new Set(places.flatMap(({ on }) => (on === undefined ? [] : [on])));
}

export function partsOf(hints: Hints, input: unknown, form: Form): Part[] {
  if (hints.show !== undefined) return namedParts(hints, input);
  const hidden = shownByFields(form);
  if (!isRecord(input)) {
    return hidden.has(input) ? [] : [{ kind: "block", ...blockOf(input, ""), title: "" }];
  }
  const ranked = rankedPlaces(hints);
  const blocks: Part[] = [];
  const rows: { title: string; at: string; value: unknown }[] = [];
  for (const [name, value] of Object.entries(input)) {
    const at = memberPointer("", name);
    if (hidden.has(value) || ranked.has(at)) continue;
    if (isFact(value)) rows.push({ title: titleOfName(name), at, value });
    else blocks.push({ kind: "block", ...blockOf(input, at) });
  }
  // One short value alone is what the question is about.
  const [only] = rows;
  if (rows.length === 1 && blocks.length === 0 && hidden.size === 0 && only !== undefined) {
    return [{ kind: "block", ...blockOf(input, only.at) }];
  }
  return rows.length === 0 ? blocks : [...blocks, { kind: "facts", rows }];
}

/** A value in a cell or line. */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "object") return JSON.stringify(value, bigIntText);
  return String(value);
}

/** `JSON.stringify` refuses a bigint. */
export function bigIntText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

export interface TableModel {
  columns: readonly string[];
  rows: readonly (readonly unknown[])[];
}

/** Rows shown of a table at most; the rest is counted. */
export const TABLE_ROWS_MAX = 500;

/** The table of a list of objects, or of one object; undefined for another value. */
export function tableOf(value: unknown): TableModel | undefined {
  if (isRecord(value)) return { columns: [], rows: Object.entries(value) };
  if (!Array.isArray(value)) return undefined;
  const rows: unknown[] = value.slice(0, TABLE_ROWS_MAX);
  if (!rows.every(isRecord)) return { columns: [], rows: rows.map((one) => [one]) };
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return {
    columns,
    rows: rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? row[name] : ""))),
  };
}
