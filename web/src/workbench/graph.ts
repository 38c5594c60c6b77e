/** The graph of the steps of a workflow, laid out in layers from top to bottom. */

import { isRecord } from "../common/unit/pointer.js";

export interface GraphEdge {
  from: string;
  to: string;
  /** The conditions of the route in words; empty: every unit. */
  label: string;
  /** Leads to a step that comes before. */
  isBack: boolean;
}

export interface GraphNode {
  key: string;
  layer: number;
  /** The place within its layer, from 0. */
  place: number;
}

export interface Graph {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  layers: number;
  /** Nodes of the widest layer. */
  width: number;
}

function listText(value: unknown): string {
  return (Array.isArray(value) ? value : [value]).map((one) => String(one)).join(" or ");
}

function conditionText(name: string, value: unknown): string {
  switch (name) {
    case "answer":
      return `answer ${listText(value)}`;
    case "answer_not":
      return `answer not ${listText(value)}`;
    case "confidence_below":
      return `confidence < ${String(value)}`;
    case "agreement_below":
      return `agreement < ${String(value)}`;
    case "trust_below":
      return `trust < ${String(value)}`;
    case "tied":
      return value === true ? "tied" : "not tied";
    case "sample":
      return `sample of ${Math.round(Number(value) * 1000) / 10} %`;
    case "judged_fewer":
      return `newcomers (< ${String(value)})`;
    case "sent_back":
      return `sent back ${String(value)} times`;
    case "input":
      return "by the input";
    default:
      return name;
  }
}

function edgesOf(step: Readonly<Record<string, unknown>>): [to: string, label: string][] {
  const keys = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((one): one is string => typeof one === "string") : [];
  if (!Array.isArray(step.routes)) return keys(step.next).map((to) => [to, ""]);
  return step.routes.filter(isRecord).flatMap((route, at) => {
    const when = isRecord(route.when) ? Object.entries(route.when) : [];
    const words = when
      .filter(([name]) => name !== "seed")
      .map(([name, value]) => conditionText(name, value));
    if (words.length === 0 && at > 0) words.push("all others");
    if (route.for_each === true) words.push("for each item");
    return keys(route.to).map((to): [string, string] => [to, words.join(", ")]);
  });
}

/** The graph of a definition; of a step that is not there no edge leads anywhere. */
export function graphOf(definition: unknown): Graph {
  const listed = isRecord(definition) && Array.isArray(definition.steps) ? definition.steps : [];
  const steps = listed.filter(isRecord).filter(({ key }) => typeof key === "string");
  const order = steps.map(({ key }) => key as string);
  const out = new Map(steps.map((step) => [step.key as string, edgesOf(step)]));
  // Depth first: an edge to a step that is still open leads back.
  const state = new Map<string, "open" | "done">();
  const back = new Set<string>();
  const finished: string[] = [];
  const visit = (key: string): void => {
    state.set(key, "open");
    for (const [to] of out.get(key) ?? []) {
      if (state.get(to) === "open") back.add(`${key}\n${to}`);
      else if (!state.has(to) && out.has(to)) visit(to);
    }
    state.set(key, "done");
    finished.unshift(key);
  };
  for (const key of order) if (!state.has(key)) visit(key);
  const layerOf = new Map(order.map((key) => [key, 0]));
  const edges: GraphEdge[] = [];
  for (const key of finished) {
    for (const [to, label] of out.get(key) ?? []) {
      if (!out.has(to)) continue;
      const isBack = back.has(`${key}\n${to}`);
      edges.push({ from: key, to, label, isBack });
      if (isBack) continue;
      layerOf.set(to, Math.max(layerOf.get(to) ?? 0, (layerOf.get(key) ?? 0) + 1));
    }
  }
  const counts: number[] = [];
  const nodes = order.map((key) => {
    const layer = layerOf.get(key) ?? 0;
    const place = counts[layer] ?? 0;
    counts[layer] = place + 1;
    return { key, layer, place };
  });
  return { nodes, edges, layers: counts.length, width: Math.max(1, ...counts) };
}

/** The only edge that leads to a step, whose count is that of the step's units. */
export function isOnlyWay(graph: Graph, edge: GraphEdge): boolean {
  return graph.edges.filter(({ to }) => to === edge.to).length === 1;
}
