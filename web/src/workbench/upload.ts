/** Loads rows in requests of bounded size; one at a time, and again where one got no answer. */

import { encodeJson, type SourceDataAdded, type SourceRow } from "holdfast";

import type { MappedRow } from "./mapping.js";
import { byteLength } from "./text.js";

/** Bounds of one request; small, so that the progress moves. */
export const BATCH_ROWS_MAX = 500;
export const BATCH_BYTES_MAX = 1024 * 1024;
/** Refused rows that are kept; more are only counted. */
export const REFUSED_KEPT_MAX = 10_000;

export interface Refused {
  line: number;
  key: string;
  reason: string;
}

export interface UploadState {
  /** Rows of the file that were dealt with. */
  read: number;
  added: number;
  alreadyThere: number;
  refusedCount: number;
  refused: readonly Refused[];
  isDone: boolean;
}

export type Send = (rows: readonly SourceRow[]) => Promise<SourceDataAdded>;

interface Batch {
  rows: SourceRow[];
  lines: number[];
  bytes: number;
}

const emptyBatch = (): Batch => ({ rows: [], lines: [], bytes: 0 });

/**
 * One file on its way into a step. `run` goes on where it has stopped: rows have keys, so that a
 * batch whose answer was lost doubles nothing when it is sent again.
 */
export class Upload {
  private batch = emptyBatch();
  /** A row that begins the next batch. */
  private held: { row: SourceRow; line: number; bytes: number } | undefined;
  private isRead = false;
  private isEnd = false;
  private fileError: unknown;
  private now: UploadState = {
    read: 0,
    added: 0,
    alreadyThere: 0,
    refusedCount: 0,
    refused: [],
    isDone: false,
  };

  constructor(
    private readonly rows: AsyncIterator<MappedRow>,
    private readonly send: Send,
    private readonly onChange: (state: UploadState) => void,
  ) {}

  get state(): UploadState {
    return this.now;
  }

  /** Rejects with the error of a request or of the file; `run` again goes on from there. */
  async run(signal: AbortSignal): Promise<void> {
    while (!this.now.isDone) {
      signal.throwIfAborted();
      if (!this.isRead) await this.fill();
      if (this.batch.rows.length > 0) this.take(await this.send(this.batch.rows));
      this.batch = emptyBatch();
      this.isRead = false;
      if (!this.isEnd || this.held !== undefined) continue;
      // All rows before the damaged place are in.
      if (this.fileError !== undefined) throw this.fileError;
      this.set({ isDone: true });
    }
  }

  private async fill(): Promise<void> {
    if (this.held !== undefined) {
      this.add(this.held);
      this.held = undefined;
    }
    while (!this.isEnd && this.batch.rows.length < BATCH_ROWS_MAX) {
      const next = await this.next();
      if (next === undefined || next.done) {
        this.isEnd = true;
        break;
      }
      const one = next.value;
      if (one.problem !== undefined) {
        this.refuse([{ line: one.line, key: one.key, reason: one.problem }]);
        continue;
      }
      const item = { row: one.row, line: one.line, bytes: byteLength(encodeJson(one.row)) };
      if (this.batch.rows.length > 0 && this.batch.bytes + item.bytes > BATCH_BYTES_MAX) {
        this.held = item;
        break;
      }
      this.add(item);
    }
    this.isRead = true;
  }

  private async next(): Promise<IteratorResult<MappedRow> | undefined> {
    try {
      return await this.rows.next();
    } catch (error) {
      this.fileError = error;
      return undefined;
    }
  }

  private add({ row, line, bytes }: { row: SourceRow; line: number; bytes: number }): void {
    this.batch.rows.push(row);
    this.batch.lines.push(line);
    this.batch.bytes += bytes;
  }

  private take(answer: SourceDataAdded): void {
    const { rows, lines } = this.batch;
    const { problems } = answer;
    this.set({
      read: this.now.read + rows.length - problems.length,
      added: this.now.added + answer.added,
      alreadyThere: this.now.alreadyThere + answer.already_there,
    });
    this.refuse(
      problems.map(({ row, code, detail }) => ({
        line: lines[row] ?? 0,
        key: rows[row]?.key ?? "",
        reason: detail === "" ? code : `${detail} (${code})`,
      })),
    );
  }

  private refuse(more: readonly Refused[]): void {
    if (more.length === 0) return;
    const { read, refusedCount, refused } = this.now;
    this.set({
      read: read + more.length,
      refusedCount: refusedCount + more.length,
      refused: [...refused, ...more].slice(0, REFUSED_KEPT_MAX),
    });
  }

  private set(change: Partial<UploadState>): void {
    this.now = { ...this.now, ...change };
    this.onChange(this.now);
  }
}
