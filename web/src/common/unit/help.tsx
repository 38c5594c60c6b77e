import type { VNode } from "preact";

import { Dialog } from "../ui/index.js";
import { texts } from "../../texts/label.js";
import type { Field, Form } from "./form_model.js";

type Row = readonly [keys: string, meaning: string];

function verbOf(field: Field, oneKey: boolean): string {
  switch (field.kind) {
    case "choice":
      return oneKey ? texts.help.oneKey : texts.help.chooses;
    case "choices":
      return texts.help.toggles;
    case "ranking":
      return texts.help.ranks;
    case "tags":
      return texts.help.labels;
    default:
      return texts.help.labelsShape;
  }
}

function rowsOf(field: Field, oneKey: boolean): Row[] {
  const rows: Row[] = [];
  if ("options" in field) {
    for (const { keys, title } of field.options) {
      if (keys.length > 0) rows.push([keys.join(" / "), `“${title}” ${verbOf(field, oneKey)}`]);
    }
  }
  if (field.kind === "text" && field.lines > 1) rows.push(["Shift+Enter", texts.help.newLine]);
  if (field.kind === "tags") {
    rows.push(
      ["← →", texts.help.tagMove],
      ["Shift+← →", texts.help.tagExtend],
      ["Backspace", texts.help.tagRemove],
    );
  }
  if (field.kind === "shapes") {
    rows.push(
      ["← → ↑ ↓", texts.help.crosshair],
      ["Space", texts.help.place],
      ...(field.shape === "polygon" ? [["c", texts.help.close] as const] : []),
      ["n", texts.help.nextShape],
      ["Backspace", texts.help.removeShape],
      ["Esc", texts.help.cancelShape],
      ["+ − 0", texts.help.zoom],
    );
  }
  return rows;
}

function KeyTable(props: { title: string; rows: readonly Row[] }): VNode {
  return (
    <table class="key-table">
      <caption>{props.title}</caption>
      <thead class="hidden-text">
        <tr>
          <th scope="col">{texts.help.key}</th>
          <th scope="col">{texts.help.meaning}</th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map(([keys, meaning]) => (
          <tr key={`${keys} ${meaning}`}>
            <th scope="row">
              <kbd>{keys}</kbd>
            </th>
            <td>{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** All keys of the form that is on the screen. */
export function Help(props: { form: Form; onClose: () => void }): VNode {
  const { form } = props;
  const fields = form.kind === "json" ? [] : form.fields;
  const isOneKey = form.kind === "fields" && form.oneKey;
  const types =
    form.kind === "json" || fields.some(({ kind }) => kind === "text" || kind === "number");
  const common: Row[] = [
    ...(isOneKey
      ? []
      : [[form.kind === "json" ? "Ctrl+Enter" : "Enter", texts.help.handIn] as const]),
    ["s", texts.help.skip],
    ...(isOneKey || form.kind === "json" ? [] : [["u", texts.help.undo] as const]),
    ["?", texts.help.help],
    ...(types ? [["Esc", texts.help.escape] as const] : []),
    ...(fields.length > 1 ? [["↑ ↓", texts.help.move] as const] : []),
  ];
  return (
    <Dialog title={texts.help.title} onClose={props.onClose}>
      {fields.map((field) => {
        const rows = rowsOf(field, isOneKey);
        return rows.length > 0 && <KeyTable key={field.name} title={field.title} rows={rows} />;
      })}
      <KeyTable title={texts.help.groups.page} rows={common} />
    </Dialog>
  );
}
