import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bytes,
  count,
  duration,
  percent,
  rate,
  shortId,
  timeIn,
  utcTime,
} from "../src/common/format.js";
import { addressOf, placeOf } from "../src/common/place.js";

test("a_duration_has_its_two_largest_units", () => {
  const texts: [number, string][] = [
    [0, "0 s"],
    [0.0001, "1 ms"],
    [0.35, "350 ms"],
    [2.54, "2.5 s"],
    [59.6, "1 min"],
    [125, "2 min 5 s"],
    [3600, "1 h"],
    [3605, "1 h"],
    [7384, "2 h 3 min"],
    [273600, "3 d 4 h"],
    [-5, "−5 s"],
    [NaN, "–"],
    [Infinity, "–"],
  ];
  for (const [seconds, text] of texts) assert.equal(duration(seconds), text, String(seconds));
});

test("numbers_have_units", () => {
  assert.equal(count(1234567), "1,234,567");
  assert.equal(count(12345678901234567890n), "12,345,678,901,234,567,890");
  assert.equal(rate(12.5), "12.5/s");
  assert.equal(rate(0.5), "30/min");
  assert.equal(rate(0.001), "3.6/h");
  assert.equal(rate(0), "0/s");
  assert.equal(percent(0.125), "12.5 %");
  assert.equal(bytes(512), "512 B");
  assert.equal(bytes(3565158), "3.4 MiB");
  assert.equal(utcTime("2026-11-28T15:38:23.123456Z"), "2026-11-28 15:38:23 UTC");
  assert.equal(timeIn("2026-11-28T15:38:23Z", "Asia/Tokyo"), "Nov 29, 2026, 00:38:23 Asia/Tokyo");
  assert.equal(timeIn("2026-11-28T15:38:23Z", "Mars/Base"), "2026-11-28 15:38:23 UTC");
  assert.equal(shortId("018f0000-0000-7000-8000-0000000000f1"), "…000000f1");
});

test("a_place_survives_its_address", () => {
  const address = addressOf(["queues", "a/b ü?"], { state: "DEAD", text: "50% & more", none: "" });
  const place = placeOf(address);
  assert.deepEqual(place.path, ["queues", "a/b ü?"]);
  assert.deepEqual(place.query, { state: "DEAD", text: "50% & more" });
  assert.deepEqual(placeOf(""), { path: [], query: {} });
  assert.deepEqual(placeOf("#/a%zz"), { path: ["a%zz"], query: {} });
});
