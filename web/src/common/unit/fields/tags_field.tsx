import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { texts } from "../../../texts/label.js";
import {
  movedSelection,
  piecesOf,
  pointOfUnit,
  trimmed,
  withSpan,
  withoutSpansAt,
  wordsOf,
  type Range,
  type Span,
} from "../spans.js";
import { FieldBox } from "./field_box.js";
import type { PropsOf } from "./field_props.js";
import { Options } from "./options.js";

/** The place in the text of one end of the browser's selection. */
function placeOf(box: HTMLElement, node: Node | null, unit: number): number | undefined {
  if (node === null || !box.contains(node)) return undefined;
  const element = node instanceof Element ? node : node.parentElement;
  const piece = element?.closest<HTMLElement>("[data-start]");
  if (piece === null || piece === undefined) return undefined;
  const start = Number(piece.dataset.start);
  return start + pointOfUnit(piece.textContent ?? "", node instanceof Element ? 0 : unit);
}

/** The label of a span, as the text beside it. */
function titleOf(field: PropsOf<"tags">["field"], label: unknown): string {
  return field.options.find((one) => one.value === label)?.title ?? String(label);
}

export function TagsField(props: PropsOf<"tags">): VNode {
  const { field, set } = props;
  const spans = props.value as readonly Span[];
  const [selection, setSelection] = useState<Range | undefined>(undefined);
  const points = useMemo(() => [...field.text], [field.text]);
  const words = useMemo(() => wordsOf(field.text), [field.text]);
  const box = useRef<HTMLDivElement>(null);
  const covered = ({ start, end }: Range): string => points.slice(start, end).join("");

  useEffect(() => {
    const note = (): void => {
      const chosen = getSelection();
      if (box.current === null || chosen === null || chosen.isCollapsed) return;
      const one = placeOf(box.current, chosen.anchorNode, chosen.anchorOffset);
      const other = placeOf(box.current, chosen.focusNode, chosen.focusOffset);
      if (one === undefined || other === undefined) return;
      const range = { start: Math.min(one, other), end: Math.max(one, other) };
      setSelection(trimmed(points, range));
    };
    document.addEventListener("selectionchange", note);
    return () => document.removeEventListener("selectionchange", note);
  }, [points]);

  const label = (place: number): void => {
    const option = field.options[place];
    if (option === undefined || selection === undefined) return;
    const { start, end } = selection;
    const text = field.withText ? { text: covered(selection) } : {};
    set(withSpan(spans, { start, end, label: option.value, ...text }));
    getSelection()?.removeAllRanges();
  };

  props.answerKeys({
    option: label,
    press: ({ key, shift }) => {
      if (key === "ArrowLeft" || key === "ArrowRight") {
        getSelection()?.removeAllRanges();
        setSelection(movedSelection(words, selection, key === "ArrowRight" ? 1 : -1, shift));
      }
      if (key === "Escape") setSelection(undefined);
      if ((key === "Backspace" || key === "Delete") && selection !== undefined) {
        set(withoutSpansAt(spans, selection));
      }
    },
  });

  return (
    <FieldBox {...props} help={texts.tags.help}>
      <div
        class="tag-text"
        ref={box}
        role="region"
        aria-label={texts.tags.text}
        tabIndex={0}
        lang=""
      >
        {piecesOf(points.length, spans, selection).map(({ start, end, span, isSelected }) => {
          const isEnd = span !== undefined && span.end === end;
          const tone = field.options.findIndex((one) => one.value === span?.label);
          const classes = [
            ...(span === undefined ? [] : ["tagged", `tone-${tone % 8}`]),
            ...(isSelected ? ["is-selected"] : []),
          ];
          return (
            <span key={`${start}-${end}`} class={classes.join(" ")}>
              <span data-start={start}>{covered({ start, end })}</span>
              {isEnd && (
                <span class="tag-name" aria-hidden="true">
                  {titleOf(field, span.label)}
                </span>
              )}
            </span>
          );
        })}
      </div>
      <Options options={field.options} chosen={() => false} choose={label} isSmall />
      <h4>{texts.tags.list}</h4>
      {spans.length === 0 ? (
        <p class="soft">{texts.tags.none}</p>
      ) : (
        <ul class="marks">
          {spans.map((span) => (
            <li key={`${span.start}-${span.end}`}>
              <span>
                <strong>{titleOf(field, span.label)}</strong> {covered(span)}
              </span>
              <button
                type="button"
                class="button button-quiet"
                data-form
                aria-label={texts.tags.remove(titleOf(field, span.label), covered(span))}
                onClick={() => set(withoutSpansAt(spans, span))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </FieldBox>
  );
}
