#include "actors/attempts_view.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

msg::task_attempt to_view(persistence::recorded_attempt recorded) {
  auto& [lease, ending, error, ended_at] = recorded.attempt;
  msg::task_attempt shown{lease.token,
                          std::move(lease.owner),
                          lease.granted_at,
                          lease.expires_at,
                          ended_at,
                          std::move(ending),
                          std::move(error.code),
                          std::move(error.detail),
                          recorded.late,
                          {}};
  for (auto& late : recorded.first_late)
    shown.late_results.push_back(
        {std::move(late.worker), std::move(late.outcome), std::move(late.detail), late.at});
  return shown;
}

std::size_t text_bytes(const msg::task_attempt& attempt) {
  auto bytes = attempt.error_code.size() + attempt.error_detail.size();
  for (const auto& late : attempt.late_results)
    bytes += late.detail.size();
  return bytes;
}

} // namespace

msg::task_attempts to_view(core::task_id task, persistence::recorded_attempts found,
                           std::uint32_t limit) {
  msg::task_attempts page{task, std::move(found.queue), {}, false};
  std::size_t bytes = 0;
  for (auto& recorded : found.attempts) {
    if (page.attempts.size() == limit || bytes >= attempts_bytes) {
      page.more = true;
      break;
    }
    page.attempts.push_back(to_view(std::move(recorded)));
    bytes += text_bytes(page.attempts.back());
  }
  return page;
}

} // namespace holdfast::actors
