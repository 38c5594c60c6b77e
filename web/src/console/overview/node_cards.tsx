import type { NodeStatus, Placement } from "holdfast";
import type { VNode } from "preact";

import { count, shortId } from "../../common/format.js";
import { Badge, Time } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { Facts } from "../../common/ui/facts.js";
import { places } from "../places.js";

/** The shards of each node that hosts some, in order of their first shard. */
export function shardsByNode(placement: Placement): Map<string, number[]> {
  const nodes = new Map<string, number[]>();
  for (const [shard, host] of placement.hosts.entries()) {
    if (host === null) continue;
    const shards = nodes.get(host) ?? [];
    shards.push(shard);
    nodes.set(host, shards);
  }
  return nodes;
}

/** The nodes of the cluster with their shards. Only the one that answers tells of itself. */
export function NodeCards(props: {
  node: NodeStatus | undefined;
  placement: Placement | undefined;
}): VNode {
  const { node, placement } = props;
  const nodes = placement === undefined ? new Map<string, number[]>() : shardsByNode(placement);
  if (node !== undefined && !nodes.has(node.incarnation_id)) nodes.set(node.incarnation_id, []);
  return (
    <div class="cards">
      {[...nodes].map(([id, shards]) => {
        const own = node?.incarnation_id === id ? node : undefined;
        return (
          <section key={id} class="panel card">
            <div class="panel-head">
              <h3 title={id}>
                <a href={places.cluster}>{own?.name ?? shortId(id)}</a>
              </h3>
              {own !== undefined && <Badge tone="busy">{texts.overview.answers}</Badge>}
              {own?.draining && <Badge tone="warning">{texts.overview.draining}</Badge>}
            </div>
            <Facts
              facts={[
                [texts.cluster.shards, count(shards.length)],
                [texts.cluster.version, own?.version],
                [texts.cluster.started, own && <Time at={own.started_at} relative />],
                [texts.cluster.commits, own && count(own.commits)],
                [texts.cluster.queued, own && count(own.queued)],
                [texts.cluster.units, own && count(own.live_units)],
                [texts.cluster.sessions, own && count(own.sessions)],
              ]}
            />
          </section>
        );
      })}
    </div>
  );
}
