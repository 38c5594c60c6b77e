/** Reads the rows of a file, CSV or JSON lines, piece by piece. */

import { parseJson } from "holdfast";

export type Format = "csv" | "ndjson";

/** A row with its members, or the reason why it cannot be read. `line` counts from 1. */
export type Row =
  | { line: number; cells: Readonly<Record<string, unknown>>; problem?: undefined }
  | { line: number; problem: string };

/** A file that cannot be read at all, or not further. */
export class FileError extends Error {}

/** The longest row; above that most likely a quotation mark is not closed. */
export const ROW_CHARACTERS_MAX = 1024 * 1024;

const SEPARATORS = [",", ";", "\t"] as const;

/** The separator that the first line has most of, outside quotation marks. */
export function separatorOf(line: string): string {
  const bare = line.replace(/"[^"]*"/g, "");
  let best = ",";
  let most = 0;
  for (const one of SEPARATORS) {
    const found = bare.split(one).length - 1;
    if (found > most) [best, most] = [one, found];
  }
  return best;
}

interface CsvRecord {
  line: number;
  fields: string[];
  problem?: string;
}

/** Records of CSV (RFC 4180), from text that comes in pieces. */
export class CsvReader {
  private rest = "";
  private line = 1;
  private isFirst = true;
  private separator: string | undefined;

  /** The records that are complete with this text. */
  push(text: string): CsvRecord[] {
    this.rest += this.isFirst ? text.replace(/^\uFEFF/, "") : text;
    if (text !== "") this.isFirst = false;
    return this.take(false);
  }

  /** The record that no line end closes. */
  end(): CsvRecord[] {
    return this.take(true);
  }

  private take(isEnd: boolean): CsvRecord[] {
    const records: CsvRecord[] = [];
    let begin = 0;
    let line = this.line;
    let isQuoted = false;
    let lines = 0;
    const { rest } = this;
    for (let at = 0; at < rest.length; at++) {
      const one = rest[at];
      if (one === '"') isQuoted = !isQuoted;
      if (at - begin > ROW_CHARACTERS_MAX) {
        throw new FileError(`line ${line}: the row is longer than 1 MiB; is a " not closed?`);
      }
      if (one !== "\n") continue;
      lines++;
      if (isQuoted) continue;
      this.note(records, rest.slice(begin, at).replace(/\r$/, ""), line);
      begin = at + 1;
      line += lines;
      lines = 0;
    }
    this.rest = rest.slice(begin);
    this.line = line;
    if (!isEnd || this.rest === "") return records;
    if (isQuoted) throw new FileError(`line ${line}: a " is not closed`);
    this.note(records, this.rest, line);
    this.rest = "";
    return records;
  }

  private note(records: CsvRecord[], text: string, line: number): void {
    if (text === "") return; // a blank line
    this.separator ??= separatorOf(text);
    records.push({ line, ...fieldsOf(text, this.separator) });
  }
}

function fieldsOf(text: string, separator: string): { fields: string[]; problem?: string } {
  const fields: string[] = [];
  for (let at = 0; at <= text.length;) {
    if (text[at] !== '"') {
      const found = text.indexOf(separator, at);
      const end = found < 0 ? text.length : found;
      fields.push(text.slice(at, end));
      at = end + 1;
      continue;
    }
    let field = "";
    let from = at + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      if (quote < 0) return { fields, problem: 'a " is not closed' };
      field += text.slice(from, quote);
      if (text[quote + 1] !== '"') {
        at = quote + 1;
        break;
      }
      field += '"';
      from = quote + 2;
    }
    if (at < text.length && text[at] !== separator) {
      return { fields, problem: 'there is text behind a closing "' };
    }
    fields.push(field);
    at++;
  }
  return { fields };
}

function headerProblem(names: readonly string[]): string | undefined {
  if (names.some((name) => name === "")) return "a column of the first line has no name";
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `two columns have the name “${twice}”`;
}

/** Members named as in the first record. */
class CsvRows {
  private readonly reader = new CsvReader();
  private names: readonly string[] | undefined;

  push(text: string): Row[] {
    return this.reader.push(text).flatMap((record) => this.row(record));
  }

  end(): Row[] {
    return this.reader.end().flatMap((record) => this.row(record));
  }

  private row({ line, fields, problem }: CsvRecord): Row[] {
    if (this.names === undefined) {
      const names = fields.map((name) => name.trim());
      const wrong = problem ?? headerProblem(names);
      if (wrong !== undefined) throw new FileError(`line ${line}: ${wrong}`);
      this.names = names;
      return [];
    }
    if (problem !== undefined) return [{ line, problem }];
    const { names } = this;
    if (fields.length !== names.length) {
      const problem = `the row has ${fields.length} fields, and the first line has ${names.length}`;
      return [{ line, problem }];
    }
    return [{ line, cells: Object.fromEntries(names.map((name, at) => [name, fields[at]])) }];
  }
}

/** One JSON object on each line. */
class JsonRows {
  private rest = "";
  private line = 0;

  push(text: string): Row[] {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    if (this.rest.length > ROW_CHARACTERS_MAX) {
      throw new FileError(`line ${this.line + lines.length + 1}: the row is longer than 1 MiB`);
    }
    return lines.flatMap((line) => this.row(line));
  }

  end(): Row[] {
    return this.row(this.rest);
  }

  private row(source: string): Row[] {
    const line = ++this.line;
    const text = (line === 1 ? source.replace(/^\uFEFF/, "") : source).trim();
    if (text === "") return [];
    if (line === 1 && text.startsWith("[")) {
      throw new FileError("the file is one JSON list; write one object on each line instead");
    }
    try {
      const cells = parseJson(text);
      if (typeof cells === "object" && cells !== null && !Array.isArray(cells)) {
        return [{ line, cells: cells as Record<string, unknown> }];
      }
      return [{ line, problem: "the row is no JSON object" }];
    } catch (error) {
      return [{ line, problem: `the row is no JSON: ${(error as Error).message}` }];
    }
  }
}

export function formatOf(fileName: string): Format {
  return /\.(jsonl|ndjson|json)$/i.test(fileName) ? "ndjson" : "csv";
}

/** The rows of a file, from its bytes in pieces. Rejects with a `FileError`. */
export async function* rowsOf(
  pieces: AsyncIterable<Uint8Array>,
  format: Format,
): AsyncGenerator<Row, void> {
  const rows = format === "csv" ? new CsvRows() : new JsonRows();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new FileError("the file is no text in UTF-8; save it as “CSV UTF-8”");
    }
  };
  for await (const piece of pieces) yield* rows.push(decoded(piece));
  yield* rows.push(decoded());
  yield* rows.end();
}

/** The bytes of a file; not every browser iterates over a stream by itself. */
export async function* piecesOf(file: Blob): AsyncGenerator<Uint8Array, void> {
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
