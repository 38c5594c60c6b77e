import type { VNode } from "preact";

import { texts } from "../texts/workbench.js";
import { isOnlyWay, type Graph } from "./graph.js";

const NODE_WIDTH = 220;
const NODE_HEIGHT = 56;
const GAP_X = 40;
const GAP_Y = 72;
const SIDE = 60;

export interface StepCounts {
  done: number;
  all: number;
}

/** Steps and routes; the numbers are those of the steps. */
export function GraphView(props: { graph: Graph; counts: ReadonlyMap<string, StepCounts> }): VNode {
  const { graph, counts } = props;
  const width = graph.width * (NODE_WIDTH + GAP_X) + 2 * SIDE;
  const height = graph.layers * (NODE_HEIGHT + GAP_Y) - GAP_Y + 16;
  const placeOf = new Map(
    graph.nodes.map(({ key, layer, place }) => [
      key,
      { x: SIDE + place * (NODE_WIDTH + GAP_X), y: 8 + layer * (NODE_HEIGHT + GAP_Y) },
    ]),
  );
  const words = graph.edges.map(({ from, to, label }) => texts.progress.edgeWords(from, to, label));
  const labelled = texts.progress.graphWords(
    [...graph.nodes.map(({ key }) => key), ...words].join("; "),
  );
  return (
    <div class="graph-box" role="region" aria-label={texts.progress.graph} tabIndex={0}>
      <svg class="graph" width={width} height={height} role="img" aria-label={labelled}>
        {graph.edges.map((edge, at) => {
          const from = placeOf.get(edge.from);
          const to = placeOf.get(edge.to);
          if (from === undefined || to === undefined) return null;
          const x1 = from.x + NODE_WIDTH / 2;
          const y1 = edge.isBack ? from.y : from.y + NODE_HEIGHT;
          const x2 = to.x + NODE_WIDTH / 2;
          const y2 = edge.isBack ? to.y + NODE_HEIGHT : to.y;
          const bend = edge.isBack ? NODE_WIDTH / 2 + SIDE / 2 : 0;
          const all = isOnlyWay(graph, edge) ? counts.get(edge.to)?.all : undefined;
          const came = all === undefined ? "" : texts.progress.unitsCame(all);
          const text = [edge.label, came].filter((one) => one !== "").join(" · ");
          return (
            <g key={at}>
              <path
                class={edge.isBack ? "graph-edge graph-back" : "graph-edge"}
                d={`M${x1} ${y1} C${x1 + bend} ${(y1 + y2) / 2} ${x2 + bend} ${(y1 + y2) / 2} ${x2} ${y2}`}
              />
              {!edge.isBack && (
                <path
                  class="graph-head"
                  d={`M${x2 - 5} ${y2 - 8} L${x2} ${y2} L${x2 + 5} ${y2 - 8}`}
                />
              )}
              <text class="graph-text" x={(x1 + x2) / 2 + bend + 8} y={(y1 + y2) / 2 + 4}>
                {text}
              </text>
            </g>
          );
        })}
        {graph.nodes.map(({ key }) => {
          const at = placeOf.get(key) ?? { x: 0, y: 0 };
          const figures = counts.get(key);
          return (
            <g key={key}>
              <rect
                class="graph-node"
                x={at.x}
                y={at.y}
                width={NODE_WIDTH}
                height={NODE_HEIGHT}
                rx="6"
              />
              <text class="graph-name" x={at.x + 12} y={at.y + 24}>
                {key.slice(0, 24)}
              </text>
              <text class="graph-text" x={at.x + 12} y={at.y + 44}>
                {figures === undefined ? "" : texts.progress.units(figures.done, figures.all)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
