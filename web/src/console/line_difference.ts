/** The difference of two texts by lines: the shortest one, as by the longest common subsequence. */

export interface DifferenceLine {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Above so many pairs of lines the texts are shown as one removed and one added. */
const PAIRS_MOST = 4_000_000;

export function differenceOf(before: string, after: string): DifferenceLine[] {
  const old = before === "" ? [] : before.split("\n");
  const now = after === "" ? [] : after.split("\n");
  const lines = (kind: DifferenceLine["kind"], texts: readonly string[]): DifferenceLine[] =>
    texts.map((text) => ({ kind, text }));

  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  ) {
    tail++;
  }
  const oldCore = old.slice(head, old.length - tail);
  const nowCore = now.slice(head, now.length - tail);
  const core =
    oldCore.length * nowCore.length > PAIRS_MOST
      ? [...lines("removed", oldCore), ...lines("added", nowCore)]
      : coreDifference(oldCore, nowCore);
  return [
    ...lines("same", old.slice(0, head)),
    ...core,
    ...lines("same", old.slice(old.length - tail)),
  ];
}

function coreDifference(old: readonly string[], now: readonly string[]): DifferenceLine[] {
  // common[i * width + j]: the length of the longest common subsequence of what is behind i and j.
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] =
        old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: DifferenceLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      found.push({ kind: "same", text: old[i] as string });
      i++;
      j++;
    } else if (j < now.length && (i === old.length || at(i, j + 1) > at(i + 1, j))) {
      found.push({ kind: "added", text: now[j++] as string });
    } else {
      found.push({ kind: "removed", text: old[i++] as string });
    }
  }
  return found;
}

/** The changed lines with a few around them; `null` stands for lines that are left out. */
export function withContext(
  lines: readonly DifferenceLine[],
  around = 3,
): (DifferenceLine | null)[] {
  const isShown = lines.map((_, place) =>
    lines
      .slice(Math.max(0, place - around), place + around + 1)
      .some(({ kind }) => kind !== "same"),
  );
  const found: (DifferenceLine | null)[] = [];
  for (const [place, line] of lines.entries()) {
    if (isShown[place]) found.push(line);
    else if (found.length === 0 || found[found.length - 1] !== null) found.push(null);
  }
  return found;
}
