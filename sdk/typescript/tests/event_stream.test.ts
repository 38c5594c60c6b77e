import assert from "node:assert/strict";
import { test } from "node:test";

import { EventTextParser, type ServerSentEvent } from "../src/event_stream.js";
import type { FetchAnswer } from "../src/calls.js";
import type { FollowedEvent, Holdfast } from "../src/index.js";
import { FakeNode, answer, problem, silence, type Seen } from "./fake_node.js";

const TEXT =
  ": quiet\r\nid: 1\r\n\r\nevent: UnitFinalized\ndata: {\"a\":\ndata: 1}\nid: 2\n\n" +
  "data\n\nretry: 1500\rid:3\r\r";

const EVENTS: ServerSentEvent[] = [
  { event: "UnitFinalized", data: '{"a":\n1}', id: "2" },
  { event: "message", data: "", id: "2" },
];

test("a_stream_is_read_the_same_however_it_is_cut", () => {
  for (let size = 1; size <= TEXT.length; size++) {
    const parser = new EventTextParser();
    const events: ServerSentEvent[] = [];
    for (let begin = 0; begin < TEXT.length; begin += size) {
      events.push(...parser.take(TEXT.slice(begin, begin + size)));
    }
    events.push(...parser.take("\n")); // the last `\r` may have been half of a line end
    assert.deepEqual(events, EVENTS, `in pieces of ${size}`);
    assert.equal(parser.lastId, "3");
    assert.equal(parser.retry, 1500);
  }
});

test("an_event_without_an_end_is_not_kept_for_ever", () => {
  const parser = new EventTextParser();
  const piece = "x".repeat(1024 * 1024);
  assert.throws(() => {
    for (let n = 0; n < 64; n++) parser.take(piece);
  }, RangeError);
});

/** A stream of these pieces, which then ends. */
function streamOf(...pieces: string[]): FetchAnswer {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  return { ...answer(200), body };
}

/** A stream that never says anything. */
function silentStream({ signal }: Seen): FetchAnswer {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason)),
  });
  return { ...answer(200), body };
}

const event = (seq: number): string =>
  `event: UnitFinalized\ndata: {"shard":0,"seq":${seq},"event":{}}\nid: c${seq}\n\n`;

/** The first events of a stream. */
async function firstOf(
  client: Holdfast,
  count: number,
  onConnection?: (open: boolean) => void,
): Promise<FollowedEvent[]> {
  const found: FollowedEvent[] = [];
  for await (const one of client.followEvents({ types: ["UnitFinalized"] }, { onConnection })) {
    found.push(one);
    if (found.length === count) break;
  }
  return found;
}

test("a_lost_stream_is_opened_again_behind_its_last_event", async () => {
  const node = new FakeNode();
  const replies = [
    streamOf(event(1), event(2), ": quiet\nid: c3\n\n"),
    new Error("the connection broke"),
    problem(503, "unavailable", { retryable: true, headers: { "retry-after": "7" } }),
    streamOf(event(4)),
  ];
  node.scripts.push(() => replies.shift());
  const connections: boolean[] = [];
  const found = await node.time.run(
    firstOf(node.client(), 3, (open) => void connections.push(open)),
  );
  assert.deepEqual(
    found.map(({ seq, cursor }) => [seq, cursor]),
    [
      [1, "c1"],
      [2, "c2"],
      [4, "c4"],
    ],
  );
  assert.deepEqual(
    node.seen.map(({ headers }) => headers["last-event-id"]),
    [undefined, "c3", "c3", "c3"],
  );
  assert.deepEqual(connections, [true, false, false, false, true]);
  assert.equal(node.seen[0]?.headers.accept, "text/event-stream");
  assert.equal(node.seen[0]?.url, "http://node/v1/events?types=UnitFinalized");
  assert.ok((node.seen[3]?.at ?? 0) - (node.seen[2]?.at ?? 0) >= 0);
});

test("a_stream_that_falls_silent_is_lost", async () => {
  const node = new FakeNode();
  let requests = 0;
  node.scripts.push((seen) => {
    requests++;
    if (requests === 1) return silence(seen);
    return requests === 2 ? silentStream(seen) : streamOf(event(1));
  });
  const connections: boolean[] = [];
  await node.time.run(firstOf(node.client(), 1, (open) => void connections.push(open)));
  assert.deepEqual(connections, [false, true, false, true]);
});

test("an_error_that_lasts_ends_the_stream", async () => {
  const node = new FakeNode();
  node.scripts.push(() => problem(403, "not_allowed"));
  await assert.rejects(node.time.run(firstOf(node.client(), 1)), { code: "not_allowed" });
  const gone = new FakeNode();
  const told = '{"code":"events_gone","detail":"too old","retryable":false}';
  gone.scripts.push(() => streamOf(`event: problem\ndata: ${told}\n\n`));
  await assert.rejects(gone.time.run(firstOf(gone.client(), 1)), { code: "events_gone" });
});

test("a_stream_that_nobody_reads_any_more_is_closed", async () => {
  const node = new FakeNode();
  node.scripts.push(() => streamOf(event(1), event(2)));
  await node.time.run(firstOf(node.client(), 1));
  assert.equal(node.seen[0]?.signal.aborted, true);
});
