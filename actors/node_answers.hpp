#pragma once

#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "core/outcome.hpp"
#include "messages/placement_messages.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <utility>

/// The request for the nodes of the cluster, which the database answers: its check, and its answer,
/// which a reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t nodes_page_max = 1000;

inline core::failure check(const msg::list_nodes& m) {
  return check_limit(m.limit, nodes_page_max);
}

inline core::outcome<msg::node_list> answer(const node_settings&, persistence::store& db,
                                            const msg::list_nodes& m) {
  auto listed = db.list_nodes(m.limit + 1);
  if (!listed)
    return listed.error();
  msg::node_list list;
  list.more = listed->size() > m.limit;
  if (list.more)
    listed->resize(m.limit);
  for (auto& node : *listed)
    list.nodes.push_back({node.incarnation, std::move(node.name), std::move(node.address),
                          node.started_at, node.expires_at, node.left_at, node.alive, node.shards});
  return list;
}

} // namespace holdfast::actors
