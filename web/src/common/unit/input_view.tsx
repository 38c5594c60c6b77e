import { h, type VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { texts } from "../../texts/label.js";
import type { ShownAs } from "./hints.js";
import {
  TABLE_ROWS_MAX,
  bigIntText,
  partsOf,
  plainText,
  tableOf,
  type Part,
} from "./input_model.js";
import type { Form } from "./form_model.js";
import type { Hints } from "./hints.js";
import { safeTreeOf, type SafeNode } from "./safe_html.js";

function ImageInput(props: { source: string; title: string }): VNode {
  const [hasFailed, setFailed] = useState(false);
  const [isLarge, setLarge] = useState(false);
  if (hasFailed) {
    return (
      <p class="notice" role="status">
        {texts.media.imageFailed}
      </p>
    );
  }
  return (
    <button
      type="button"
      class={isLarge ? "image-input is-large" : "image-input"}
      aria-pressed={isLarge}
      data-form
      onClick={() => setLarge(!isLarge)}
    >
      <img
        src={props.source}
        alt={props.title || texts.media.image}
        referrerpolicy="no-referrer"
        onError={() => setFailed(true)}
      />
    </button>
  );
}

function Html(props: { nodes: readonly SafeNode[] }): VNode {
  return (
    <>
      {props.nodes.map((node) =>
        typeof node === "string" ? node : h(node.tag, {}, <Html nodes={node.children} />),
      )}
    </>
  );
}

function HtmlInput(props: { html: string }): VNode {
  const nodes = useMemo(() => safeTreeOf(props.html), [props.html]);
  return (
    <div class="html-input" lang="">
      <Html nodes={nodes} />
    </div>
  );
}

function TableInput(props: { value: unknown; title: string }): VNode {
  const table = tableOf(props.value);
  if (table === undefined) return <TextInput value={props.value} />;
  const isList = table.columns.length > 0;
  const all = Array.isArray(props.value) ? props.value.length : table.rows.length;
  return (
    <div
      class="table-box"
      role="region"
      aria-label={props.title || texts.input}
      tabIndex={0}
      lang=""
    >
      <table class={isList ? "" : "facts"}>
        {isList && (
          <thead>
            <tr>
              {table.columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) =>
                !isList && column === 0 && row.length > 1 ? (
                  <th key={column} scope="row">
                    {plainText(cell)}
                  </th>
                ) : (
                  <td key={column}>{plainText(cell)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {all > TABLE_ROWS_MAX && <p class="soft">{texts.table.more(all - TABLE_ROWS_MAX)}</p>}
    </div>
  );
}

function TextInput(props: { value: unknown }): VNode {
  return (
    <p class="text-input" lang="">
      {plainText(props.value)}
    </p>
  );
}

function Shown(props: { as: ShownAs; value: unknown; title: string }): VNode {
  const { as, value, title } = props;
  if (typeof value === "string") {
    switch (as) {
      case "image":
        return <ImageInput source={value} title={title} />;
      case "audio":
        return <audio controls preload="auto" src={value} aria-label={title} />;
      case "video":
        return <video controls preload="auto" src={value} aria-label={title} />;
      case "html":
        return <HtmlInput html={value} />;
      default:
        return <TextInput value={value} />;
    }
  }
  if (as === "table") return <TableInput value={value} title={title} />;
  if (as === "json" && value !== undefined) {
    return <pre tabIndex={0}>{JSON.stringify(value, bigIntText, 2)}</pre>;
  }
  return <TextInput value={value} />;
}

function PartView(props: { part: Part; isOnly: boolean }): VNode {
  const { part, isOnly } = props;
  if (part.kind === "facts") {
    return (
      <table class="facts" lang="">
        <tbody>
          {part.rows.map(({ title, at, value }) => (
            <tr key={at}>
              <th scope="row">{title}</th>
              <td>{plainText(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    );
  }
  if (part.kind === "pair") {
    return (
      <div class="pair">
        {[part.left, part.right].map((half, at) => (
          <figure key={at} class="pair-half">
            <figcaption>{at === 0 ? texts.pair.left : texts.pair.right}</figcaption>
            <Shown as={half.as} value={half.value} title={half.title} />
          </figure>
        ))}
      </div>
    );
  }
  return (
    <div class="input-part">
      {!isOnly && part.title !== "" && <h3>{part.title}</h3>}
      <Shown as={part.as} value={part.value} title={part.title} />
    </div>
  );
}

export function InputView(props: { hints: Hints; input: unknown; form: Form }): VNode | null {
  const { hints, input, form } = props;
  const parts = useMemo(() => partsOf(hints, input, form), [hints, input, form]);
  if (parts.length === 0) return null;
  return (
    <div class="input" role="region" aria-label={texts.input}>
      {parts.map((part, at) => (
        <PartView key={at} part={part} isOnly={parts.length === 1} />
      ))}
    </div>
  );
}
