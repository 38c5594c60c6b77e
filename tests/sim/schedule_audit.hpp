#pragma once

#include "core/schedule.hpp"
#include "messages/task_messages.hpp"
#include "persistence/memory_tables.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace holdfast::sim {

/// Holds the committed schedules to their promise: each occurrence makes one task, in the change
/// that says that it is dealt with, or none where the schedule's policy allows that.
class schedule_auditor {
public:
  using blame_function = std::function<void(const char* invariant, const std::string& what)>;

  schedule_auditor(const persistence::memory::tables& tables, blame_function blame)
      : t_(tables), blame_(std::move(blame)) {}

  void sending(const msg::put_schedule& m) { sent_[{m.queue, m.name}] = m.definition; }
  void acknowledged(const msg::put_schedule& asked, const msg::schedule_view& answer);

  /// One committed change, before its tasks are looked at.
  void committed(const core::change& change);
  /// What an occurrence asks for that this change deals with; null for any other id.
  const msg::task_request* asked_for(const core::task_id& id, const core::queue_name& queue) const;
  /// The rows are those that were committed.
  void check_rows();
  /// What is still to come; empty when nothing is.
  std::string unfinished() const;

  /// The schedules as they were committed.
  using memory = std::map<std::pair<core::queue_name, std::string>, core::schedule>;
  memory remember() const { return schedules_; }
  /// The tables are about to go back to what they were then.
  void go_back(const memory& then) { schedules_ = then; }

  std::uint64_t made() const { return made_; }
  std::uint64_t missed() const { return missed_; }

private:
  using key = std::pair<core::queue_name, std::string>;

  void follow(const core::put_schedule_row& w, const core::change& change);
  void check_passed(const core::schedule& before, const core::put_schedule_row& w,
                    const core::change& change);

  const persistence::memory::tables& t_;
  blame_function blame_;
  std::map<key, std::string> sent_;
  memory schedules_;
  std::map<core::task_id, std::pair<core::queue_name, msg::task_request>> passing_;
  std::uint64_t made_ = 0;
  std::uint64_t missed_ = 0;
};

} // namespace holdfast::sim
