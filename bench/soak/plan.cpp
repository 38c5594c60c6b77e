#include "bench/soak/plan.hpp"

#include <algorithm>
#include <numeric>
#include <random>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr core::duration calm_part = 8s;
constexpr core::duration minute = 60s;
/// Between the end of a fault and the next one.
constexpr core::duration gap_min = 2s;
constexpr core::duration gap_max = 5s;

class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}

  core::duration between(core::duration least, core::duration most) {
    const auto width = static_cast<std::uint64_t>((most - least).count()) + 1;
    return least + core::duration{static_cast<std::int64_t>(engine_() % width)};
  }
  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(engine_() % limit); }

private:
  std::mt19937_64 engine_;
};

core::duration draw_length(dice& d, fault_kind kind, core::duration lease_time) {
  switch (kind) {
  case fault_kind::kill:
    return d.between(1s, 4s);
  case fault_kind::freeze:
    return lease_time + d.between(2s, 4s);
  case fault_kind::blink:
    return d.between(100ms, lease_time / 3);
  case fault_kind::database_cut:
    return d.between(500ms, 2 * lease_time);
  case fault_kind::server_crash:
    return d.between(100ms, 3s);
  case fault_kind::drain:
  case fault_kind::count:
    break;
  }
  return {};
}

} // namespace

soak_plan draw_plan(std::uint64_t seed, std::uint32_t nodes, core::duration load_time,
                    core::duration lease_time) {
  dice d{seed};
  soak_plan plan{seed, nodes, load_time, {}};
  std::vector<fault_kind> round;
  auto at = calm_part;
  while (true) {
    if (round.empty()) {
      for (std::size_t kind = 0; kind < fault_names.size(); ++kind)
        round.insert(round.begin() + d.below(round.size() + 1), static_cast<fault_kind>(kind));
    }
    const auto kind = round.back();
    round.pop_back();
    const auto lasts = draw_length(d, kind, lease_time);
    if (at % minute < calm_part)
      at += calm_part - at % minute;
    if (at + lasts + gap_min > load_time)
      return plan;
    plan.faults.push_back({at, kind, d.below(nodes), lasts});
    at += lasts + d.between(gap_min, gap_max);
  }
}

} // namespace holdfast::soak
