import type { VNode } from "preact";

const WIDTH = 120;
const HEIGHT = 28;

/** A line of figures over time. `label` says its message in words, as no reader sees the line. */
export function Spark(props: { label: string; values: readonly number[] }): VNode {
  const { values } = props;
  const most = Math.max(...values, 0);
  const scale = most > 0 ? (HEIGHT - 4) / most : 0;
  const step = values.length > 1 ? WIDTH / (values.length - 1) : WIDTH;
  const points = values
    .map((value, place) => `${(place * step).toFixed(1)},${(HEIGHT - 2 - value * scale).toFixed(1)}`)
    .join(" ");
  return (
    <svg
      class="spark"
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
    >
      <title>{props.label}</title>
      {values.length > 0 && <polyline points={points} />}
    </svg>
  );
}
