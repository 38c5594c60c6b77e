import type { UnitResult } from "holdfast";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { api } from "../common/api.js";
import { bytes, count, percent } from "../common/format.js";
import { useAction } from "../common/load.js";
import { Button, Notice, Table, TextField, type Column } from "../common/ui/index.js";
import { StateBadge } from "../common/ui/state_badge.js";
import { PagedList } from "../common/ui/paged_list.js";
import { usePages } from "../common/view.js";
import { plainText } from "../common/unit/input_model.js";
import { texts } from "../texts/workbench.js";
import { consolePlaces } from "./places.js";
import { saveFile } from "./save.js";

const RESULTS_PER_PAGE = 100;
const FORMATS = ["csv", "ndjson", "json"] as const;
type Format = (typeof FORMATS)[number];

const TYPES = {
  csv: "text/csv",
  ndjson: "application/x-ndjson",
  json: "application/json",
} as const;

const columns: readonly Column<UnitResult>[] = [
  {
    key: "unit",
    title: texts.results.unit,
    cell: ({ unit_id, source_key }) => (
      <a class="break" href={consolePlaces.unit(unit_id)}>
        {source_key}
      </a>
    ),
  },
  { key: "state", title: texts.results.state, cell: ({ state }) => <StateBadge state={state} /> },
  {
    key: "result",
    title: texts.results.answer,
    cell: ({ result }) => <span class="break">{plainText(answerOf(result)).slice(0, 200)}</span>,
  },
  {
    key: "confidence",
    title: texts.results.confidence,
    numeric: true,
    cell: ({ result, confidence }) => (result === undefined ? "–" : percent(confidence)),
  },
  {
    key: "judgments",
    title: texts.results.judgments,
    numeric: true,
    cell: ({ judgments }) => count(judgments),
  },
];

function answerOf(result: unknown): unknown {
  if (typeof result !== "object" || result === null || !("answer" in result)) return result;
  return result.answer;
}

/** The lines of JSON objects as one JSON list. */
function asList(parts: readonly BlobPart[], text: string): BlobPart[] {
  return parts.length === 0 ? ["[]\n"] : [`[${text.trim().split("\n").join(",\n")}]\n`];
}

export function ResultsTab({ step, name }: { step: string; name: string }): VNode {
  const [key, setKey] = useState("");
  const [answer, setAnswer] = useState("");
  const [taken, setTaken] = useState<number | undefined>(undefined);
  const pages = usePages<UnitResult>(
    async (after, signal) => {
      const request = { after: Number(after ?? 0), limit: RESULTS_PER_PAGE };
      const page = await api.listResults(step, request, { signal });
      const isEnd = page.results.length < RESULTS_PER_PAGE;
      return { items: page.results, next: isEnd ? undefined : String(page.last) };
    },
    [step],
  );
  const download = useAction(async (format: Format) => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    setTaken(0);
    try {
      for await (const part of api.streamResults(step, format === "csv" ? "csv" : "ndjson")) {
        parts.push(new Uint8Array(part));
        setTaken((size += part.length));
      }
      const whole = format === "json" ? asList(parts, await new Blob(parts).text()) : parts;
      saveFile(`${name}.${format === "ndjson" ? "jsonl" : format}`, TYPES[format], whole);
    } finally {
      setTaken(undefined);
    }
  });
  return (
    <>
      <div class="page-head">
        <h2>{texts.results.download}</h2>
        <div class="page-actions">
          {FORMATS.map((format) => (
            <Button
              key={format}
              busy={download.busy}
              aria-label={texts.results.downloadAs(texts.results.formats[format])}
              onClick={() => void download.run(format)}
            >
              {texts.results.formats[format]}
            </Button>
          ))}
        </div>
      </div>
      {taken !== undefined && <p role="status">{texts.results.downloading(bytes(taken))}</p>}
      <Notice error={download.error} />
      <div class="filter-bar">
        <TextField label={texts.results.key} value={key} onValue={setKey} />
        <TextField label={texts.results.result} value={answer} onValue={setAnswer} />
      </div>
      <p class="soft">{texts.results.unitHint}</p>
      <PagedList pages={pages}>
        {(results) => (
          <Table
            caption={texts.results.title}
            hideCaption
            columns={columns}
            rows={results.filter(
              ({ source_key, result }) =>
                source_key.includes(key) &&
                (answer === "" || plainText(answerOf(result)).includes(answer)),
            )}
            rowKey={({ unit_id }) => unit_id}
            empty={texts.results.none}
          />
        )}
      </PagedList>
    </>
  );
}
