/**
 * The `ui` of a step, as its requester wrote it. Where it is a JSON object, it describes the form;
 * members that are unknown or of a wrong type are passed over, so that an old page shows what it
 * can.
 */

import { isRecord } from "./pointer.js";

/** The ways to show a part of an input. */
export const SHOWN_AS = ["text", "image", "audio", "video", "html", "table", "json"] as const;
export type ShownAs = (typeof SHOWN_AS)[number];

export interface ShowHint {
  /** The place in the input; of a pair the left one. */
  at: string;
  /** Of a pair: the right one. */
  and: string | undefined;
  as: ShownAs | undefined;
  title: string | undefined;
}

export interface FieldHint {
  title: string | undefined;
  /** A kind of field that the schema alone does not tell, such as `box` for four numbers. */
  as: string | undefined;
  /** The place in the input that the field works on. */
  on: string | undefined;
  /** The place in the input of a value to begin with. */
  from: string | undefined;
  /** Of values: the texts in their place, and the letters that choose them. */
  titles: Readonly<Record<string, string>>;
  keys: Readonly<Record<string, string>>;
  lines: number | undefined;
}

export interface Hints {
  /** The schema of a judgment; undefined: any JSON. */
  schema: unknown;
  instructions: string;
  show: readonly ShowHint[] | undefined;
  fields: Readonly<Record<string, FieldHint>>;
  /** Whether the only choice of a form hands it in. */
  oneKey: boolean;
  /** The step tells contributors whether their answers to test questions were right. */
  feedback: boolean;
  /** The address of a page of the requester's own. */
  page: string | undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

function showHintOf(value: unknown): ShowHint[] {
  if (typeof value === "string") {
    return [{ at: value, and: undefined, as: undefined, title: undefined }];
  }
  if (!isRecord(value) || typeof value.at !== "string") return [];
  return [
    {
      at: value.at,
      and: textOf(value.and),
      as: SHOWN_AS.find((one) => one === value.as),
      title: textOf(value.title),
    },
  ];
}

export function fieldHintOf(value: unknown): FieldHint {
  const hint = isRecord(value) ? value : {};
  return {
    title: textOf(hint.title),
    as: textOf(hint.as),
    on: textOf(hint.on),
    from: textOf(hint.from),
    titles: textsOf(hint.titles),
    keys: textsOf(hint.keys),
    lines: typeof hint.lines === "number" ? hint.lines : undefined,
  };
}

function objectOf(ui: string): Record<string, unknown> {
  if (!ui.trimStart().startsWith("{")) return {};
  try {
    const parsed: unknown = JSON.parse(ui);
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

export function hintsOf(ui: string): Hints {
  const hints = objectOf(ui);
  const fields = isRecord(hints.fields) ? hints.fields : {};
  return {
    schema: hints.schema,
    instructions: textOf(hints.instructions) ?? "",
    show: Array.isArray(hints.show) ? hints.show.flatMap(showHintOf) : undefined,
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, hint]) => [name, fieldHintOf(hint)]),
    ),
    oneKey: hints.one_key !== false,
    feedback: hints.feedback === true,
    page: /^https:\/\/\S+$/.test(ui) ? ui : undefined,
  };
}
