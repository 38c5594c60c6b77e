/** A ranking, the best first. */

type Item = string | number | boolean;

/** Puts an item behind those that are ranked, or takes it out; the last one follows by itself. */
export function toggled(ranked: readonly Item[], item: Item, all: readonly Item[]): Item[] {
  if (ranked.includes(item)) return ranked.filter((one) => one !== item);
  const next = [...ranked, item];
  const rest = all.filter((one) => !next.includes(one));
  return rest.length === 1 ? [...next, ...rest] : next;
}

export function movedItem(ranked: readonly Item[], item: Item, by: 1 | -1): Item[] {
  const from = ranked.indexOf(item);
  const to = from + by;
  const other = ranked[to];
  if (from < 0 || other === undefined) return [...ranked];
  const next = [...ranked];
  next[from] = other;
  next[to] = item;
  return next;
}
