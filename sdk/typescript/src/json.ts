/**
 * JSON without silent loss of digits.
 *
 * `JSON.parse` rounds 9400110200881234567890 to the nearest double. Here an integer that no double
 * holds exactly becomes a `bigint`, and a `bigint` is written as its digits. `textAt` has the text
 * of any part of an answer as the node sent it.
 */

/** JSON text that is sent as it is, with all digits of its numbers. */
export class JsonText {
  readonly text: string;

  /** Throws `SyntaxError` where `text` is not JSON. */
  constructor(text: string) {
    JSON.parse(text);
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** The deepest value that is written. A node takes 64 levels; a cycle has no end. */
const DEPTH_MAX = 500;

/** Only a run of so many digits may hold an integer that a double rounds. */
const LONG_NUMBER = /\d{16}/;
const INTEGER = /^-?\d+$/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Reads JSON. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return LONG_NUMBER.test(text) ? new Reader(text).value() : value;
}

/** Writes JSON. Throws `TypeError` for a value that JSON does not have. */
export function encodeJson(value: unknown): string {
  const text = encoded(value, "", 0);
  if (text === undefined) throw new TypeError(`not JSON: ${typeof value}`);
  return text;
}

function encoded(value: unknown, key: string, depth: number): string | undefined {
  if (depth > DEPTH_MAX) throw new TypeError("not JSON: a cycle, or too many levels");
  switch (typeof value) {
    case "string":
    case "boolean":
      return JSON.stringify(value);
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`not JSON: ${value}`);
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
    case "undefined":
      return undefined;
    case "object":
      return value === null ? "null" : encodedObject(value, key, depth);
    default:
      throw new TypeError(`not JSON: ${typeof value}`);
  }
}

function encodedObject(value: object, key: string, depth: number): string | undefined {
  if (value instanceof JsonText) return value.text;
  if (value instanceof Map || value instanceof Set) {
    throw new TypeError(`not JSON: ${value.constructor.name}`);
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return encoded(toJSON.call(value, key), key, depth + 1);
  if (Array.isArray(value)) {
    const items = value.map((one, place) => encoded(one, String(place), depth + 1) ?? "null");
    return `[${items.join(",")}]`;
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return encoded(value.valueOf(), key, depth + 1);
  }
  const members: string[] = [];
  for (const [name, one] of Object.entries(value)) {
    const text = encoded(one, name, depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

const texts = new WeakMap<object, string>();

/** Reads the JSON of an answer, and remembers its text for `textAt`. */
export function parseAnswer(text: string): unknown {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null) texts.set(value, text);
  return value;
}

/**
 * The text of a part of an answer, byte for byte as the node sent it; undefined where the answer
 * has no such part. `answer` is the object that a call returned, and `path` leads to the part:
 * `textAt(await client.getTask(id), "result")`, `textAt(page, "tasks", 0, "id")`.
 */
export function textAt(answer: object, ...path: (string | number)[]): string | undefined {
  const text = texts.get(answer);
  if (text === undefined) throw new TypeError("not an answer of a call");
  return new Reader(text).find(path);
}

/** Reads text that `JSON.parse` has taken. */
class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  value(): unknown {
    switch (this.peek()) {
      case "{":
        return this.object();
      case "[":
        return this.array();
      case '"':
        return JSON.parse(this.string());
      case "t":
        return this.word(4, true);
      case "f":
        return this.word(5, false);
      case "n":
        return this.word(4, null);
      default:
        return this.number();
    }
  }

  find(path: readonly (string | number)[]): string | undefined {
    for (const [depth, step] of path.entries()) {
      const places = this.places(step);
      // The last of two members with one name counts, as in `JSON.parse`.
      const place = places[places.length - 1];
      if (place === undefined) return undefined;
      this.at = place.begin;
      if (depth === path.length - 1) return this.text.slice(place.begin, place.end);
    }
    return this.text.trim();
  }

  /** The places of the children of the value here that `step` names. */
  private places(step: string | number): { begin: number; end: number }[] {
    const found: { begin: number; end: number }[] = [];
    const opening = this.peek();
    if (opening !== "{" && opening !== "[") return found;
    this.at++;
    for (let index = 0; this.peek() !== "}" && this.peek() !== "]"; index++) {
      const name: unknown = opening === "{" ? JSON.parse(this.string()) : index;
      if (opening === "{") this.pass(":");
      this.peek();
      const begin = this.at;
      this.skip();
      if (name === step) found.push({ begin, end: this.at });
      if (this.peek() === ",") this.at++;
    }
    return found;
  }

  /** The next character that is no space. */
  private peek(): string {
    while (" \n\r\t".includes(this.text.charAt(this.at)) && this.at < this.text.length) this.at++;
    return this.text.charAt(this.at);
  }

  private pass(character: string): void {
    if (this.peek() === character) this.at++;
  }

  private object(): object {
    const made: Record<string, unknown> = {};
    this.at++;
    while (this.peek() !== "}") {
      const name = JSON.parse(this.string()) as string;
      this.pass(":");
      const value = this.value();
      if (name === "__proto__") {
        const plain = { value, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(made, name, plain);
      } else {
        made[name] = value;
      }
      this.pass(",");
    }
    this.at++;
    return made;
  }

  private array(): unknown[] {
    const made: unknown[] = [];
    this.at++;
    while (this.peek() !== "]") {
      made.push(this.value());
      this.pass(",");
    }
    this.at++;
    return made;
  }

  private string(): string {
    this.peek();
    const begin = this.at++;
    while (this.text.charAt(this.at) !== '"') this.at += this.text.charAt(this.at) === "\\" ? 2 : 1;
    return this.text.slice(begin, ++this.at);
  }

  private number(): number | bigint {
    const text = this.numberText();
    const value = Number(text);
    return INTEGER.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
  }

  private numberText(): string {
    NUMBER.lastIndex = this.at;
    const text = NUMBER.exec(this.text)?.[0] ?? "";
    if (text === "") throw new SyntaxError(`not JSON at ${this.at}`);
    this.at += text.length;
    return text;
  }

  private word<T>(length: number, value: T): T {
    this.at += length;
    return value;
  }

  /** Passes over the value here. */
  private skip(): void {
    let depth = 0;
    do {
      const next = this.peek();
      if (next === '"') this.string();
      else if (next === "{" || next === "[") depth += this.word(1, 1);
      else if (next === "}" || next === "]") depth -= this.word(1, 1);
      else if (next === "," || next === ":") this.at++;
      else if (next === "t" || next === "n") this.at += 4;
      else if (next === "f") this.at += 5;
      else this.numberText();
    } while (depth > 0);
  }
}
