import type { AuditStatus, GuardStatus, LinkStatus, NodeStatus, Placement } from "holdfast";
import type { VNode } from "preact";

import { api } from "../../common/api.js";
import { bytes, count, shortId } from "../../common/format.js";
import { Badge, LoadState, Time, toast } from "../../common/ui/index.js";
import { texts } from "../../texts/console.js";
import { NodeCards } from "../overview/node_cards.js";
import { ActionButton } from "../../common/ui/action_button.js";
import { Facts } from "../../common/ui/facts.js";
import { may } from "../../common/rights.js";
import { useView } from "../../common/view.js";

const EVERY = 10;

interface Shard {
  shard: number;
  host: string | null;
  epoch: number;
}

function shardsOf({ hosts, epochs }: Placement): Shard[] {
  return hosts.map((host, shard) => ({ shard, host, epoch: epochs[shard] ?? 0 }));
}

function Shards(props: { placement: Placement; node: NodeStatus }): VNode {
  const nameOf = (host: string): string =>
    host === props.node.incarnation_id ? props.node.name : shortId(host);
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
        {may("changeCluster") && (
          <div class="page-actions">
            <ActionButton run={rebuildStepIndex} done={texts.cluster.rebuildDone}>
              {texts.cluster.rebuild}
            </ActionButton>
          </div>
        )}
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
            <Shards placement={placement} node={node} />
          </>
        )}
      </LoadState>
    </>
  );
}
