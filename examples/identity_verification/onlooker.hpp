#pragma once

#include "client/connection.hpp"
#include "core/time.hpp"
#include "examples/identity_verification/callbacks.hpp"
#include "examples/identity_verification/service.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace identity {

/// What was seen of one verification.
struct biography {
  std::vector<std::pair<core::instant, state>> path; ///< The states it was seen in.
  std::vector<finding> findings;
  std::string status; ///< Of the task, as requesters see it.
  std::uint32_t crashes = 0;

  bool ended() const;
};

/// Sees to a number of verifications from outside: looks at their tasks, as whoever asked for them
/// would, and plays the part of the service that calls back about its jobs.
class onlooker : private task_port {
public:
  onlooker(client::connection& node, core::queue_name queue, const simulated_service& service,
           const std::vector<core::task_id>& who, std::uint64_t seed);

  /// One look at each that has not ended, then the callbacks that are due. Says why if the node did
  /// not answer, else `none`. `now` is the clock that the jobs were dated by.
  core::failure look(core::instant (*now)());

  std::size_t ended() const;
  std::size_t at_work() const { return at_work_; } ///< Tasks that were leased at the last look.

  const std::map<core::task_id, biography>& seen() const { return seen_; }
  const std::map<reception, std::uint64_t>& callbacks() const { return callbacks_; }
  std::uint64_t taken_from_others() const { return receiver_.taken_from_others(); }

  /// What was seen and must not be: each a line, naming the verification.
  const std::vector<std::string>& objections() const { return objections_; }

private:
  core::outcome<msg::task_view> ask(const msg::get_task& request) override;
  core::outcome<msg::leased_tasks> ask(const msg::eject_task& request) override;
  core::outcome<msg::task_outcome> ask(const msg::release_task& request) override;

  void note(const core::task_id& who, const msg::task_view& view, core::instant now);
  void plan_callbacks(const core::task_id& who, const std::string& tracking);
  void deliver_due(core::instant (*now)());

  client::connection& node_;
  const simulated_service& service_;
  callback_receiver receiver_;
  std::map<core::task_id, biography> seen_;
  std::map<std::string, core::task_id> jobs_; ///< By tracking: those that were seen.
  std::multimap<core::instant, std::string> due_;
  std::map<reception, std::uint64_t> callbacks_;
  std::size_t at_work_ = 0;
  std::vector<std::string> objections_;
};

} // namespace identity
