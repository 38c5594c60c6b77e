/** How the columns of a file become the members of inputs. */

import { parseJson, type SourceRow } from "holdfast";

import type { Row } from "./rows.js";
import { byteLength } from "./text.js";

/** `value`: as it is. `skip`: left out. */
export const COLUMN_KINDS = ["value", "number", "json", "skip"] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export interface MappedColumn {
  column: string;
  /** The member of the input. */
  member: string;
  kind: ColumnKind;
}

export interface Mapping {
  /** The column whose value names a row; undefined: the file and the line do. */
  keyColumn: string | undefined;
  columns: readonly MappedColumn[];
  /** Rows are `{"key": …, "input": …}` already, as the API takes them. */
  isWhole: boolean;
}

const KEY_NAMES = ["key", "id", "unit_id", "item_id", "source_key"];
const KEY_BYTES_MAX = 512;

/** All columns of the rows, in order of their appearance. */
export function columnsOf(rows: readonly Row[]): string[] {
  const names = new Set<string>();
  for (const row of rows) {
    if (row.problem === undefined) for (const name of Object.keys(row.cells)) names.add(name);
  }
  return [...names];
}

function isWholeRow(cells: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(cells);
  return (
    names.includes("key") &&
    names.includes("input") &&
    names.every((name) => ["key", "input", "judgments"].includes(name)) &&
    typeof cells.input === "object"
  );
}

/** Lists and objects in a text. */
function looksLikeJson(value: unknown): boolean {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return false;
  try {
    parseJson(value);
    return true;
  } catch {
    return false;
  }
}

/** A mapping to begin with. `expected`: the members that the form shows. */
export function guessMapping(rows: readonly Row[], expected: readonly string[]): Mapping {
  const good = rows.flatMap((row) => (row.problem === undefined ? [row.cells] : []));
  if (good.length > 0 && good.every(isWholeRow)) {
    return { keyColumn: "key", columns: [], isWhole: true };
  }
  const names = columnsOf(rows);
  const keyColumn = names.find((name) => KEY_NAMES.includes(name.toLowerCase()));
  const others = names.filter((name) => name !== keyColumn);
  const missing = expected.filter((member) => !names.includes(member));
  const free = others.filter((name) => !expected.includes(name));
  const columns = others.map((column): MappedColumn => {
    const same = missing.find((member) => member.toLowerCase() === column.toLowerCase());
    const only = missing.length === 1 && free.length === 1 && column === free[0];
    const member = same ?? (only ? missing[0] : undefined) ?? column;
    const values = good.map((cells) => cells[column]).filter((value) => value !== "");
    const isJson = values.length > 0 && values.every(looksLikeJson);
    return { column, member, kind: isJson ? "json" : "value" };
  });
  return { keyColumn, columns, isWhole: false };
}

/** The members that the form shows and no column fills. */
export function missingMembers(mapping: Mapping, expected: readonly string[]): string[] {
  if (mapping.isWhole) return [];
  const filled = mapping.columns.filter(({ kind }) => kind !== "skip").map(({ member }) => member);
  return expected.filter((member) => !filled.includes(member));
}

/** Members that two columns fill. */
export function doubledMembers(mapping: Mapping): string[] {
  const filled = mapping.columns.filter(({ kind }) => kind !== "skip").map(({ member }) => member);
  return [...new Set(filled.filter((member, at) => filled.indexOf(member) !== at))];
}

export type MappedRow =
  | { line: number; row: SourceRow; problem?: undefined }
  | { line: number; key: string; problem: string };

const NUMBER = /^\s*-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?\s*$/;

function valueOf(kind: ColumnKind, cell: unknown): unknown {
  if (kind === "value" || typeof cell !== "string") return cell;
  if (kind === "number") {
    if (!NUMBER.test(cell)) throw new Error(`“${cell.slice(0, 40)}” is no number`);
    return parseJson(cell.trim());
  }
  try {
    return parseJson(cell);
  } catch {
    throw new Error(`“${cell.slice(0, 40)}” is no JSON`);
  }
}

/** The row as the API takes it. `fileName` names rows without a key column, by their line. */
export function mapRow(mapping: Mapping, row: Row, fileName: string): MappedRow {
  const { line } = row;
  if (row.problem !== undefined) return { line, key: "", problem: row.problem };
  const { cells } = row;
  const given = mapping.keyColumn === undefined ? `${fileName}:${line}` : cells[mapping.keyColumn];
  const key = given === undefined || given === null ? "" : String(given);
  const refuse = (problem: string): MappedRow => ({ line, key, problem });
  if (key === "") return refuse(`the key column ${mapping.keyColumn ?? ""} is empty`);
  if (byteLength(key) > KEY_BYTES_MAX)
    return refuse(`the key is longer than ${KEY_BYTES_MAX} bytes`);
  if (mapping.isWhole) {
    if (cells.input === undefined) return refuse("the row has no input");
    const judgments = cells.judgments as number | undefined;
    return { line, row: { key, input: cells.input, judgments } };
  }
  const input: Record<string, unknown> = {};
  for (const { column, member, kind } of mapping.columns) {
    if (kind === "skip" || cells[column] === undefined) continue;
    try {
      input[member] = valueOf(kind, cells[column]);
    } catch (error) {
      return refuse(`${column}: ${(error as Error).message}`);
    }
  }
  return { line, row: { key, input } };
}
