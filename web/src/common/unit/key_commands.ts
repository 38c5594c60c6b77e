/** The commands of keys. */

import { optionByKey, type Field, type Form } from "./form_model.js";

/** A pressed key, and where. */
export interface Press {
  key: string;
  ctrl: boolean;
  /** Held down: the browser repeats it. */
  repeat: boolean;
  /** The focus is in a field that takes letters; `lines`: in one of several lines. */
  inText: "no" | "line" | "lines";
  shift: boolean;
  /** The focus is on a button or link that is no part of the form. */
  onButton: boolean;
}

export type Command =
  | { do: "hand_in" }
  | { do: "skip" }
  | { do: "undo" }
  | { do: "help" }
  | { do: "leave_field" }
  | { do: "option"; place: number }
  | { do: "move"; by: 1 | -1 }
  /** A key for the active field itself. */
  | { do: "field" };

const FIELD_KEYS: ReadonlySet<string> = new Set([
  "ArrowLeft",
  "ArrowRight",
  "ArrowUp",
  "ArrowDown",
  "Home",
  "End",
  " ",
  "Backspace",
  "Delete",
  "+",
  "-",
  "0",
  "c",
  "n",
  "Escape",
]);

function takesFieldKeys(field: Field | undefined): boolean {
  return field?.kind === "tags" || field?.kind === "shapes";
}

/** The command of a key press; undefined: the key belongs to the browser. */
export function commandOf(
  press: Press,
  form: Form,
  active: Field | undefined,
): Command | undefined {
  const { key, inText } = press;
  if (key === "Enter") {
    if (press.repeat || press.onButton) return undefined;
    // Shift+Enter begins a new line. JSON has lines of its own, so there Ctrl+Enter hands in.
    if (inText === "lines" && (press.shift || (form.kind === "json" && !press.ctrl))) {
      return undefined;
    }
    return { do: "hand_in" };
  }
  if (press.ctrl) return undefined;
  if (inText !== "no") return key === "Escape" ? { do: "leave_field" } : undefined;
  if (press.onButton && key === " ") return undefined;
  if (active !== undefined && "options" in active && !press.shift) {
    const place = optionByKey(active.options, key);
    if (place !== undefined) return press.repeat ? undefined : { do: "option", place };
  }
  if (takesFieldKeys(active) && FIELD_KEYS.has(key)) return { do: "field" };
  if (key === "ArrowDown") return { do: "move", by: 1 };
  if (key === "ArrowUp") return { do: "move", by: -1 };
  if (press.repeat) return undefined;
  switch (key) {
    case "s":
    case "S":
      return { do: "skip" };
    case "u":
    case "U":
      return { do: "undo" };
    case "?":
      return { do: "help" };
    default:
      return undefined;
  }
}
