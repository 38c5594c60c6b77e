#pragma once

#include "core/uuid.hpp"
#include "messages/errors.hpp"
#include "messages/interfaces.hpp"
#include "tests/sim/field.hpp"

#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// How clients of any kind ask, lose answers, and ask again with the same ids.
namespace holdfast::sim {

/// INTERNAL, self-sent: time to do something.
using tick_atom = caf::atom_constant<caf::atom("simtick")>;

using self_ptr = caf::event_based_actor*;

/// Outstanding requests that a client remembers for repetition.
inline constexpr std::size_t unknown_max = 6;

/// What every client is beyond one life of its actor.
template <class Repeatable>
struct asker {
  asker(field& shared, std::string who, std::uint64_t seed)
      : world(shared), name(std::move(who)), random(seed), ids(seed) {}

  field& world;
  std::string name;
  dice random;
  core::uuid_source ids;
  std::vector<Repeatable> unknown; ///< Asked, but the outcome is not known.
  std::uint32_t under_way = 0;
  std::uint32_t answers = 0;
  std::uint64_t era = 0; ///< Up to which it has asked again for what the database has forgotten.

  /// How long to wait before the next request, `soon` else: while no answer is believed, not so
  /// many that the run is over before the nodes are past the loss.
  core::duration paced(core::duration soon) const {
    return world.era % 2 == 0 ? soon : std::max<core::duration>(soon, std::chrono::seconds{1});
  }
  /// Whether the database has lost commits since the last call, and the nodes are past that.
  bool must_look_anew() {
    if (world.era % 2 != 0 || era == world.era)
      return false;
    era = world.era;
    return true;
  }
  template <class Id>
  Id fresh() {
    return {ids.next(world.now())};
  }
  void remember(Repeatable request) {
    if (unknown.size() < unknown_max)
      unknown.push_back(std::move(request));
  }
  /// For what a client has to say of a refusal beside `learn_refusal`: it knows when the request
  /// was sent.
  template <class Request>
  void refused(const Request&, const core::failure&, core::instant) {}
};

template <class Id>
std::string brief(const Id& id) {
  return to_string(id).substr(24);
}

/// Whether the very same request is to be sent again because its outcome is not known.
inline bool outcome_unknown(core::errc why) {
  return why == core::errc::unavailable || why == core::errc::overloaded
         || why == core::errc::refused_by_store || why == core::errc::fenced;
}

/// Sends `request` to some node. The auditor gets every answer; the client itself may lose it. What
/// it makes of one is said by `learn`, `learn_refusal` and `show`, found beside `Client`.
template <class Client, class Request>
void send(self_ptr self, const std::shared_ptr<Client>& p, const Request& request) {
  using answer_type = msg::answer_to<Request>;
  const auto gateway = p->world.gateway(p->random.next());
  if (!gateway)
    return p->remember(request);
  // Short deadlines make answers come too late: for the client, that is a lost reply.
  const auto deadline = p->random.below(8) == 0
                            ? p->random.span(std::chrono::milliseconds{1}, std::chrono::seconds{2})
                            : core::duration{std::chrono::seconds{60}};
  ++p->under_way;
  const auto sent = p->world.now();
  const auto era = p->world.era;
  self->request(caf::actor_cast<caf::actor>(gateway), deadline, request)
      .then(
          [=](const answer_type& answer) {
            --p->under_way;
            auto& world = p->world;
            if (!world.believes(era)) {
              world.log.note([&] { return p->name + " <- an answer from before a loss"; });
              return p->remember(request);
            }
            p->audit().acknowledged(request, answer);
            world.log.mix(p->answers);
            const bool lost = !world.calm && p->random.hit(world.drawn.lose_reply);
            world.log.note(
                [&] { return p->name + " <- " + show(*p, answer) + (lost ? " (lost)" : ""); });
            if (lost) {
              world.seen.count(event_kind::reply_lost);
              p->remember(request);
            } else {
              learn(*p, request, answer);
            }
          },
          [=](const caf::error& error) {
            --p->under_way;
            const auto why = msg::failure_of(error);
            p->world.log.mix(static_cast<std::uint64_t>(why.code));
            p->world.log.note([&] {
              return p->name + " <- " + std::string{to_string(why.code)} + ' ' + why.detail;
            });
            if (!p->world.believes(era))
              return p->remember(request);
            p->refused(request, why, sent);
            if (outcome_unknown(why.code))
              p->remember(request);
            else
              learn_refusal(*p, request, why.code);
          });
  p->world.log.note([&] { return p->name + " -> " + show(*p, request); });
}

/// Repeats one of the requests whose outcome is not known; false if there is none.
template <class Client>
bool repeat_unknown(self_ptr self, const std::shared_ptr<Client>& p) {
  if (p->unknown.empty())
    return false;
  const auto at = p->random.below(p->unknown.size());
  const auto request = std::move(p->unknown[at]);
  p->unknown.erase(p->unknown.begin() + static_cast<std::ptrdiff_t>(at));
  std::visit([&](const auto& r) { send(self, p, r); }, request);
  return true;
}

} // namespace holdfast::sim
