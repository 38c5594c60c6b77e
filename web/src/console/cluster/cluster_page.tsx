import type {
  AuditStatus,
  GuardStatus,
  LinkStatus,
  NodeStart,
  NodeStatus,
  Placement,
} from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { bytes, count, shortId } from "../../common/format.js";
import { Badge, LoadState, Table, Time, toast, type Column } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { NodeCards } from "../overview/node_cards.js";
import { ActionButton } from "../../common/ui/action_button.js";
import { Facts } from "../../common/ui/facts.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";

const EVERY = 10;
/** Of nodes: the latest starts. */
const NODES_SHOWN = 20;

interface Shard {
  shard: number;
  host: string | null;
  epoch: number;
}

function shardsOf({ hosts, epochs }: Placement): Shard[] {
  return hosts.map((host, shard) => ({ shard, host, epoch: epochs[shard] ?? 0 }));
}

const NODE_COLUMNS: readonly Column<NodeStart>[] = [
  {
    key: "name",
    title: texts.cluster.node,
    cell: (one) => <span title={one.incarnation_id}>{one.name}</span>,
  },
  {
    key: "state",
    title: texts.cluster.state,
    cell: (one) => (
      <Badge tone={one.alive ? "good" : one.left_at === undefined ? "bad" : "neutral"}>
        {one.alive
          ? texts.cluster.lives
          : one.left_at === undefined
            ? texts.cluster.lost
            : texts.cluster.stopped}
      </Badge>
    ),
  },
  { key: "shards", title: texts.cluster.shards, numeric: true, cell: (one) => count(one.shards) },
  { key: "started", title: texts.cluster.started, cell: (one) => <Time at={one.started_at} /> },
  {
    key: "ended",
    title: texts.cluster.ended,
    cell: (one) => <Time at={one.alive ? undefined : (one.left_at ?? one.expires_at)} />,
  },
  { key: "address", title: texts.cluster.address, cell: (one) => <code>{one.address}</code> },
];

/** The nodes of the cluster, and the last starts of those that are gone. */
function Nodes({ nodes }: { nodes: readonly NodeStart[] }): VNode {
  return (
    <section>
      <h2>{texts.cluster.nodesTitle}</h2>
      <Table
        caption={texts.cluster.nodesTitle}
        hideCaption
        columns={NODE_COLUMNS}
        rows={nodes}
        rowKey={(one) => one.incarnation_id}
      />
    </section>
  );
}

function Shards(props: {
  placement: Placement;
  node: NodeStatus;
  nodes: readonly NodeStart[];
}): VNode {
  const names = new Map(props.nodes.map((one) => [one.incarnation_id, one.name]));
  names.set(props.node.incarnation_id, props.node.name);
  const nameOf = (host: string): string => names.get(host) ?? shortId(host);
  return (
    <section>
      <h2>{texts.cluster.shardsTitle}</h2>
      <p class="soft">{texts.cluster.shardsHint}</p>
      <ol class="shards">
        {shardsOf(props.placement).map(({ shard, host, epoch }) => (
          <li key={shard} class={host === null ? "shard-lost" : ""}>
            <strong>{texts.cluster.shard(shard)}</strong>
            {host === null ? (
              <Badge tone="bad">{texts.cluster.nobody}</Badge>
            ) : (
              <span title={host}>{nameOf(host)}</span>
            )}
            <span class="soft">{texts.cluster.epoch(count(epoch))}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Guards({ guards }: { guards: GuardStatus }): VNode {
  return (
    <section class="panel card">
      <div class="panel-head">
        <h3>{texts.cluster.guards}</h3>
        <Badge tone={guards.fenced ? "bad" : "good"}>
          {guards.fenced ? texts.cluster.fenced : texts.cluster.notFenced}
        </Badge>
      </div>
      <Facts
        facts={[
          [texts.cluster.fencedSince, guards.fenced_since && <Time at={guards.fenced_since} />],
          [texts.cluster.why, guards.why],
          [texts.cluster.fences, count(guards.fences)],
          [texts.cluster.stale, count(guards.stale_writes)],
          [
            texts.cluster.inDoubt,
            texts.cluster.inDoubtOf(
              guards.in_doubt,
              guards.found_committed,
              guards.found_not_committed,
              guards.never_found,
            ),
          ],
          [texts.cluster.slowed, count(guards.peers_slowed)],
        ]}
      />
    </section>
  );
}

function Audits({ audits }: { audits: AuditStatus }): VNode {
  return (
    <section class="panel card">
      <div class="panel-head">
        <h3>{texts.cluster.audits}</h3>
        <Badge tone={audits.findings.length > 0 ? "bad" : audits.done > 0 ? "good" : "neutral"}>
          {audits.findings.length > 0
            ? texts.cluster.broken(audits.findings.length)
            : audits.done > 0
              ? texts.cluster.holds
              : texts.cluster.notYet}
        </Badge>
      </div>
      <p class="soft">{texts.cluster.auditsHint}</p>
      <Facts
        facts={[
          [texts.cluster.auditsDone, count(audits.done)],
          [texts.cluster.auditsFailed, count(audits.failed)],
          [texts.cluster.auditsLast, <Time at={audits.last_at} relative />],
          ...audits.findings.map(
            ({ invariant, violations }) =>
              [invariant, texts.cluster.violations(count(violations))] as const,
          ),
        ]}
      />
    </section>
  );
}

function Link({ link }: { link: LinkStatus }): VNode {
  return (
    <section class="panel card">
      <div class="panel-head">
        <h3>{texts.cluster.link}</h3>
        <Badge tone={link.secured ? "good" : "neutral"}>
          {link.secured ? texts.cluster.secured : texts.cluster.notSecured}
        </Badge>
      </div>
      <Facts
        facts={[
          [texts.cluster.connections, `${count(link.open)} / ${count(link.accepted)}`],
          [texts.cluster.frames, count(link.frames)],
          [texts.cluster.bytesIn, bytes(link.bytes_in)],
          [texts.cluster.bytesOut, bytes(link.bytes_out)],
          ...link.refusals.map(
            ({ reason, connections }) =>
              [texts.cluster.refusedFor(reason), count(connections)] as const,
          ),
        ]}
      />
    </section>
  );
}

async function rebuildStepIndex(): Promise<void> {
  const { nodes, steps, complete } = await api.rebuildStepIndex();
  toast(texts.cluster.rebuilt(nodes, steps, complete));
}

async function verify(): Promise<void> {
  const { broken } = await api.verifyCluster();
  const rows = broken.map(({ invariant, check }) => `${invariant} (${check})`);
  toast(rows.length === 0 ? texts.cluster.verified : texts.cluster.foundBroken(rows.join(", ")));
}

export function ClusterPage(): VNode {
  const loaded = useView(
    async (signal) => {
      const [node, placement] = await Promise.all([
        api.getNodeStatus({ signal }),
        api.getPlacement({ signal }),
      ]);
      const guards = may("readGuards")
        ? await Promise.all([
            api.getGuardStatus({ signal }),
            api.getAuditStatus({ signal }),
            api.getLinkStatus({ signal }),
            api.listNodes({ limit: NODES_SHOWN }, { signal }),
          ])
        : undefined;
      return { node, placement, guards };
    },
    [],
    EVERY,
  );
  return (
    <>
      <div class="page-head">
        <h1>{texts.nav.cluster}</h1>
        <div class="page-actions">
          {may("readGuards") && (
            <ActionButton run={verify} done={texts.cluster.verifyDone} onDone={loaded.reload}>
              {texts.cluster.verify}
            </ActionButton>
          )}
          {may("changeCluster") && (
            <ActionButton run={rebuildStepIndex} done={texts.cluster.rebuildDone}>
              {texts.cluster.rebuild}
            </ActionButton>
          )}
        </div>
      </div>
      <LoadState loaded={loaded}>
        {({ node, placement, guards }) => (
          <>
            <NodeCards node={node} placement={placement} />
            {guards !== undefined && (
              <>
                <h2>{texts.cluster.ofNode(node.name)}</h2>
                <div class="cards">
                  <Guards guards={guards[0]} />
                  <Audits audits={guards[1]} />
                  <Link link={guards[2]} />
                </div>
              </>
            )}
            {guards !== undefined && <Nodes nodes={guards[3].nodes} />}
            <Shards placement={placement} node={node} nodes={guards?.[3].nodes ?? []} />
          </>
        )}
      </LoadState>
    </>
  );
}
