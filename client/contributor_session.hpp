#pragma once

#include "client/connection.hpp"
#include "client/contributor_agent.hpp"
#include "core/outcome.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::client {

/// One contributor at work: takes units, hands in judgments. What `worker` is for tasks. See
/// docs/PEERS.md.
///
///   home ── next ──► at work ── leave ──► home
///
/// It makes every id, keeps it until the outcome is known, and repeats with it: whatever is asked
/// of it again after `unavailable` happens once. Units that come to nobody, because whoever waited
/// has left, are given back at once.
///
/// Safe to use from several threads, of which one at a time waits for units of a step. Every method
/// blocks, for no longer than `connection::request_timeout` beside its own wait: never call one
/// inside an actor, but send the messages of `contributor_agent.hpp` to `agent()`. Destroy it
/// before the connection; that ends the session.
class contributor_session {
public:
  /// Two sessions of one contributor, be it in two processes, are one to the nodes: what the one
  /// leaves, the other loses.
  contributor_session(const connection& node, core::contributor_id contributor);
  ~contributor_session();

  contributor_session(const contributor_session&) = delete;
  contributor_session& operator=(const contributor_session&) = delete;

  /// The steps that are there for the contributor, the most urgent first; up to 1,000.
  core::outcome<msg::step_offers> offers(std::uint32_t limit = 20);

  /// A unit of the step, or nothing when none came within `wait`. Errors as of `ask_assignment`,
  /// but for `no_unit_available`; `unavailable` when no node was reached until the end of the wait.
  core::outcome<std::optional<msg::assignment>> next(const core::step_id& step,
                                                     core::duration wait);

  /// Hands in the judgment of a unit that `next` gave, as JSON. Errors as of `submit_judgment`.
  /// After `payload_invalid` it is still held; after `unavailable` submit the same again.
  core::outcome<msg::judgment_accepted> submit(const core::unit_id& unit, std::string payload);

  /// Gives the unit back, so that others get it at once.
  core::outcome<msg::assignment_released> release(const core::unit_id& unit);
  /// The same for ever: it is never offered to this contributor again.
  core::outcome<msg::assignment_released> decline(const core::unit_id& unit);

  /// More time; the answer says until when. `not_extendable` when there is no more.
  core::outcome<msg::assignment_extended> extend(const core::unit_id& unit);

  /// How long the lease on a unit still is theirs, of which `next` or `extend` has said when it
  /// ends. Counted by the clock of the nodes, whatever the wall clock here says. Zero when it is
  /// over.
  core::duration time_left(core::instant expires_at) const;

  /// Whether they were right, where the step tells; also of units of earlier sessions.
  core::outcome<msg::judgment_feedback> feedback(const core::step_id& step,
                                                 const core::unit_id& unit);

  /// Goes home: all that is held is given back. `next` begins again.
  core::outcome<msg::session_ended> leave();

  /// For actors: takes the messages of `contributor_agent.hpp`.
  const contributor_agent_actor& agent() const { return agent_; }

private:
  template <class Answer, class Question>
  core::outcome<Answer> ask(core::duration timeout, const Question& question);

  caf::actor_system& system_;
  const std::shared_ptr<const node_clock> clock_;
  const core::duration timeout_;
  contributor_agent_actor agent_;
  std::atomic<bool> at_work_{false};
};

} // namespace holdfast::client
