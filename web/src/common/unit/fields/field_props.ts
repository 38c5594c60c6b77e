import type { Field, FieldKind, FieldOf } from "../form_model.js";
import type { Press } from "../key_commands.js";

/** The answers of a field to keys. */
export interface FieldKeys {
  /** The key of an option. */
  option?: (place: number) => void;
  /** A key that the field itself understands. */
  press?: (press: Press) => void;
}

export interface FieldProps<F extends Field = Field> {
  field: F;
  value: unknown;
  problem: string | undefined;
  isActive: boolean;
  /** `typed`: the field undoes it by itself. */
  set: (value: unknown, how?: "typed") => void;
  /** Says how the field answers to keys; called in each render. */
  answerKeys: (keys: FieldKeys) => void;
}

export type PropsOf<K extends FieldKind["kind"]> = FieldProps<FieldOf<K>>;
