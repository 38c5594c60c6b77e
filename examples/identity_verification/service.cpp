#include "examples/identity_verification/service.hpp"

#include "core/invariant.hpp"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <utility>

namespace identity {

namespace {

using namespace std::chrono_literals;

/// What a number is drawn for: one draw says nothing about another.
enum class draw : std::uint64_t {
  finding = 1,
  by_a_person,
  takes,
  calls,
  second_call,
  late,
  order
};

/// A number in [0, 1) that depends on all of its arguments. SplitMix64's finalizer: G. Steele et
/// al., "Fast splittable pseudorandom number generators", 2014.
double drawn(std::uint64_t seed, draw purpose, std::uint64_t about, std::uint64_t detail = 0) {
  auto mix = seed;
  for (const auto part : {static_cast<std::uint64_t>(purpose), about, detail}) {
    mix += part + 0x9e3779b97f4a7c15ULL;
    mix = (mix ^ (mix >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mix = (mix ^ (mix >> 27)) * 0x94d049bb133111ebULL;
    mix ^= mix >> 31;
  }
  return static_cast<double>(mix >> 11) / 9007199254740992.0; // 2^53
}

core::duration between(core::duration least, core::duration most, double where) {
  return least
         + core::duration{
             static_cast<std::int64_t>(where * static_cast<double>((most - least).count()))};
}

std::uint64_t number_of(const core::task_id& who) { return std::hash<core::uuid>{}(who.value); }

/// What a tracking id says to those who gave it out. To all others it is just a text.
struct job_ticket {
  check what;
  core::instant asked;
  core::task_id who;
};

std::string text_of(const job_ticket& ticket) {
  return std::string{to_string(ticket.what)} + '.' + std::to_string(core::to_micros(ticket.asked))
         + '.' + core::to_string(ticket.who);
}

job_ticket ticket_of(const std::string& tracking) {
  const auto first = tracking.find('.');
  const auto second = tracking.find('.', first + 1);
  const auto what = check_named(tracking.substr(0, first));
  const auto who = core::parse_uuid(tracking.substr(second + 1));
  HOLDFAST_INVARIANT(what && who, "only what this service gave out is brought back");
  return {*what, core::from_micros(std::atoll(tracking.c_str() + first + 1)), {*who}};
}

} // namespace

simulated_service::simulated_service(std::uint64_t seed, double speed)
    : seed_(seed), speed_(speed) {}

reply simulated_service::ask(check what, const core::task_id& who, core::instant now) const {
  if (out_of_order(now))
    return outage{};
  return accepted{text_of({what, now, who})};
}

reply simulated_service::look(const std::string& tracking, core::instant now) const {
  if (out_of_order(now))
    return outage{};
  const auto ticket = ticket_of(tracking);
  if (now < ready_at(ticket.what, ticket.who, ticket.asked))
    return pending{};
  return finding(ticket.what, ticket.who);
}

std::vector<core::instant> simulated_service::callbacks(const std::string& tracking) const {
  constexpr double lost = 0.2;
  constexpr double twice = 0.2;
  constexpr double late = 0.15;
  const auto ticket = ticket_of(tracking);
  const auto who = number_of(ticket.who);
  const auto job = static_cast<std::uint64_t>(core::to_micros(ticket.asked));
  if (drawn(seed_, draw::calls, who, job) < lost)
    return {};
  const auto hours_late = drawn(seed_, draw::late, who, job) < late;
  const auto first = ready_at(ticket.what, ticket.who, ticket.asked)
                     + scaled(hours_late ? core::duration{3h} : core::duration{2s});
  const auto second = drawn(seed_, draw::second_call, who, job);
  if (second >= twice)
    return {first};
  return {first, first + scaled(between(0s, 1h, second / twice))};
}

verdict simulated_service::finding(const std::string& tracking) const {
  const auto ticket = ticket_of(tracking);
  return finding(ticket.what, ticket.who);
}

verdict simulated_service::finding(check what, const core::task_id& who) const {
  constexpr double fails = 0.1;
  constexpr double fails_for_a_person = 0.3;
  constexpr double unclear = 0.2;
  const auto where = drawn(seed_, draw::finding, number_of(who), static_cast<std::uint64_t>(what));
  if (what == check::manual_review)
    return where < fails_for_a_person ? verdict::failed : verdict::passed;
  if (where < fails)
    return verdict::failed;
  return where < fails + unclear ? verdict::unclear : verdict::passed;
}

state simulated_service::truth(const core::task_id& who) const {
  for (const auto machine : {check::documents, check::face_match}) {
    const auto says = finding(machine, who);
    if (says == verdict::failed)
      return state::rejected;
    if (says == verdict::unclear)
      return finding(check::manual_review, who) == verdict::passed ? state::verified
                                                                   : state::rejected;
  }
  return state::verified;
}

core::instant simulated_service::ready_at(check what, const core::task_id& who,
                                          core::instant asked) const {
  constexpr double documents_for_a_person = 0.5;
  const auto about = number_of(who);
  const auto detail = static_cast<std::uint64_t>(what);
  const bool by_a_person = what == check::manual_review
                           || (what == check::documents
                               && drawn(seed_, draw::by_a_person, about) < documents_for_a_person);
  const auto where = drawn(seed_, draw::takes, about, detail);
  return asked + scaled(by_a_person ? between(1h, 24h, where) : between(1min, 10min, where));
}

/// For the first third of some hours.
bool simulated_service::out_of_order(core::instant now) const {
  constexpr double bad_hours = 0.15;
  const auto hour = scaled(1h);
  const auto since_epoch = now.time_since_epoch();
  const auto which = static_cast<std::uint64_t>(since_epoch / hour);
  return since_epoch % hour < hour / 3 && drawn(seed_, draw::order, which) < bad_hours;
}

core::duration simulated_service::scaled(core::duration span) const {
  return core::duration{static_cast<std::int64_t>(static_cast<double>(span.count()) / speed_)};
}

} // namespace identity
