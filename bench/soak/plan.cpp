#include "bench/soak/plan.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr core::duration calm_part = 8s;
constexpr core::duration minute = 60s;
/// An outage is as long a part of the run, within these bounds.
constexpr int outages_in_a_run = 6;
constexpr core::duration outage_min = 10s;
constexpr core::duration outage_max = 60s;
/// Likewise: what is under way at both ends of a short one is most of what it is measured by.
constexpr int far_lines_in_a_run = 15;
constexpr core::duration far_line_min = 5s;
constexpr core::duration far_line_max = 60s;
/// Likewise: dead rows gather for as long as the snapshot is held.
constexpr int held_snapshots_in_a_run = 15;
constexpr core::duration held_snapshot_min = 5s;
constexpr core::duration held_snapshot_max = 180s;
/// Between the end of a fault and the next one.
constexpr core::duration gap_min = 2s;
constexpr core::duration gap_max = 5s;

class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}

  core::duration between(core::duration least, core::duration most) {
    const auto values = static_cast<std::uint64_t>((most - least).count()) + 1;
    return least + core::duration{static_cast<std::int64_t>(engine_() % values)};
  }
  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }

private:
  std::mt19937_64 engine_;
};

/// Longer than the lease, and until others have noticed; in a long run up to five leases.
core::duration draw_freeze(dice& d, const plan_request& request) {
  const auto lease = request.lease_time;
  const auto most = request.load_time >= long_run ? std::max(lease + 4s, 5 * lease) : lease + 4s;
  return d.between(lease + 2s, most);
}

core::duration draw_length(dice& d, fault_kind kind, const plan_request& request) {
  const auto lease_time = request.lease_time;
  switch (kind) {
  case fault_kind::kill:
    return d.between(1s, 4s);
  case fault_kind::hard_stop:
    // A drain takes some 100 ms: from the middle of it to long after it.
    return d.between(10ms, 1s);
  case fault_kind::freeze:
    return draw_freeze(d, request);
  case fault_kind::database_partition:
    return lease_time + d.between(2s, 4s);
  case fault_kind::hesitation:
    return d.between(lease_time * 4 / 5, lease_time * 6 / 5);
  case fault_kind::blink:
    // A lease may be a quarter of its time old when the pause begins, and then the node needs some
    // time to renew it.
    return d.between(100ms, lease_time * 3 / 5);
  case fault_kind::database_cut:
  case fault_kind::backends_ended:
  case fault_kind::slots_exhausted:
    return d.between(500ms, 2 * lease_time);
  case fault_kind::held_snapshot:
    return std::clamp(request.load_time / held_snapshots_in_a_run, held_snapshot_min,
                      held_snapshot_max);
  case fault_kind::server_crash:
    return d.between(100ms, 3s);
  case fault_kind::lossy_failover:
  case fault_kind::older_copy: // for commits to be lost
    return d.between(500ms, 3s);
  case fault_kind::standby_away:
    return d.between(1s, lease_time + 3s);
  case fault_kind::outage:
    return std::clamp(request.load_time / outages_in_a_run, outage_min, outage_max);
  case fault_kind::disk_full:
    return d.between(2s, 5s);
  case fault_kind::partition:
  case fault_kind::partial_partition:
  case fault_kind::one_way_partition:
    return d.between(1s, 8s); // shorter and longer than a connection lives without a sign of life
  case fault_kind::far_line:
    return std::clamp(request.load_time / far_lines_in_a_run, far_line_min, far_line_max);
  case fault_kind::bad_line:
  case fault_kind::clock_jump:
  case fault_kind::database_clock:
  case fault_kind::worker_clock:
    return d.between(3s, 8s);
  case fault_kind::commit_cut:
    return d.between(3s, 6s);
  case fault_kind::commit_hang:
    return d.between(1s, 6s); // for the last one to begin: its end is waited for
  case fault_kind::swizzle:
    // The first is away for half of it or longer: from less than a lease to more than one.
    return d.between(lease_time, 4 * lease_time);
  case fault_kind::join_and_leave:
    return d.between(1s, 4s);
  case fault_kind::compound:
    return lease_time + d.between(1s, 3s);
  case fault_kind::drain:
  case fault_kind::rolling_restart:
  case fault_kind::failover:
  case fault_kind::count:
    break;
  }
  return {};
}

/// Some nodes, two or more, in an order by chance; then the same in another one.
void draw_orders(dice& d, std::uint32_t nodes, planned_fault& swizzle) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t node = 0; node < nodes; ++node)
    all.insert(all.begin() + d.below(all.size() + 1), node);
  all.resize(2 + d.below(nodes - 1));
  swizzle.cut_order = all;
  // Turned by less than once around, so that it is never the same.
  std::rotate(all.begin(), all.begin() + 1 + d.below(all.size() - 1), all.end());
  swizzle.heal_order = std::move(all);
}

} // namespace

std::optional<fault_kind> kind_named(std::string_view name) {
  const auto found =
      std::find_if(fault_names.begin(), fault_names.end(), [&](std::string_view known) {
        return std::equal(name.begin(), name.end(), known.begin(), known.end(),
                          [](char a, char b) { return a == b || (a == '-' && b == ' '); });
      });
  if (found == fault_names.end())
    return std::nullopt;
  return static_cast<fault_kind>(found - fault_names.begin());
}

std::string obstacle_to(fault_kind kind, std::uint32_t nodes, const obstacles& machine) {
  const auto among = [&](std::uint32_t least, const std::string& otherwise) {
    return nodes < least ? "it takes " + std::to_string(least) + " nodes" : otherwise;
  };
  switch (kind) {
  case fault_kind::kill:
  case fault_kind::freeze:
  case fault_kind::drain:
  case fault_kind::hard_stop:
  case fault_kind::rolling_restart: // somebody has to take over
    return among(2, {});
  case fault_kind::partition:
  case fault_kind::one_way_partition:
  case fault_kind::database_partition:
  case fault_kind::swizzle:
    return among(2, machine.network);
  case fault_kind::far_line:
    return machine.network.empty() ? machine.delays : machine.network;
  case fault_kind::partial_partition:
    return among(3, machine.network);
  case fault_kind::bad_line:
  case fault_kind::failover:
  case fault_kind::standby_away:
  case fault_kind::clock_jump: // without TLS nobody reads it
    return machine.network;
  case fault_kind::disk_full:
    return machine.disk;
  case fault_kind::compound:
    return among(3, {});
  default:
    return {};
  }
}

core::duration recovery_max(fault_kind kind) {
  switch (kind) {
  case fault_kind::server_crash:
    return 5s;
  case fault_kind::outage:
  case fault_kind::disk_full:
  case fault_kind::slots_exhausted:
  case fault_kind::lossy_failover:
  case fault_kind::older_copy:
    return 10s;
  default:
    return {};
  }
}

soak_plan draw_plan(const plan_request& request) {
  dice d{request.seed};
  soak_plan plan{request, {}};
  if (request.kinds.empty())
    return plan;
  std::vector<fault_kind> round;
  auto at = calm_part;
  while (true) {
    if (round.empty())
      for (const auto kind : request.kinds)
        round.insert(round.begin() + d.below(round.size() + 1), kind);
    const auto kind = round.back();
    round.pop_back();
    const auto lasts = draw_length(d, kind, request);
    const auto node = d.below(request.nodes);
    const auto other =
        request.nodes == 1 ? node : (node + 1 + d.below(request.nodes - 1)) % request.nodes;
    if (at % minute < calm_part)
      at += calm_part - at % minute;
    if (at + lasts + gap_min > request.load_time)
      return plan;
    plan.faults.push_back({at, kind, node, lasts, other});
    if (kind == fault_kind::swizzle)
      draw_orders(d, request.nodes, plan.faults.back());
    auto gap = d.between(gap_min, gap_max);
    if (const auto recovers = recovery_max(kind); recovers > core::duration::zero())
      gap = std::max(gap, recovers + gap_min);
    at += lasts + gap;
  }
}

std::uint64_t disk_bytes_for(core::duration load_time, double enqueues_per_second,
                             double units_per_second) {
  // Its log, of which it keeps up to a gigabyte between checkpoints, and what it begins with.
  constexpr double at_least = 1.5e9;
  // Three times what a minute of the usual rate added (`database_mib`). A request has five
  // tasks and a half, each with its attempts, its events and their indexes; a unit has a second one
  // and three judgments.
  constexpr double of_enqueue = 10e3;
  constexpr double of_unit = 10e3;
  const auto took = std::chrono::duration<double>(load_time).count();
  return static_cast<std::uint64_t>(
      at_least + took * (enqueues_per_second * of_enqueue + units_per_second * of_unit));
}

} // namespace holdfast::soak
