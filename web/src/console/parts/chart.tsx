import type { VNode } from "preact";

import { localTime } from "../../common/format.js";
import { texts } from "../../texts/console.js";
import type { Sample } from "../samples.js";
import { roundUp } from "./chart_scale.js";

const WIDTH = 560;
const HEIGHT = 120;
const LEFT = 44;
const BOTTOM = 18;
const TOP = 8;

/**
 * A figure over time, with its scale; nothing before there are two samples. `format` writes its
 * values; the same is told in words.
 */
export function Chart(props: {
  title: string;
  samples: readonly Sample[];
  format: (value: number) => string;
}): VNode | null {
  const { title, samples, format } = props;
  const first = samples[0];
  const last = samples[samples.length - 1];
  if (first === undefined || last === undefined || samples.length < 2) return null;
  const most = roundUp(Math.max(...samples.map(({ value }) => value)));
  const least = Math.min(...samples.map(({ value }) => value));
  const x = (at: number): number =>
    LEFT + ((at - first.at) / (last.at - first.at)) * (WIDTH - LEFT - 4);
  const y = (value: number): number => TOP + (1 - value / most) * (HEIGHT - TOP - BOTTOM);
  const line = samples.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  const base = y(0).toFixed(1);
  const area = `${LEFT},${base} ${line.join(" ")} ${x(last.at).toFixed(1)},${base}`;
  const words = texts.chartWords(
    title,
    format(last.value),
    format(least),
    format(Math.max(...samples.map(({ value }) => value))),
  );
  const clock = (at: number): string => localTime(new Date(at).toISOString()).replace(/^.*, /, "");
  return (
    <figure class="chart">
      <figcaption>
        {title} <strong>{format(last.value)}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words}>
        {[0, most / 2, most].map((value) => (
          <g key={value}>
            <line class="chart-grid" x1={LEFT} x2={WIDTH} y1={y(value)} y2={y(value)} />
            <text class="chart-label" x={LEFT - 6} y={y(value) + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        <polygon class="chart-area" points={area} />
        <polyline class="chart-line" points={line.join(" ")} />
        <text class="chart-label" x={LEFT} y={HEIGHT - 3}>
          {clock(first.at)}
        </text>
        <text class="chart-label" x={WIDTH} y={HEIGHT - 3} text-anchor="end">
          {clock(last.at)}
        </text>
      </svg>
    </figure>
  );
}
