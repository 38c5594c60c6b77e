import assert from "node:assert/strict";
import { test } from "node:test";

import { JsonText, encodeJson, parseJson, textAt } from "../src/index.js";
import { parseAnswer } from "../src/json.js";

const BIG = "9400110200881234567890"; // 22 digits, as a parcel number has

test("an_integer_that_no_double_holds_becomes_a_bigint", () => {
  const parsed = parseJson(`{"number": ${BIG}, "list": [-${BIG}, 9007199254740993]}`);
  const number = 9400110200881234567890n;
  assert.deepEqual(parsed, { number, list: [-number, 9007199254740993n] });
});

test("other_numbers_are_numbers", () => {
  for (const text of ["0", "-1.5", "1e3", "9007199254740991", "1234567890123456.5", "1e400"]) {
    assert.deepEqual(parseJson(`[${text}, "1234567890123456"]`), [
      Number(text),
      "1234567890123456",
    ]);
  }
});

test("a_document_with_long_numbers_is_read_as_json_parse_reads_it", () => {
  const text = ` { "a\\"\\u00e9\\\\" : [ ] , "b":[true,false , null,{}], "__proto__": {"x": 1},
    "c": [[-0.5e-3, "123456789012345678 } ] , \\" "]], "dup": 1, "dup": {"n": 2}, "": "" } `;
  const parsed = parseJson(text);
  assert.deepEqual(parsed, JSON.parse(text));
  assert.equal(JSON.stringify(parsed), JSON.stringify(JSON.parse(text)));
});

test("text_that_is_not_json_is_refused", () => {
  for (const text of ["", "{", "[1,]", `[${BIG}`, "01", `{"a" ${BIG}}`, "nul"]) {
    assert.throws(() => parseJson(text), SyntaxError, text);
    assert.throws(() => new JsonText(text), SyntaxError, text);
  }
});

test("a_big_number_comes_out_as_it_went_in", () => {
  const text = `{"number":${BIG},"list":[1,"${BIG}",-${BIG}]}`;
  assert.equal(encodeJson(parseJson(text)), text);
});

test("values_are_written_as_json_stringify_writes_them", () => {
  const document = {
    text: 'a "b" \\ \u2028 é \ud83d\ude00',
    at: new Date(0),
    left: undefined,
    list: [undefined, null, 1.5, -0, [], {}],
    boxed: [new Number(1), new String("a"), new Boolean(true)],
    own: { toJSON: () => ({ x: 1 }) },
  };
  assert.equal(encodeJson(document), JSON.stringify(document));
});

test("text_is_sent_byte_for_byte", () => {
  const text = ' { "a": 1.10, "b": 1e2 }';
  assert.equal(encodeJson({ body: new JsonText(text) }), `{"body":${text}}`);
});

test("values_that_are_not_json_are_refused", () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const bad = [NaN, Infinity, () => 1, Symbol("x"), new Map(), new Set([1]), cycle, undefined];
  for (const value of bad) assert.throws(() => encodeJson(value), TypeError);
  assert.throws(() => encodeJson({ deep: [{ x: NaN }] }), TypeError);
});

test("any_part_of_an_answer_has_its_text", () => {
  const text = `{ "tasks": [ {"body": { "n": 1.10 }, "id": "x"},\n {"body":[${BIG} ]} ], "n":null}`;
  const answer = parseAnswer(text) as object;
  assert.equal(textAt(answer, "tasks", 0, "body"), '{ "n": 1.10 }');
  assert.equal(textAt(answer, "tasks", 1, "body"), `[${BIG} ]`);
  assert.equal(textAt(answer, "tasks", 1, "body", 0), BIG);
  assert.equal(textAt(answer, "n"), "null");
  assert.equal(textAt(answer), text);
  assert.equal(textAt(answer, "tasks", 2), undefined);
  assert.equal(textAt(answer, "n", "x"), undefined);
  assert.throws(() => textAt({}, "n"), TypeError);
});

test("of_two_members_with_one_name_the_last_has_the_text", () => {
  const answer = parseAnswer('{"a": 1, "\\u0061": 2}') as { a: number };
  assert.equal(textAt(answer, "a"), String(answer.a));
});
