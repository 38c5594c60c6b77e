#pragma once

#include "tests/messages/audit_samples.hpp"
#include "tests/messages/cluster_samples.hpp"
#include "tests/messages/event_samples.hpp"
#include "tests/messages/lineage_samples.hpp"
#include "tests/messages/queue_action_samples.hpp"
#include "tests/messages/removal_samples.hpp"
#include "tests/messages/search_samples.hpp"
#include "tests/messages/task_samples.hpp"
#include "tests/messages/token_samples.hpp"
#include "tests/messages/webhook_samples.hpp"
#include "tests/messages/work_samples.hpp"

#include <utility>
#include <vector>

namespace holdfast::test {

/// One of every message.
inline std::vector<sample> all_samples(wire_fixture& wire) {
  samples all{wire};
  add_work_samples(all);
  add_task_samples(all);
  add_cluster_samples(all);
  add_event_samples(all);
  add_webhook_samples(all);
  add_lineage_samples(all);
  add_search_samples(all);
  add_removal_samples(all);
  add_token_samples(all);
  add_audit_samples(all);
  add_queue_action_samples(all);
  return std::move(all.all);
}

} // namespace holdfast::test
