#include "client/contributor_session.hpp"

#include "client/id_source.hpp"
#include "messages/errors.hpp"

#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace holdfast::client {

namespace {

/// The agent is in this process, and answers when the courier has.
constexpr core::duration agent_margin = std::chrono::seconds{2};

core::instant session_time() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

} // namespace

contributor_session::contributor_session(const connection& node, core::contributor_id contributor)
    : system_(node.system()),
      clock_(node.clock()),
      timeout_(node.request_timeout() + agent_margin),
      agent_(system_.spawn(contributor_agent,
                           contributor_agent_deps{node.gateway(), node.request_timeout(),
                                                  std::move(contributor), random_seed(),
                                                  session_time})) {}

contributor_session::~contributor_session() {
  if (at_work_)
    leave();
  caf::anon_send_exit(agent_, caf::exit_reason::user_shutdown);
}

template <class Answer, class Question>
core::outcome<Answer> contributor_session::ask(core::duration timeout, const Question& question) {
  caf::scoped_actor self{system_};
  std::optional<core::outcome<Answer>> result;
  self->request(agent_, timeout, question)
      .receive([&](Answer& answer) { result.emplace(std::move(answer)); },
               [&](const caf::error& error) { result.emplace(msg::failure_of(error)); });
  return std::move(*result);
}

core::outcome<msg::step_offers> contributor_session::offers(std::uint32_t limit) {
  return ask<msg::step_offers>(timeout_, offered_steps{limit});
}

core::outcome<std::optional<msg::assignment>> contributor_session::next(const core::step_id& step,
                                                                        core::duration wait) {
  at_work_ = true;
  auto given = ask<unit_delivery>(wait + timeout_, next_unit{step, wait});
  if (!given)
    return given.error();
  return std::move(given->unit);
}

core::outcome<msg::judgment_accepted> contributor_session::submit(const core::unit_id& unit,
                                                                  std::string payload) {
  return ask<msg::judgment_accepted>(timeout_, submit_unit{unit, std::move(payload)});
}

core::outcome<msg::assignment_released> contributor_session::release(const core::unit_id& unit) {
  return ask<msg::assignment_released>(timeout_, release_unit{unit, false});
}

core::outcome<msg::assignment_released> contributor_session::decline(const core::unit_id& unit) {
  return ask<msg::assignment_released>(timeout_, release_unit{unit, true});
}

core::outcome<msg::assignment_extended> contributor_session::extend(const core::unit_id& unit) {
  return ask<msg::assignment_extended>(timeout_, extend_unit{unit});
}

core::duration contributor_session::time_left(core::instant expires_at) const {
  const auto until = clock_->not_after(expires_at);
  const auto left =
      until ? std::chrono::duration_cast<core::duration>(*until - std::chrono::steady_clock::now())
            : expires_at - session_time();
  return std::max(core::duration::zero(), left);
}

core::outcome<msg::judgment_feedback> contributor_session::feedback(const core::step_id& step,
                                                                    const core::unit_id& unit) {
  return ask<msg::judgment_feedback>(timeout_, unit_feedback{step, unit});
}

core::outcome<msg::session_ended> contributor_session::leave() {
  auto ended = ask<msg::session_ended>(timeout_, leave_session{});
  if (ended)
    at_work_ = false;
  return ended;
}

} // namespace holdfast::client
