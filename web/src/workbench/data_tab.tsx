import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { api, isAbort, sentenceOf } from "../common/api.js";
import { count } from "../common/format.js";
import { Button, Notice, Select, Table } from "../common/ui/index.js";
import { Facts } from "../common/ui/facts.js";
import { may } from "../common/rights.js";
import { texts } from "../texts/workbench.js";
import {
  COLUMN_KINDS,
  doubledMembers,
  guessMapping,
  mapRow,
  missingMembers,
  type ColumnKind,
  type MappedColumn,
  type MappedRow,
  type Mapping,
} from "./mapping.js";
import { Preview } from "./preview.js";
import { places } from "./places.js";
import { FileError, formatOf, piecesOf, rowsOf, type Row } from "./rows.js";
import { saveFile } from "./save.js";
import { csvField } from "./text.js";
import { Upload, type UploadState } from "./upload.js";

const FIRST_ROWS = 10;
/** Refused rows on the page; the download has all that are kept. */
const REFUSED_SHOWN = 20;
/** A node that was killed comes back within that. Seconds. */
const BATCH_TIMEOUT = 120;

async function firstRows(file: File): Promise<Row[]> {
  const first: Row[] = [];
  for await (const row of rowsOf(piecesOf(file), formatOf(file.name))) {
    first.push(row);
    if (first.length === FIRST_ROWS) break;
  }
  return first;
}

async function* mappedRows(file: File, mapping: Mapping): AsyncGenerator<MappedRow, void> {
  for await (const row of rowsOf(piecesOf(file), formatOf(file.name))) {
    yield mapRow(mapping, row, file.name);
  }
}

interface Chosen {
  file: File;
  rows: readonly Row[];
}

function problemText(error: unknown): string {
  return error instanceof FileError ? texts.data.fileProblem(error.message) : sentenceOf(error);
}

export function DataTab(props: {
  workflow: string;
  step: string;
  /** The first step as the definition has it. */
  definition: unknown;
  /** The members that the form shows. */
  expected: readonly string[];
  /** The step has more units than before. */
  onLoaded: () => void;
}): VNode {
  const { workflow, step, definition, expected, onLoaded } = props;
  const [chosen, setChosen] = useState<Chosen | undefined>(undefined);
  const [mapping, setMapping] = useState<Mapping | undefined>(undefined);
  const [at, setAt] = useState(0);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [state, setState] = useState<UploadState | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const upload = useRef<Upload | undefined>(undefined);
  const aborter = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => aborter.current?.abort(), []);

  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setProblem(undefined);
    setState(undefined);
    upload.current = undefined;
    try {
      const rows = await firstRows(file);
      if (rows.length === 0) throw new FileError(texts.data.noRows);
      setChosen({ file, rows });
      setMapping(guessMapping(rows, expected));
      setAt(0);
    } catch (error) {
      setChosen(undefined);
      setProblem(problemText(error));
    }
  };

  const run = async (): Promise<void> => {
    if (chosen === undefined || mapping === undefined || isRunning) return;
    aborter.current = new AbortController();
    const { signal } = aborter.current;
    upload.current ??= new Upload(
      mappedRows(chosen.file, mapping),
      (rows) => {
        const signal = aborter.current?.signal;
        return api.addManyRows(step, rows, { signal, timeout: BATCH_TIMEOUT });
      },
      setState,
    );
    setProblem(undefined);
    setRunning(true);
    try {
      await upload.current.run(signal);
    } catch (error) {
      setProblem(signal.aborted || isAbort(error) ? texts.data.stopped : problemText(error));
    }
    setRunning(false);
    onLoaded();
  };

  if (!may("changeWorkflows")) return <Notice>{texts.data.noWrite}</Notice>;
  const missing = mapping === undefined ? [] : missingMembers(mapping, expected);
  const doubled = mapping === undefined ? [] : doubledMembers(mapping);
  const row = chosen?.rows[at];
  const mapped =
    row === undefined || mapping === undefined || chosen === undefined
      ? undefined
      : mapRow(mapping, row, chosen.file.name);
  const change = (column: string, part: Partial<MappedColumn>): void => {
    if (mapping === undefined) return;
    const columns = mapping.columns.map((one) =>
      one.column === column ? { ...one, ...part } : one,
    );
    setMapping({ ...mapping, columns });
  };
  const good = chosen?.rows.find((one) => one.problem === undefined);
  const cells = good !== undefined && good.problem === undefined ? good.cells : {};
  return (
    <>
      <h2>{texts.data.title}</h2>
      <p class="soft">{texts.data.lead}</p>
      <div
        class="drop panel"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void choose(event.dataTransfer?.files[0]);
        }}
      >
        <label>
          {texts.data.choose}{" "}
          <input
            type="file"
            accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json"
            disabled={isRunning}
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        </label>{" "}
        <span class="soft">{texts.data.drop}</span>
        <p class="field-hint">{texts.data.hint}</p>
      </div>
      {problem !== undefined && <Notice>{problem}</Notice>}
      {chosen !== undefined && mapping !== undefined && state === undefined && (
        <>
          <section class="panel">
            <h2>{texts.data.columns}</h2>
            {mapping.isWhole ? (
              <p>{texts.data.whole}</p>
            ) : (
              <>
                <Select
                  label={texts.data.key}
                  hint={texts.data.keyHint}
                  value={mapping.keyColumn ?? ""}
                  options={[
                    ["", texts.data.keyNone],
                    ...Object.keys(cells).map((name) => [name, name] as const),
                  ]}
                  onValue={(name) => setMapping({ ...mapping, keyColumn: name || undefined })}
                />
                <Table
                  caption={texts.data.columns}
                  hideCaption
                  rows={mapping.columns}
                  rowKey={({ column }) => column}
                  columns={[
                    { key: "column", title: texts.data.column, cell: ({ column }) => column },
                    {
                      key: "first",
                      title: texts.data.firstValue,
                      cell: ({ column }) => String(cells[column] ?? "").slice(0, 60),
                    },
                    {
                      key: "use",
                      title: texts.data.use,
                      cell: ({ column, kind }) => (
                        <select
                          aria-label={texts.data.useOf(column)}
                          value={kind}
                          onChange={(event) =>
                            change(column, { kind: event.currentTarget.value as ColumnKind })
                          }
                        >
                          {COLUMN_KINDS.map((one) => (
                            <option key={one} value={one}>
                              {texts.data.kinds[one]}
                            </option>
                          ))}
                        </select>
                      ),
                    },
                    {
                      key: "member",
                      title: texts.data.member,
                      cell: ({ column, member }) => (
                        <input
                          aria-label={texts.data.memberOf(column)}
                          value={member}
                          onInput={(event) => change(column, { member: event.currentTarget.value })}
                        />
                      ),
                    },
                  ]}
                />
              </>
            )}
            {missing.length > 0 && <Notice>{texts.data.missing(missing.join(", "))}</Notice>}
            {doubled.length > 0 && <Notice>{texts.data.doubled(doubled.join(", "))}</Notice>}
          </section>
          <section>
            <h2>{texts.data.first}</h2>
            <p class="soft">{texts.data.firstLead}</p>
            <div class="row">
              <Button disabled={at === 0} onClick={() => setAt(at - 1)}>
                ←
              </Button>
              <span role="status">{texts.data.unitOf(at + 1, chosen.rows.length)}</span>
              <Button disabled={at + 1 >= chosen.rows.length} onClick={() => setAt(at + 1)}>
                →
              </Button>
            </div>
            {mapped?.problem !== undefined && (
              <Notice>{texts.data.rowRefused(mapped.line, mapped.problem)}</Notice>
            )}
            {mapped !== undefined && mapped.problem === undefined && (
              <Preview step={definition} input={mapped.row.input} />
            )}
          </section>
          <Button
            kind="main"
            busy={isRunning}
            disabled={doubled.length > 0}
            onClick={() => void run()}
          >
            {texts.data.load}
          </Button>
        </>
      )}
      {state !== undefined && (
        <section class="panel" aria-live="polite">
          <h2>{state.isDone ? texts.data.done(state.read) : texts.data.progress}</h2>
          {isRunning && <progress aria-label={texts.data.progress} />}
          <Facts
            facts={[
              [texts.data.progress, count(state.read)],
              [texts.data.added, count(state.added)],
              [texts.data.already, count(state.alreadyThere)],
              [texts.data.refused, count(state.refusedCount)],
            ]}
          />
          <div class="page-actions">
            {isRunning && (
              <Button onClick={() => aborter.current?.abort()}>{texts.data.stop}</Button>
            )}
            {!isRunning && !state.isDone && (
              <Button kind="main" onClick={() => void run()}>
                {texts.data.goOn}
              </Button>
            )}
            {state.isDone && <a href={places.workflow(workflow)}>{texts.data.next}</a>}
          </div>
        </section>
      )}
      {state !== undefined && state.refused.length > 0 && (
        <section>
          <h2>{texts.data.refusedTitle}</h2>
          <Table
            caption={texts.data.refusedTitle}
            hideCaption
            rows={state.refused.slice(0, REFUSED_SHOWN)}
            rowKey={({ line }) => line}
            columns={[
              { key: "line", title: texts.data.line, cell: ({ line }) => String(line) },
              { key: "key", title: texts.data.rowKey, cell: ({ key }) => key },
              { key: "reason", title: texts.data.reason, cell: ({ reason }) => reason },
            ]}
          />
          {state.refused.length > REFUSED_SHOWN && (
            <p class="soft">{texts.data.refusedMore(REFUSED_SHOWN)}</p>
          )}
          <Button
            onClick={() => {
              const lines = state.refused.map(({ line, key, reason }) =>
                [String(line), key, reason].map(csvField).join(","),
              );
              saveFile("refused.csv", "text/csv", [["line,key,reason", ...lines, ""].join("\n")]);
            }}
          >
            {texts.data.download}
          </Button>
        </section>
      )}
    </>
  );
}
