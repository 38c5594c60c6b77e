#pragma once

#include "tests/support/client.hpp"
#include "tests/support/printing.hpp"
#include "tests/support/virtual_world.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::test {

/// One step, two judgments per unit, leases of 60 s that may be extended to 120 s; after an expiry
/// the same contributor waits 30 s.
extern const std::string one_step;

/// A step definition as JSON: `key`, `judgments` per unit, the steps that follow.
std::string step_json(const std::string& key, int judgments, const std::vector<std::string>& next);
/// A workflow of such steps.
std::string workflow_json(const std::string& name, const std::vector<std::string>& steps);

/// A world with one node that hosts everything, and a client that stays connected.
struct node_fixture : virtual_world {
  explicit node_fixture(std::uint64_t seed = 0);
  ~node_fixture();

  std::unique_ptr<virtual_node> node;
  std::unique_ptr<client> me;
  core::uuid_source ids{99};

  /// Makes the next process of the node, not yet started: for other settings.
  virtual_node& prepare();
  /// Starts it and waits until it hosts its shards.
  void start();
  /// SIGKILL, and a new process of the same node on the same database.
  void restart();
  /// The living actor of this name; the test needs exactly one.
  caf::actor the_actor(const std::string& name) const;

  template <class Id>
  Id fresh() {
    return {ids.next(now())};
  }

  /// Sends a request from `me`.
  template <class Request>
  awaited_answer<Request> send_to_node(Request request) {
    return me->send(node->gateway, std::move(request));
  }
  /// Sends and settles: for answers that need no time to pass.
  template <class Request>
  answer<msg::answer_to<Request>> call(Request request) {
    auto result = send_to_node(std::move(request));
    settle();
    return *result;
  }

  // What most tests say, in one line each. Those that return a bare message require success.

  /// Creates a workflow; the ids of its steps.
  std::vector<core::step_id> create_steps(const std::string& definition);
  core::step_id create(const std::string& definition = one_step);
  /// Adds units with the keys `row-<first>` and so on.
  void feed(const core::step_id& step, std::size_t units, std::size_t first = 0);
  answer<msg::assignment> assign(const core::step_id& step, const std::string& who);
  msg::assignment assigned(const core::step_id& step, const std::string& who);
  msg::submit_judgment judgment(const msg::assignment& a, const std::string& who,
                                const std::string& text = "red");
  answer<msg::judgment_accepted> submit(const msg::assignment& a, const std::string& who,
                                        const std::string& text = "red");
  /// Asks for a unit and judges it.
  void work(const core::step_id& step, const std::string& who, const std::string& text = "red");
  answer<msg::assignment_released> release(const msg::assignment& a, const std::string& who,
                                           bool decline = false);
  answer<msg::assignment_extended> extend(const msg::assignment& a, const std::string& who);
  msg::step_view change(const core::step_id& step, core::unit_verb verb);
  answer<msg::unit_changed> change(const msg::assignment& a, core::unit_verb verb);
  msg::step_view seal(const core::step_id& step);
  msg::unit_view unit(const core::step_id& step, const core::unit_id& unit);
  msg::step_statistics statistics(const core::step_id& step);
  std::vector<msg::unit_result> results(const core::step_id& step);
  msg::node_status status();

  /// Every committed event of `type`, in order per shard.
  std::vector<core::event> events(core::event_type type) const;
  /// The lines of the node's log that have `text` in them.
  std::size_t count_logged(std::string_view text) const {
    const auto& log = node->log;
    return static_cast<std::size_t>(std::count_if(log.begin(), log.end(), [&](const auto& line) {
      return line.find(text) != std::string::npos;
    }));
  }
  bool logged(std::string_view text) const { return count_logged(text) > 0; }
  std::size_t active_leases() const { return database->tables().active_leases.size(); }

private:
  std::uint64_t starts_ = 0;
};

/// Checks on the whole database what must hold at every commit: I-1, I-2, I-3, I-4, and that every
/// finalized unit has one event (I-5). Empty when all is well.
std::string broken_invariants(const persistence::memory_database& database);

} // namespace holdfast::test
