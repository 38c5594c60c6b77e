#include "client/lease_end.hpp"

#include "core/mended_text.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace holdfast::client {

namespace {

/// Half of what the node keeps, and enough for people.
constexpr std::size_t detail_bytes_max = 4096;

/// Bound of the node. Who is to wait longer is told so again.
constexpr core::duration retry_after_max = std::chrono::hours{24};

} // namespace

msg::task_result lease_end(const lease_holder& by, const done& how) {
  return {by.task, how.result};
}

msg::release_task lease_end(const lease_holder& by, const wait_until& how) {
  return {by.queue, by.worker, by.task, how.update, how.next_action};
}

msg::fail_task lease_end(const lease_holder& by, const failed& how) {
  return {by.queue,
          by.worker,
          by.task,
          static_cast<std::uint8_t>(how.kind),
          how.code,
          core::mended_text(how.detail, detail_bytes_max),
          std::clamp(how.retry_after, core::duration::zero(), retry_after_max),
          how.update};
}

msg::follow_task lease_end(const lease_holder& by, const next& how,
                           const core::assignment_id& claim) {
  return {by.queue, by.worker, {by.task, how.result}, how.task, claim};
}

bool lease_is_over(core::errc refusal) {
  return refusal == core::errc::lease_not_held || refusal == core::errc::stale_token
         || refusal == core::errc::lease_expired || refusal == core::errc::not_found;
}

failed refused_outcome(const core::failure& why, const outcome& refused) {
  failed instead{"OUTCOME_REFUSED", std::string{core::to_string(why.code)} + ": " + why.detail};
  if (const auto* said = std::get_if<failed>(&refused)) {
    instead.detail += "; it was to say " + said->code + ": " + said->detail;
    instead.kind = said->kind;
    instead.retry_after = said->retry_after;
  }
  return instead;
}

} // namespace holdfast::client
