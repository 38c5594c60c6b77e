#pragma once

#include "actors/node.hpp"
#include "client/peer_system.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::bench {

/// A real node in this process, on a real database, with the defaults of the configuration.
class node_under_load {
public:
  /// `rejoin_max` is the option `writer.rejoin_max`; its default.
  node_under_load(std::string conninfo, std::uint64_t seed,
                  core::duration rejoin_max = std::chrono::milliseconds{1});
  ~node_under_load();

  /// A step of a new one-step workflow, filled with `units`.
  core::step_id make_step(std::size_t units, std::uint32_t judgments_per_unit);
  /// The same with test questions, one among every four assignments. They look as the units do.
  core::step_id make_tested_step(std::size_t units, std::size_t questions);

  struct load_result {
    double seconds = 0;
    std::uint64_t assignments = 0;
    std::uint64_t judgments = 0;
    std::uint64_t commits = 0;         ///< By the writers, meanwhile.
    std::uint64_t changes = 0;         ///< In those commits: also what follows from the work.
    std::uint64_t failures = 0;        ///< Answers that were neither success nor "no unit".
    std::vector<double> ask_millis;    ///< Ask to durable grant, as the contributor sees it.
    std::vector<double> submit_millis; ///< Submit to durable judgment.
    /// The same of test questions, which are not among those.
    std::vector<double> question_ask_millis;
    std::vector<double> question_submit_millis;
    /// Without `submit`: what gives the leases back, but for the tokens.
    std::vector<msg::release_assignment> held;
  };
  /// Lets `contributors` work on the step at once, each ask, submit, ask … without a pause, until
  /// `duration` is over. Without `submit` they ask only, and hold what they get.
  load_result work(const core::step_id& step, std::size_t contributors,
                   std::chrono::milliseconds duration, bool submit);

  /// Brings the units of `held` into memory and changes nothing: gives them back under a token that
  /// is not theirs.
  void touch(const std::vector<msg::release_assignment>& held);

  msg::gateway_actor gateway() const { return gateway_; }
  caf::actor_system& system() { return *system_; }

private:
  template <class Answer, class Request>
  Answer call(Request request);
  /// Its step, of which `more` are further members.
  core::step_id make_workflow(std::uint32_t judgments_per_unit, const std::string& more);
  void fill(const core::step_id& step, std::uint64_t first, std::size_t units);

  client::peer_system config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::actor root_;
  msg::gateway_actor gateway_;
  core::uuid_source ids_;
  std::uint64_t rounds_ = 0;
};

} // namespace holdfast::bench
