#include "examples/bulk_actions/rules.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace bulk {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// A crash loses no more than a chunk, so a task that gets on may meet many deploys.
constexpr std::uint32_t crashes_max = 20;
constexpr std::uint32_t tries = 5;

/// One person's million must not keep everybody's ten waiting: shares are per requester.
constexpr std::uint32_t running_per_requester = 3;

constexpr auto soon = 2s;

} // namespace

std::string queue_policy(core::duration ttl) {
  const std::chrono::duration<double> lease = ttl;
  return json{{"lease", {{"ttl_seconds", lease.count()}}},
              {"retry",
               {{"max_attempts", tries},
                {"crashes_max", crashes_max},
                {"least_seconds", 1},
                {"most_seconds", 600}}},
              {"running_per_key_max", running_per_requester}}
      .dump();
}

std::string objection_to(right needed, const std::optional<staff_member>& owner,
                         const std::optional<staff_member>& run_as) {
  if (!owner)
    return "whoever asked is not there any more";
  if (!run_as)
    return "whoever it runs as is not there";
  if (run_as->rights.count(needed) == 0)
    return run_as->name + " has no right to " + std::string{to_string(needed)};
  if (owner->id != run_as->id && owner->rights.count(right::run_as_others) == 0)
    return owner->name + " may not have anything run as " + run_as->name;
  return "";
}

bookmark after_chunk(bookmark at, std::size_t people, std::size_t asked_for, person_id last) {
  at.done += static_cast<std::int64_t>(people);
  at.position = people == 0 ? at.position : last;
  at.finished = people < asked_for;
  return at;
}

std::uint32_t percent(const bookmark& at) {
  if (at.finished)
    return 100;
  if (at.total <= 0)
    return 0;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(at.done * 100 / at.total, 0, 99));
}

msg::task_update progress(const bookmark& at) {
  msg::task_update made;
  made.execution_state = json{
      {"position", at.position},
      {"done", at.done},
      {"refused", at.refused},
      {"bytes", at.bytes},
      {"finished",
       at.finished}}.dump();
  made.percent = percent(at);
  return made;
}

client::outcome outcome_of(const trouble& what, bool got_on, core::instant now) {
  if (what.kind == core::failure_kind::transient && got_on)
    return client::wait_until{now + std::max<core::duration>(soon, what.retry_after), {}};
  return client::failed{what.code, what.detail, what.kind, what.retry_after};
}

} // namespace bulk
