/** The parts of the console that decide: no node, no browser. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { TaskAttempt } from "holdfast";

import { EVENTS_KEPT, Tail, tailEventOf } from "../src/console/events/tail.js";
import { jsonProblem, prettyJson } from "../src/common/json_text.js";
import { differenceOf, withContext } from "../src/console/line_difference.js";
import { roundUp } from "../src/console/parts/chart_scale.js";
import { filterFor, kindsFor } from "../src/console/queues/action_model.js";
import { addSample, ratesOf, samplesOf } from "../src/console/samples.js";
import { actionsOf, spansOf } from "../src/console/tasks/task_state.js";

describe("bulk actions", () => {
  test("actions_on_offer_follow_from_the_status_of_the_list", () => {
    assert.deepEqual(kindsFor("QUEUED"), ["pause", "resume", "cancel", "retry"]);
    assert.deepEqual(kindsFor("ERROR"), ["redrive"]);
    assert.deepEqual(kindsFor("COMPLETED"), []);
    assert.deepEqual(kindsFor(""), ["pause", "resume", "cancel", "retry", "redrive"]);
  });

  test("an_action_has_the_filter_of_its_list_and_errors_of_ends_alone", () => {
    const list = { status: "", type: "send", key: "", error: "E1", createdFrom: "2026-11-28" };
    assert.deepEqual(filterFor("cancel", list), { type: "send", created_from: "2026-11-28" });
    assert.deepEqual(filterFor("redrive", list), {
      type: "send",
      error_code: "E1",
      created_from: "2026-11-28",
    });
  });
});

describe("JSON text", () => {
  test("json_is_laid_out_with_each_number_and_text_as_written", () => {
    const text =
      '{"a":1.50,"b":[9400110200881234567890,-0,1E5],"c":{},"d":[],"e":"{\\"x\\": [1,2]}"}';
    const pretty = prettyJson(text);
    assert.equal(
      pretty,
      [
        "{",
        '  "a": 1.50,',
        '  "b": [',
        "    9400110200881234567890,",
        "    -0,",
        "    1E5",
        "  ],",
        '  "c": {},',
        '  "d": [],',
        '  "e": "{\\"x\\": [1,2]}"',
        "}",
      ].join("\n"),
    );
    assert.equal(prettyJson(pretty), pretty);
    assert.deepEqual(JSON.parse(pretty), JSON.parse(text));
  });

  test("text_that_is_no_json_stays_as_it_is_and_its_problem_is_named", () => {
    assert.equal(prettyJson("{"), "{");
    assert.notEqual(jsonProblem("{"), undefined);
    assert.equal(jsonProblem("[1]"), undefined);
  });
});

describe("the difference of two texts", () => {
  test("a_difference_has_the_lines_of_both_texts_in_their_order", () => {
    const before = ["a", "b", "c", "d", "e", "f"];
    const after = ["a", "x", "c", "e", "y", "f"];
    const lines = differenceOf(before.join("\n"), after.join("\n"));
    const of = (kind: string): string[] =>
      lines.filter((line) => line.kind === "same" || line.kind === kind).map(({ text }) => text);
    assert.deepEqual(of("removed"), before);
    assert.deepEqual(of("added"), after);
    assert.equal(lines.filter(({ kind }) => kind === "same").length, 4); // a, c, e, f
  });

  test("equal_texts_and_empty_texts_have_no_difference", () => {
    assert.ok(differenceOf("a\nb", "a\nb").every(({ kind }) => kind === "same"));
    assert.deepEqual(differenceOf("", ""), []);
    assert.deepEqual(differenceOf("", "a"), [{ kind: "added", text: "a" }]);
  });

  test("two_long_texts_without_a_common_line_are_compared_at_once", () => {
    const text = (word: string): string =>
      Array.from({ length: 10_000 }, (_, place) => `${word} ${place}`).join("\n");
    assert.equal(differenceOf(text("a"), text("b")).length, 20_000);
  });

  test("lines_far_from_a_change_are_left_out", () => {
    const lines = Array.from({ length: 40 }, (_, place) => String(place));
    const shown = withContext(
      differenceOf(lines.join("\n"), [...lines.slice(0, 20), "new", ...lines.slice(21)].join("\n")),
      2,
    );
    assert.equal(shown.length, 8); // gap, two lines, the line before and after, two lines, gap
    assert.equal(shown[0], null);
    assert.equal(shown[7], null);
  });
});

describe("the tail of events", () => {
  const event = (seq: number): ReturnType<typeof tailEventOf> =>
    tailEventOf({ shard: 1, seq, event: { type: "UnitFinalized", at: 1_700_000_000_123_456 } });

  test("the_tail_has_the_newest_event_first_and_each_event_once", () => {
    const tail = new Tail();
    tail.add([event(1), event(2)]);
    tail.add([event(2), event(3)]);
    assert.deepEqual(
      tail.events.map(({ seq }) => seq),
      [3, 2, 1],
    );
    assert.equal(tail.total, 3);
  });

  test("the_tail_keeps_a_bounded_number_of_events", () => {
    const tail = new Tail();
    for (let seq = 0; seq < 3 * EVENTS_KEPT; seq++) tail.add([event(seq)]);
    assert.equal(tail.events.length, EVENTS_KEPT);
    assert.equal(tail.total, 3 * EVENTS_KEPT);
    assert.equal(tail.events[0]?.seq, 3 * EVENTS_KEPT - 1);
  });

  test("the_tail_reads_events_of_any_form", () => {
    assert.equal(event(1).at, "2023-11-14T22:13:20.123Z");
    const strange = tailEventOf({ shard: 1, seq: 1, event: [null] });
    assert.equal(strange.type, "?");
    assert.equal(strange.at, undefined);
    assert.equal(tailEventOf({ shard: 1, seq: 1, event: null }).stepId, undefined);
  });
});

describe("samples", () => {
  test("samples_keep_their_order_and_are_bounded", () => {
    for (let at = 1; at <= 500; at++) addSample("bounded", at, at);
    addSample("bounded", 3, 3);
    const samples = samplesOf("bounded");
    assert.equal(samples.length, 90);
    assert.equal(samples[samples.length - 1]?.at, 500);
  });

  test("a_count_that_begins_anew_has_no_negative_rate", () => {
    const rates = ratesOf([
      { at: 0, value: 10 },
      { at: 2000, value: 30 },
      { at: 3000, value: 4 },
    ]);
    assert.deepEqual(
      rates.map(({ value }) => value),
      [10, 0],
    );
  });

  test("the_scale_of_a_chart_ends_at_a_round_number", () => {
    assert.deepEqual(
      [0, 0.3, 1, 1.2, 7, 50, 51, 999].map(roundUp),
      [1, 0.5, 1, 2, 10, 50, 100, 1000],
    );
  });
});

describe("a task", () => {
  const made = "2026-01-01T00:00:00.000000Z";
  const now = Date.parse("2026-01-01T00:00:10.000Z");
  const attempt = (from: number, until?: number): TaskAttempt => ({
    token: from,
    worker: "w",
    granted_at: new Date(Date.parse(made) + from * 1000).toISOString(),
    expires_at: null,
    ...(until === undefined
      ? {}
      : { ended_at: new Date(Date.parse(made) + until * 1000).toISOString() }),
    late_results_total: 0,
    late_results: [],
  });

  test("a_task_offers_the_actions_of_its_state", () => {
    const later = "2026-01-01T01:00:00Z";
    const of = (status: string, paused = false, run_at = made): string =>
      actionsOf({ status, paused, run_at }, now).join(" ");
    assert.equal(of("QUEUED"), "pause cancel");
    assert.equal(of("QUEUED", false, later), "retry pause cancel");
    assert.equal(of("QUEUED", true), "resume cancel");
    assert.equal(of("EXECUTING"), "eject pause cancel");
    for (const status of ["COMPLETED", "FAILURE", "ERROR", "CANCELED"])
      assert.equal(of(status), "");
  });

  test("the_attempts_of_a_task_stand_on_one_scale_of_time", () => {
    const [first, second] = spansOf({ created_at: made }, [attempt(2, 4), attempt(5)], now);
    assert.deepEqual([first?.waited, first?.took, first?.begin, first?.length], [2, 2, 0.2, 0.2]);
    assert.deepEqual(
      [second?.waited, second?.took, second?.begin, second?.length],
      [1, 5, 0.5, 0.5],
    );
    assert.deepEqual(spansOf({ created_at: made }, [], now), []);
  });
});
