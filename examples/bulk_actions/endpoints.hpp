#pragma once

#include "core/ids.hpp"
#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/rules.hpp"
#include "examples/bulk_actions/tables.hpp"
#include "examples/bulk_actions/view.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What people ask for: a call for each action, and no generic one. Each is quick whatever it will
/// set in motion: it checks, writes the request and its task in one transaction, and answers with a
/// receipt.
namespace bulk {

/// Why there is no task. The code is from the catalogue, and so is what its caller is told; the
/// detail says which part of the request is meant.
struct refusal {
  std::string code;
  std::string detail;
};

template <class T>
using answer = std::variant<T, refusal>;

struct caller {
  staff_id who = 0;
  /// As whom it is to run: normally whoever asks.
  staff_id run_as = 0;
  /// Chosen by the caller. Asking again with the same id makes nothing twice.
  core::task_id request;
};

/// What was done at once.
struct applied {
  std::size_t people = 0;
};

/// What the database does not do is thrown; then nothing was written.
class endpoints {
public:
  endpoints(std::shared_ptr<connection_pool> pool, std::filesystem::path exports, measure most = {})
      : pool_(std::move(pool)), exports_(std::move(exports)), most_(most) {}

  answer<receipt> ask(const caller& by, export_search what);
  answer<receipt> ask(const caller& by, change_program_status what);
  answer<receipt> ask(const caller& by, watch what);
  answer<receipt> ask(const caller& by, unwatch what);
  answer<receipt> ask(const caller& by, send_mail what);
  answer<receipt> ask(const caller& by, const change_unit_status& what);
  answer<receipt> ask(const caller& by, const enrol& what);

  /// So few that nobody need wait for a task: done in one transaction before it answers. Refused
  /// when there are more.
  answer<applied> ask_now(const caller& by, watch what);
  answer<applied> ask_now(const caller& by, unwatch what);

  /// How a task goes, for whoever asked for it; nothing for all others.
  std::optional<requester_view> look(staff_id who, const core::task_id& task);
  /// Their latest requests, the newest first.
  std::vector<requester_view> latest(staff_id who, std::size_t most);
  /// The file of an export that is finished, for whoever asked for it.
  answer<std::filesystem::path> exported(staff_id who, const core::task_id& task);

private:
  template <class Action>
  answer<receipt> ask_about(const caller& by, Action what, std::int64_t targets_max);
  template <class Action>
  answer<applied> watch_now(const caller& by, Action what);

  const std::shared_ptr<connection_pool> pool_;
  const std::filesystem::path exports_;
  const measure most_;
};

} // namespace bulk
