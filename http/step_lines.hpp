#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/gateway_client.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace holdfast::http {

/// The requests of this node that wait for a unit, in a line for each step. The node waits once for
/// all of a line: `await_units` is answered when a unit was made or a slot came free in the step,
/// wherever that is hosted. Then the first of the line ask, and go on asking while units are
/// granted; a request that gets none goes to the end of the line. Contributors may get other units
/// than those before them, and become eligible without a change of the step, so some are asked for
/// again every few seconds, one after the other.
///
/// For the thread of the gateway client's actor alone.
class step_lines : public std::enable_shared_from_this<step_lines> {
public:
  /// `over`: the request waits no more.
  using done = std::function<void(bool over)>;
  /// One request.
  struct seeker {
    std::function<bool()> is_over;
    std::function<void(done)> ask; ///< Runs `done` once.
  };
  using seeker_ptr = std::shared_ptr<const seeker>;

  explicit step_lines(gateway_client gateway) : gateway_(std::move(gateway)) {}

  /// The number of the latest change of the step that is known here; 0: none is. To be looked up
  /// before a request asks for the first time.
  std::uint64_t seen_of(core::step_id step) const;

  /// A request that has asked, when `seen` was the number, and got no unit.
  void join(core::step_id step, const seeker_ptr& who, std::uint64_t seen);

private:
  struct line {
    std::deque<seeker_ptr> seekers;
    std::uint64_t seen = 0;
    bool known = false;         ///< `seen` has been told.
    bool awaits = false;        ///< The step has been asked for its next change.
    std::size_t asks_left = 0;  ///< Of the present round; more when a unit is granted.
    std::size_t turns_left = 0; ///< Each seeker has one turn in a round at most.
    std::size_t under_way = 0;
    bool granted = false; ///< In the present round.
    bool changed = false; ///< The round follows a change of the step.
    core::duration pause{0};
  };

  void await(core::step_id step);
  void begin_round(core::step_id step, bool changed);
  void go_on(core::step_id step);
  void ask(core::step_id step, const seeker_ptr& who);

  const gateway_client gateway_;
  std::map<core::step_id, line> lines_;
};

} // namespace holdfast::http
