/** Ids of requests and items. */

const RANDOM_BITS = 74n; // the bits beside the time, the version and the variant
const STEP_BITS = 32;

function randomBits(count: number): bigint {
  const words = new Uint32Array(Math.ceil(count / 32));
  if (globalThis.crypto !== undefined) {
    globalThis.crypto.getRandomValues(words);
  } else {
    // Node 18 has no global `crypto`. Ids have to be unique, and are no secrets.
    for (let place = 0; place < words.length; place++) words[place] = Math.random() * 2 ** 32;
  }
  const value = words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return BigInt.asUintN(count, value);
}

let last = 0n; // the time and the random part

/**
 * A new UUID of version 7, greater than the one before as long as the clock is not set back:
 * within a millisecond the random part counts on. Queues hand out tasks that were made together in
 * the order of their ids.
 */
export function makeId(): string {
  const now = BigInt.asUintN(48, BigInt(Date.now())) << RANDOM_BITS;
  last = now > last ? now | randomBits(Number(RANDOM_BITS)) : last + 1n + randomBits(STEP_BITS);
  const head = last >> 62n;
  const tail = BigInt.asUintN(62, last);
  const value =
    ((head >> 12n) << 80n) | (0x7n << 76n) | ((head & 0xfffn) << 64n) | (0x2n << 62n) | tail;
  const hex = value.toString(16).padStart(32, "0");
  return [8, 12, 16, 20, 32]
    .map((end, place, ends) => hex.slice(ends[place - 1] ?? 0, end))
    .join("-");
}
