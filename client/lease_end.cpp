#include "client/lease_end.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace holdfast::client {

namespace {

/// Details longer than 8 KiB are refused, and with them the failure.
constexpr std::size_t detail_bytes_max = 4096;

/// The beginning of `detail`, cut between two characters: half of one would be refused.
std::string shortened(const std::string& detail) {
  auto length = std::min(detail.size(), detail_bytes_max);
  while (length < detail.size() && length > 0
         && (static_cast<unsigned char>(detail[length]) & 0xc0) == 0x80)
    --length;
  return detail.substr(0, length);
}

} // namespace

msg::task_result lease_end(const lease_holder& by, const done& how) {
  return {by.task, how.result};
}

msg::release_task lease_end(const lease_holder& by, const wait_until& how) {
  return {by.queue, by.worker, by.task, how.update, how.next_action};
}

msg::fail_task lease_end(const lease_holder& by, const failed& how) {
  return {by.queue,        by.worker,
          by.task,         static_cast<std::uint8_t>(how.kind),
          how.code,        shortened(how.detail),
          how.retry_after, how.update};
}

msg::follow_task lease_end(const lease_holder& by, const next& how,
                           const core::assignment_id& claim) {
  return {by.queue, by.worker, {by.task, how.result}, how.task, claim};
}

bool lease_is_over(core::errc refusal) {
  return refusal == core::errc::lease_not_held || refusal == core::errc::stale_token
         || refusal == core::errc::lease_expired || refusal == core::errc::not_found;
}

failed refused_outcome(const core::failure& why) {
  return {"OUTCOME_REFUSED", std::string{core::to_string(why.code)} + ": " + why.detail};
}

} // namespace holdfast::client
