import type { ComponentChildren, VNode } from "preact";

import { texts } from "../../texts/common.js";

export interface Column<T> {
  key: string;
  title: string;
  cell: (row: T) => ComponentChildren;
  /** Figures stand at the right, below each other. */
  numeric?: boolean;
}

/** A table with a caption. The first column names the row. It scrolls sideways where it is wide. */
export function Table<T>(props: {
  caption: string;
  /** For captions that repeat a heading beside the table: read aloud, not shown. */
  hideCaption?: boolean;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  empty?: ComponentChildren;
}): VNode {
  const { columns, rows } = props;
  if (rows.length === 0) return <p class="empty">{props.empty ?? texts.nothing}</p>;
  return (
    <div class="table-box" role="region" aria-label={texts.tableScrolls(props.caption)} tabIndex={0}>
      <table>
        <caption class={props.hideCaption ? "hidden-text" : ""}>{props.caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, numeric }) => (
              <th key={key} scope="col" class={numeric ? "numeric" : ""}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={props.rowKey(row)}>
              {columns.map(({ key, cell, numeric }, place) =>
                place === 0 ? (
                  <th key={key} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={key} class={numeric ? "numeric" : ""}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
