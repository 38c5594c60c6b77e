/** The models of the workbench: rows of files, columns, templates, loads and the graph of steps. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { SourceDataAdded, SourceRow } from "holdfast";

import { graphOf, isOnlyWay } from "../src/workbench/graph.js";
import {
  doubledMembers,
  guessMapping,
  mapRow,
  missingMembers,
  type MappedRow,
} from "../src/workbench/mapping.js";
import { isDoubtful } from "../src/workbench/question_health.js";
import {
  FileError,
  ROW_CHARACTERS_MAX,
  formatOf,
  rowsOf,
  separatorOf,
  type Format,
  type Row,
} from "../src/workbench/rows.js";
import {
  TEMPLATES,
  UI_BYTES_MAX,
  definitionOf,
  emptyForm,
  labelsOf,
  membersOf,
  problemsOf,
  type TemplateForm,
  type TemplateName,
} from "../src/workbench/templates.js";
import { byteLength, csvField } from "../src/workbench/text.js";
import { BATCH_BYTES_MAX, BATCH_ROWS_MAX, Upload } from "../src/workbench/upload.js";

/** The bytes of a text in pieces of a length, so that pieces end within characters and rows. */
async function* piecesOf(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function read(source: string | Uint8Array, format: Format, length = 3): Promise<Row[]> {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  const rows: Row[] = [];
  for await (const row of rowsOf(piecesOf(bytes, length), format)) rows.push(row);
  return rows;
}

describe("rows of a CSV file", () => {
  test("have_the_names_of_the_first_line", async () => {
    const rows = await read("\uFEFFid,text\r\na,Grüße\r\n\r\nb,two\r\n", "csv");
    assert.deepEqual(rows, [
      { line: 2, cells: { id: "a", text: "Grüße" } },
      { line: 4, cells: { id: "b", text: "two" } },
    ]);
  });

  test("may_have_quotes_line_ends_and_separators_within_quotation_marks", async () => {
    const rows = await read('id,text\na,"say ""hi"", then\ngo"\nb,""', "csv");
    assert.deepEqual(rows, [
      { line: 2, cells: { id: "a", text: 'say "hi", then\ngo' } },
      { line: 4, cells: { id: "b", text: "" } },
    ]);
  });

  test("are_refused_one_by_one_where_they_do_not_fit", async () => {
    const rows = await read('id,text\na\nb,"x"y\nc,fine\n', "csv");
    assert.deepEqual(rows, [
      { line: 2, problem: "the row has 1 fields, and the first line has 2" },
      { line: 3, problem: 'there is text behind a closing "' },
      { line: 4, cells: { id: "c", text: "fine" } },
    ]);
  });

  test("end_with_an_error_at_a_quotation_mark_that_is_not_closed", async () => {
    await assert.rejects(read('id\na\n"b\n', "csv"), new FileError('line 3: a " is not closed'));
  });

  test("have_columns_with_different_names", async () => {
    await assert.rejects(read("a,a\n1,2\n", "csv"), /line 1: two columns have the name “a”/);
    await assert.rejects(
      read("a,\n1,2\n", "csv"),
      /line 1: a column of the first line has no name/,
    );
  });

  test("are_as_long_as_the_bound_and_no_longer", async () => {
    const length = 1 << 16;
    const most = "x".repeat(ROW_CHARACTERS_MAX);
    assert.equal((await read(`t\n${most}\n`, "csv", length)).length, 1);
    await assert.rejects(
      read(`t\n${most}x\n`, "csv", length),
      /line 2: the row is longer than 1 MiB/,
    );
  });

  test("are_separated_by_what_the_first_line_has_most_of", () => {
    assert.equal(separatorOf("a;b;c,d"), ";");
    assert.equal(separatorOf('"a;b;c",d'), ",");
    assert.equal(separatorOf("a\tb"), "\t");
    assert.equal(separatorOf("a"), ",");
  });

  test("are_text_in_utf8", async () => {
    await assert.rejects(read(Uint8Array.of(0x61, 0x0a, 0xff, 0x0a), "csv"), /no text in UTF-8/);
  });
});

describe("rows of JSON lines", () => {
  test("are_objects", async () => {
    const rows = await read('\uFEFF{"a":1}\r\n\n[1]\n{"a"\n{"a":"ü"}', "ndjson");
    assert.deepEqual(rows[0], { line: 1, cells: { a: 1 } });
    assert.deepEqual(rows[1], { line: 3, problem: "the row is no JSON object" });
    assert.match(rows[2]?.problem ?? "", /^the row is no JSON: /);
    assert.deepEqual(rows[3], { line: 5, cells: { a: "ü" } });
    assert.equal(rows.length, 4);
  });

  test("are_no_single_list", async () => {
    await assert.rejects(read('[{"a":1}]', "ndjson"), /the file is one JSON list/);
  });

  test("are_bounded", async () => {
    const text = `{"a":1}\n"${"x".repeat(ROW_CHARACTERS_MAX)}`;
    await assert.rejects(read(text, "ndjson", 1 << 16), /line 2: the row is longer than 1 MiB/);
  });

  test("are_known_by_the_name_of_the_file", () => {
    assert.equal(formatOf("a.JSONL"), "ndjson");
    assert.equal(formatOf("a.ndjson"), "ndjson");
    assert.equal(formatOf("a.tsv"), "csv");
  });
});

describe("columns", () => {
  const row = (cells: Record<string, unknown>, line = 2): Row => ({ line, cells });

  test("are_guessed_from_names_and_values", () => {
    const mapping = guessMapping([row({ ID: "7", message: "Hi", list: "[1]" })], ["text", "list"]);
    assert.equal(mapping.keyColumn, "ID");
    assert.deepEqual(mapping.columns, [
      { column: "message", member: "text", kind: "value" },
      { column: "list", member: "list", kind: "json" },
    ]);
    assert.deepEqual(missingMembers(mapping, ["text", "image"]), ["image"]);
    assert.deepEqual(mapRow(mapping, row({ ID: "7", message: "Hi", list: "[1]" }), "f.csv"), {
      line: 2,
      row: { key: "7", input: { text: "Hi", list: [1] } },
    });
  });

  test("of_rows_as_the_api_takes_them_are_left_as_they_are", () => {
    const whole = row({ key: "k", input: { a: 1 }, judgments: 2 });
    const mapping = guessMapping([whole], ["text"]);
    assert.deepEqual(missingMembers(mapping, ["text"]), []);
    assert.deepEqual(mapRow(mapping, whole, "f.jsonl"), {
      line: 2,
      row: { key: "k", input: { a: 1 }, judgments: 2 },
    });
  });

  test("that_fill_one_member_twice_are_named", () => {
    const columns = ["a", "b"].map((column) => ({ column, member: "x", kind: "value" as const }));
    assert.deepEqual(doubledMembers({ keyColumn: undefined, columns, isWhole: false }), ["x"]);
  });

  test("without_a_key_name_rows_by_file_and_line", () => {
    const mapping = guessMapping([row({ text: "Hi" })], ["text"]);
    const mapped = mapRow(mapping, row({ text: "Hi" }, 9), "f.csv");
    assert.equal(mapped.problem === undefined && mapped.row.key, "f.csv:9");
  });

  test("refuse_rows_with_what_is_wrong_in_them", () => {
    const columns = [{ column: "n", member: "n", kind: "number" as const }];
    const mapping = { keyColumn: "id", columns, isWhole: false };
    const problem = (cells: Record<string, unknown>): string | undefined =>
      mapRow(mapping, row(cells), "f").problem;
    assert.equal(problem({ id: "a", n: " 1.50 " }), undefined);
    assert.equal(problem({ id: "a", n: "1,5" }), "n: “1,5” is no number");
    assert.equal(problem({ id: "", n: "1" }), "the key column id is empty");
    assert.equal(problem({ id: "k".repeat(512), n: "1" }), undefined);
    assert.equal(problem({ id: "k".repeat(513), n: "1" }), "the key is longer than 512 bytes");
    assert.equal(mapRow(mapping, { line: 3, problem: "bad" }, "f").problem, "bad");
  });
});

function filled(template: TemplateName): TemplateForm {
  return { ...emptyForm(template, ["yes", "no"]), name: "Mine", question: "Which?" };
}

describe("templates", () => {
  for (const template of TEMPLATES) {
    test(`${template}_makes_a_definition_whose_forms_fit`, () => {
      const form = filled(template);
      assert.deepEqual(problemsOf(form), []);
      const { steps } = definitionOf(form) as { steps: { ui: string }[] };
      for (const { ui } of steps) assert.ok(byteLength(ui) <= UI_BYTES_MAX);
      assert.ok(membersOf(form).length > 0);
    });
  }

  test("tell_when_the_form_is_longer_than_a_step_takes", () => {
    const bytes = (form: TemplateForm): number =>
      byteLength((definitionOf(form).steps as { ui: string }[])[0]?.ui ?? "");
    const short = { ...filled("single_choice"), instructions: "x" };
    const room = UI_BYTES_MAX - bytes(short);
    const most = { ...short, instructions: "x".repeat(room + 1) };
    assert.equal(bytes(most), UI_BYTES_MAX);
    assert.deepEqual(problemsOf(most), []);
    const over = { ...short, instructions: "x".repeat(room + 2) };
    assert.deepEqual(problemsOf(over), [{ at: "ui", kind: "long", bytes: UI_BYTES_MAX + 1 }]);
  });

  test("name_what_is_missing_or_out_of_range", () => {
    const at = (change: Partial<TemplateForm>, template: TemplateName = "boxes"): string[] =>
      problemsOf({ ...filled(template), ...change }).map((one) => `${one.at} ${one.kind}`);
    assert.deepEqual(at({ name: " ", question: "" }), ["name missing", "question missing"]);
    assert.deepEqual(at({ members: {} }), ["image missing"]);
    assert.deepEqual(at({ labels: ["a", "a"] }), ["labels twice"]);
    assert.deepEqual(at({ labels: [] }), []);
    assert.deepEqual(at({ labels: ["a"] }, "single_choice"), ["labels few"]);
    assert.deepEqual(at({ labels: ["a"] }, "tags"), []);
    assert.deepEqual(at({ judgments: 0 }), ["judgments range"]);
    assert.deepEqual(at({ judgments: 1000 }), []);
    assert.deepEqual(at({ judgments: 1001 }), ["judgments range"]);
    assert.deepEqual(at({ judgments: NaN }), ["judgments range"]);
    assert.deepEqual(at({ doubt: 0 }, "review_after_doubt"), ["doubt range"]);
    assert.deepEqual(at({ doubt: 1 }, "review_after_doubt"), []);
    assert.deepEqual(at({ members: { left: "a", right: "a" } }, "pairwise"), ["right twice"]);
  });

  test("take_one_label_of_each_line", () => {
    assert.deepEqual(labelsOf(" a \r\n\nb"), ["a", "b"]);
  });
});

/** A node that keeps rows by key, and refuses what a test names. */
class Step {
  readonly rows = new Map<string, SourceRow>();
  readonly requests: number[] = [];
  /** Requests from now on whose answers are lost, after or before the rows are kept. */
  lost: ("after" | "before")[] = [];

  readonly send = (rows: readonly SourceRow[]): Promise<SourceDataAdded> => {
    this.requests.push(rows.length);
    const loss = this.lost.shift();
    if (loss === "before") return Promise.reject(new Error("no answer"));
    const answer = { added: 0, already_there: 0, problems: [] as SourceDataAdded["problems"] };
    for (const [at, row] of rows.entries()) {
      if (row.key.startsWith("bad")) {
        answer.problems = [
          ...answer.problems,
          { row: at, code: "invalid", detail: "so it is", retryable: false },
        ];
      } else if (this.rows.has(row.key)) answer.already_there++;
      else {
        this.rows.set(row.key, row);
        answer.added++;
      }
    }
    if (loss === "after") return Promise.reject(new Error("no answer"));
    return Promise.resolve(answer as SourceDataAdded);
  };
}

async function* numbered(count: number, input: unknown = 1): AsyncGenerator<MappedRow, void> {
  for (let at = 0; at < count; at++) yield { line: at + 2, row: { key: `k${at}`, input } };
}

const uploadTo = (step: Step, rows: AsyncIterator<MappedRow>): Upload =>
  new Upload(rows, step.send, () => undefined);
const never = new AbortController().signal;

describe("a load", () => {
  test("sends_so_many_rows_at_once_and_no_more", async () => {
    const step = new Step();
    const upload = uploadTo(step, numbered(BATCH_ROWS_MAX + 1));
    await upload.run(never);
    assert.deepEqual(step.requests, [BATCH_ROWS_MAX, 1]);
    assert.equal(upload.state.added, BATCH_ROWS_MAX + 1);
    assert.equal(upload.state.isDone, true);
  });

  test("sends_so_many_bytes_at_once_and_no_more", async () => {
    const step = new Step();
    const third = "x".repeat(BATCH_BYTES_MAX / 3);
    await uploadTo(step, numbered(5, third)).run(never);
    assert.deepEqual(step.requests, [2, 2, 1]);
  });

  test("of_an_empty_file_sends_nothing", async () => {
    const step = new Step();
    const upload = uploadTo(step, numbered(0));
    await upload.run(never);
    assert.deepEqual(step.requests, []);
    assert.equal(upload.state.isDone, true);
  });

  test("names_refused_rows_by_their_lines", async () => {
    async function* rows(): AsyncGenerator<MappedRow, void> {
      yield { line: 2, row: { key: "good", input: 1 } };
      yield { line: 3, key: "torn", problem: "cannot be read" };
      yield { line: 4, row: { key: "bad", input: 1 } };
    }
    const upload = uploadTo(new Step(), rows());
    await upload.run(never);
    const { read, added, refusedCount, refused } = upload.state;
    assert.deepEqual({ read, added, refusedCount }, { read: 3, added: 1, refusedCount: 2 });
    assert.deepEqual(refused, [
      { line: 3, key: "torn", reason: "cannot be read" },
      { line: 4, key: "bad", reason: "so it is (invalid)" },
    ]);
  });

  for (const when of ["before", "after"] as const) {
    test(`goes_on_when_an_answer_was_lost_${when}_the_rows_were_kept`, async () => {
      const step = new Step();
      const upload = uploadTo(step, numbered(2 * BATCH_ROWS_MAX));
      step.lost = [when];
      await assert.rejects(upload.run(never), /no answer/);
      assert.equal(upload.state.read, 0);
      assert.equal(upload.state.isDone, false);
      await upload.run(never);
      assert.equal(step.rows.size, 2 * BATCH_ROWS_MAX);
      assert.equal(upload.state.read, 2 * BATCH_ROWS_MAX);
      assert.equal(upload.state.alreadyThere, when === "after" ? BATCH_ROWS_MAX : 0);
      assert.equal(upload.state.isDone, true);
    });
  }

  test("stops_between_two_requests_and_goes_on_there", async () => {
    const step = new Step();
    const aborter = new AbortController();
    const upload = new Upload(numbered(BATCH_ROWS_MAX * 2), step.send, () => aborter.abort());
    await assert.rejects(upload.run(aborter.signal));
    assert.deepEqual(step.requests, [BATCH_ROWS_MAX]);
    await upload.run(never);
    assert.deepEqual(step.requests, [BATCH_ROWS_MAX, BATCH_ROWS_MAX]);
    assert.equal(upload.state.added, BATCH_ROWS_MAX * 2);
  });

  test("keeps_the_rows_before_a_damaged_place", async () => {
    async function* rows(): AsyncGenerator<MappedRow, void> {
      yield* numbered(2);
      throw new FileError("line 4: torn");
    }
    const step = new Step();
    const upload = uploadTo(step, rows());
    await assert.rejects(upload.run(never), /line 4: torn/);
    assert.equal(step.rows.size, 2);
    assert.equal(upload.state.isDone, false);
  });
});

describe("the graph of steps", () => {
  test("has_a_layer_for_each_length_of_the_way", () => {
    const graph = graphOf({
      steps: [
        { key: "a", next: ["b", "c"] },
        { key: "b", next: ["c"] },
        { key: "c", routes: [{ when: { confidence_below: 0.7 }, to: ["a"] }, { to: ["gone"] }] },
      ],
    });
    assert.deepEqual(
      graph.nodes.map(({ key, layer }) => `${key}${layer}`),
      ["a0", "b1", "c2"],
    );
    assert.deepEqual(
      graph.edges.filter(({ isBack }) => isBack),
      [{ from: "c", to: "a", label: "confidence < 0.7", isBack: true }],
    );
    assert.equal(graph.edges.length, 4);
    const [toB] = graph.edges.filter(({ to }) => to === "b");
    const [toC] = graph.edges.filter(({ to }) => to === "c");
    assert.equal(toB !== undefined && isOnlyWay(graph, toB), true);
    assert.equal(toC !== undefined && isOnlyWay(graph, toC), false);
  });

  test("puts_steps_of_one_layer_beside_each_other", () => {
    const graph = graphOf({ steps: [{ key: "a", next: ["b", "c"] }, { key: "b" }, { key: "c" }] });
    assert.deepEqual(
      graph.nodes.map(({ place }) => place),
      [0, 0, 1],
    );
    assert.equal(graph.width, 2);
    assert.equal(graph.layers, 2);
  });

  test("of_no_definition_is_empty", () => {
    assert.deepEqual(graphOf(undefined), { nodes: [], edges: [], layers: 0, width: 1 });
  });
});

test("a_question_is_doubtful_when_most_of_enough_answers_are_wrong", () => {
  assert.equal(isDoubtful({ answered: 4, right: 0 }), false);
  assert.equal(isDoubtful({ answered: 5, right: 2 }), true);
  assert.equal(isDoubtful({ answered: 6, right: 3 }), false);
});

test("a_field_of_csv_is_no_formula_and_one_field", () => {
  assert.equal(csvField("=1+1"), "'=1+1");
  assert.equal(csvField('a,"b"'), '"a,""b"""');
  assert.equal(csvField("plain"), "plain");
});
