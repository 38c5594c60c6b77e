#include "actors/node_metrics.hpp"

#include "metrics/scrape.hpp"

#include <memory>

namespace holdfast::actors {

namespace {

using metrics::metric;

void add_writers(metrics::scrape& to, const node_gauges& gauges) {
  const auto add = [&](metric what, std::uint64_t value) {
    to.add(what, static_cast<double>(value));
  };
  const auto& writer = gauges.writer;
  add(metric::changes_total, writer.changes);
  add(metric::changes_refused_total, writer.refused);
  add(metric::changes_stale_total, writer.stale);
  add(metric::commits_in_doubt_total, writer.in_doubt);
  add(metric::writer_queued, writer.queued);
  add(metric::requests_overloaded_total, gauges.overloaded);
  add(metric::units_live, gauges.live_units);
  add(metric::contributor_sessions, gauges.sessions);
  add(metric::shards_hosted, gauges.shards_hosted);
  add(metric::database_up, gauges.database_up ? 1 : 0);
}

void add_audits(metrics::scrape& to, const msg::audit_status& audits) {
  to.add(metric::audits_total, {"done"}, static_cast<double>(audits.done));
  to.add(metric::audits_total, {"failed"}, static_cast<double>(audits.failed));
  for (const auto& finding : audits.findings)
    to.add(metric::invariant_violations_total, {finding.invariant},
           static_cast<double>(finding.violations));
}

void add_link(metrics::scrape& to, const msg::link_status& link) {
  if (!link.secured)
    return;
  to.add(metric::link_connections, static_cast<double>(link.open));
  to.add(metric::link_bytes_total, {"in"}, static_cast<double>(link.bytes_in));
  to.add(metric::link_bytes_total, {"out"}, static_cast<double>(link.bytes_out));
  for (const auto& refusal : link.refusals)
    to.add(metric::link_refusals_total, {refusal.reason}, static_cast<double>(refusal.connections));
}

} // namespace

metrics::registration report_node(const context_ptr& context) {
  return context->registry->join(
      [weak = std::weak_ptr<node_context>{context}](const metrics::scrape_ptr& into) {
        const auto node = weak.lock();
        if (!node)
          return;
        const auto& settings = node->settings;
        into->add(metric::build_info, {settings.version}, 1);
        into->add(metric::shards, settings.shards);
        const auto fence = node->fence.read();
        into->add(metric::fenced, fence.since != core::instant{} ? 1 : 0);
        into->add(metric::fences_total, static_cast<double>(fence.times));
        add_writers(*into, node->gauges);
        add_audits(*into, node->audits.status());
        if (settings.link_status)
          add_link(*into, settings.link_status());
      });
}

} // namespace holdfast::actors
