import type { VNode } from "preact";

import { sentenceOf } from "../../common/api.js";
import { duration, percent, rate, shortCount } from "../../common/format.js";
import { Badge, Spark, Table, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { places } from "../places.js";
import { samplesOf } from "../samples.js";
import { oldestSeconds, rateSeries, type QueueFigures } from "./queue_figures.js";

const number = (value: number | undefined): string =>
  value === undefined ? "–" : shortCount(value);

const columns: readonly Column<QueueFigures>[] = [
  {
    key: "name",
    title: texts.queue.name,
    cell: ({ queue, problem }) => (
      <span class="row tight">
        <a href={places.queue(queue.queue)}>{queue.queue}</a>
        {queue.paused && <Badge tone="warning">{texts.paused}</Badge>}
        {queue.paused_types.length > 0 && (
          <Badge tone="warning">{texts.queue.pausedTypes(queue.paused_types.length)}</Badge>
        )}
        {problem !== undefined && <span class="bad-text">{sentenceOf(problem)}</span>}
      </span>
    ),
  },
  {
    key: "ready",
    title: texts.queue.ready,
    numeric: true,
    cell: ({ metrics }) => number(metrics?.ready),
  },
  {
    key: "oldest",
    title: texts.queue.oldest,
    numeric: true,
    cell: ({ metrics }) =>
      metrics === undefined || metrics.ready_since === undefined
        ? "–"
        : duration(Math.round(oldestSeconds(metrics))),
  },
  {
    key: "leased",
    title: texts.queue.leased,
    numeric: true,
    cell: ({ metrics }) => number(metrics?.leased),
  },
  {
    key: "later",
    title: texts.queue.later,
    numeric: true,
    cell: ({ metrics }) => number(metrics?.later),
  },
  {
    key: "rate",
    title: texts.queue.completed,
    numeric: true,
    cell: ({ metrics }) => (metrics === undefined ? "–" : rate(metrics.completed_per_second)),
  },
  {
    key: "errors",
    title: texts.queue.errors,
    numeric: true,
    cell: ({ metrics }) => (metrics === undefined ? "–" : percent(metrics.error_share)),
  },
  {
    key: "dead",
    title: texts.queue.deadLately,
    numeric: true,
    cell: ({ queue, metrics }) =>
      metrics === undefined || metrics.dead === 0 ? (
        number(metrics?.dead)
      ) : (
        <a href={places.queue(queue.queue, "dead")}>{number(metrics.dead)}</a>
      ),
  },
  {
    key: "spark",
    title: texts.queue.spark,
    cell: ({ queue, metrics }) => {
      const values = samplesOf(rateSeries(queue.queue)).map(({ value }) => value);
      const now = rate(metrics?.completed_per_second ?? 0);
      return <Spark label={texts.queue.sparkWords(queue.queue, now)} values={values} />;
    },
  },
];

export function QueueTable(props: { figures: readonly QueueFigures[]; caption: string }): VNode {
  return (
    <Table
      caption={props.caption}
      hideCaption
      columns={columns}
      rows={props.figures}
      rowKey={({ queue }) => queue.queue}
      empty={texts.queue.none}
    />
  );
}
