/**
 * Labelled parts of a text. Places count Unicode characters (code points), as Python and PostgreSQL
 * do; JavaScript counts UTF-16 units, of which an emoji has two.
 */

export interface Span {
  start: number;
  end: number;
  label: string | number | boolean;
  text?: string;
}

export interface Range {
  start: number;
  end: number;
}

const WORD = /[\p{L}\p{M}\p{N}_]+(?:['’.-][\p{L}\p{M}\p{N}_]+)*|[^\s]/gu;

/** The words and signs of a text, in code points. */
export function wordsOf(text: string): Range[] {
  const words: Range[] = [];
  let unit = 0;
  let point = 0;
  for (const match of text.matchAll(WORD)) {
    point += [...text.slice(unit, match.index)].length;
    const length = [...match[0]].length;
    words.push({ start: point, end: point + length });
    point += length;
    unit = match.index + match[0].length;
  }
  return words;
}

/** The place in code points of a place in UTF-16 units. */
export function pointOfUnit(text: string, unit: number): number {
  return [...text.slice(0, unit)].length;
}

/** The range without white space at its ends; undefined where nothing is left. */
export function trimmed(points: readonly string[], { start, end }: Range): Range | undefined {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(points[from] ?? "")) from++;
  while (to > from && /\s/.test(points[to - 1] ?? "")) to--;
  return from < to ? { start: from, end: to } : undefined;
}

/** The spans with another one, in place of those that it overlaps. */
export function withSpan(spans: readonly Span[], added: Span): Span[] {
  const apart = spans.filter(({ start, end }) => end <= added.start || start >= added.end);
  return [...apart, added].sort((a, b) => a.start - b.start);
}

export function withoutSpansAt(spans: readonly Span[], { start, end }: Range): Span[] {
  return spans.filter((one) => one.end <= start || one.start >= end);
}

export interface Piece extends Range {
  span: Span | undefined;
  isSelected: boolean;
}

/** The text in pieces, each within one span or none, and within the selection or outside. */
export function piecesOf(length: number, spans: readonly Span[], selection?: Range): Piece[] {
  const cuts = new Set([0, length]);
  for (const { start, end } of [...spans, ...(selection === undefined ? [] : [selection])]) {
    cuts.add(Math.min(Math.max(start, 0), length));
    cuts.add(Math.min(Math.max(end, 0), length));
  }
  const places = [...cuts].sort((a, b) => a - b);
  const within = (range: Range | undefined, start: number, end: number): boolean =>
    range !== undefined && range.start <= start && end <= range.end;
  return places.slice(1).map((end, place) => {
    const start = places[place] ?? 0;
    return {
      start,
      end,
      span: spans.find((one) => within(one, start, end)),
      isSelected: within(selection, start, end),
    };
  });
}

/** The selection that an arrow key leads to: the next word, or one word more or less. */
export function movedSelection(
  words: readonly Range[],
  selection: Range | undefined,
  by: 1 | -1,
  extend: boolean,
): Range | undefined {
  if (selection === undefined) return by > 0 ? words[0] : words[words.length - 1];
  if (extend && by > 0) {
    const next = words.find(({ start }) => start >= selection.end);
    return next === undefined ? selection : { start: selection.start, end: next.end };
  }
  if (extend) {
    const inside = words.filter(
      ({ start, end }) => start >= selection.start && end <= selection.end,
    );
    const last = inside[inside.length - 2];
    return last === undefined ? selection : { start: selection.start, end: last.end };
  }
  const next =
    by > 0
      ? words.find(({ start }) => start >= selection.end)
      : [...words].reverse().find(({ end }) => end <= selection.start);
  return next ?? selection;
}
