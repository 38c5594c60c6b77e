#include "client/task_handler.hpp"

#include "core/json_text.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

namespace holdfast::client {

namespace {

/// RFC 3339 in UTC, to the microsecond.
std::string to_text(core::instant at) {
  const auto micros = core::to_micros(at);
  const auto fraction = ((micros % 1'000'000) + 1'000'000) % 1'000'000;
  const auto seconds = static_cast<std::time_t>((micros - fraction) / 1'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
  char text[48];
  std::snprintf(text, sizeof text, "%s.%06dZ", date, static_cast<int>(fraction));
  return text;
}

} // namespace

task_context::task_context(std::shared_ptr<const msg::leased_task> task,
                           std::shared_ptr<lease_watch> lease, saver save, clock now)
    : task_(std::move(task)),
      lease_(std::move(lease)),
      save_(std::move(save)),
      now_(std::move(now)) {}

bool task_context::save(const msg::task_update& update) const { return save_(update); }

bool task_context::canceled() const {
  return lease_->over.load() || time_left() == core::duration::zero();
}

core::duration task_context::time_left() const {
  const auto left = lease_->ends.load() - lease_watch::clock::now();
  return std::max(core::duration::zero(), std::chrono::duration_cast<core::duration>(left));
}

core::instant task_context::now() const { return now_(); }

std::string task_context::envelope() const {
  const auto header = core::json_object{}
                          .text("job_id", core::to_string(task_->task))
                          .text("type", task_->type)
                          .text("version", task_->version)
                          .text("created_at", to_text(task_->created_at))
                          .number("attempt", std::int64_t{task_->attempt})
                          .number("max_attempts", std::int64_t{task_->max_attempts})
                          .str();
  const auto tracing =
      core::json_object{}.text("trace_id", task_->trace_id).text("span_id", task_->span_id).str();
  return core::json_object{}
      .raw("header", header)
      .raw("body", task_->body)
      .raw("tracing", tracing)
      .str();
}

} // namespace holdfast::client
