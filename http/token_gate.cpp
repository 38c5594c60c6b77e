#include "http/token_gate.hpp"

#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"

#include <utility>

namespace holdfast::http {

namespace {

constexpr std::string_view not_good = "the token is not good";
constexpr std::string_view link_not_good = "the sign-in link is not good";

identity refused_with(response with) { return {nullptr, std::move(with)}; }

identity unauthenticated(std::string why) {
  return refused_with(problem_of(refusal::unauthenticated, std::move(why)));
}

identity slowed_address() {
  return refused_with(problem_of(refusal::too_many_guesses,
                                 "too many tokens that are not good came from this address"));
}

std::string reason_of_verdict(core::token_verdict verdict) {
  switch (verdict) {
  case core::token_verdict::expired:
    return "the token has expired";
  case core::token_verdict::revoked:
    return "the token was revoked";
  default:
    return std::string{not_good};
  }
}

std::shared_ptr<const core::principal> holder_of(core::api_token_id id,
                                                 const msg::token_identity& answer) {
  const auto role = core::role_named(answer.role);
  if (!role) // of a newer program
    return nullptr;
  core::api_token token;
  token.id = id;
  token.as = *role;
  token.name = answer.name;
  token.scope = {answer.queues, answer.workflows};
  return std::make_shared<const core::principal>(token.holder());
}

} // namespace

token_gate::token_gate(token_gate_settings settings, gateway_client gateway)
    : settings_(std::move(settings)), gateway_(std::move(gateway)) {}

void token_gate::identify(const shown_token& shown, identified then) {
  if (shown.is_link) {
    const auto link = core::parse_sign_in_link(shown.text);
    if (!link)
      return refuse(shown.address, std::string{link_not_good}, then);
    return identify_api_token(link->id, settings_.hash(core::hashed_text_of_link(link->secret)),
                              shown.address, std::move(then));
  }
  if (shown.text.empty())
    return then(unauthenticated("send a token in the header Authorization: Bearer"));
  if (auto who = settings_.known(shown.text))
    return then({std::move(who)});
  if (const auto parts = core::parse_api_token(shown.text))
    return identify_api_token(parts->id, settings_.hash(parts->secret), shown.address,
                              std::move(then));
  if (settings_.is_other_kind && settings_.is_other_kind(shown.text))
    return identify_other_kind(shown, then);
  refuse(shown.address, std::string{not_good}, then);
}

void token_gate::identify_other_kind(const shown_token& shown, const identified& then) {
  const bool may_check = [&] {
    const std::lock_guard lock{mutex_};
    return may_read_for(shown.address);
  }();
  if (!may_check)
    return then(slowed_address());
  auto answer = settings_.check_other_kind(shown.text);
  if (answer.who)
    return then({std::move(answer.who)});
  if (answer.is_unavailable)
    return then(
        refused_with(problem_of(core::failure{core::errc::unavailable, std::move(answer.why)})));
  if (!answer.is_guess)
    return then(unauthenticated(std::move(answer.why)));
  refuse(shown.address, std::move(answer.why), then);
}

void token_gate::refuse(const std::string& address, std::string why, const identified& then) {
  if (count_guess(address))
    return then(unauthenticated(std::move(why)));
  then(slowed_address());
}

void token_gate::identify_api_token(core::api_token_id id, const std::string& hash,
                                    const std::string& address, identified then) {
  const auto key = core::to_string(core::api_token_text{id, hash});
  const auto good = good_.find(key);
  const bool was_good = good && good->who;
  if (was_good && is_fresh(good->read_at)) {
    const auto now = settings_.now();
    if (good->expires_at == core::instant{} || (now && *now < good->expires_at)) {
      note_use(key, id, *good);
      return then({good->who, {}, good->expires_at});
    }
  }
  if (const auto bad = bad_.find(key); bad && is_fresh(bad->read_at))
    return then(unauthenticated(bad->why)); // was counted, and is no new guess
  enum class outcome { reads, waits, slowed, full };
  const auto is = [&] {
    const std::lock_guard lock{mutex_};
    if (const auto same = reads_.find(key); same != reads_.end()) {
      same->second.push_back(then);
      return outcome::waits;
    }
    if (reads_.size() >= token_reads_max)
      return outcome::full;
    if (!was_good && !may_read_for(address))
      return outcome::slowed;
    reads_[key].push_back(then);
    return outcome::reads;
  }();
  switch (is) {
  case outcome::waits:
    return;
  case outcome::full:
    return then(refused_with(problem_of(
        core::failure{core::errc::overloaded, "too many tokens are being looked up already"})));
  case outcome::slowed:
    return then(slowed_address());
  case outcome::reads:
    break;
  }
  gateway_.ask<msg::token_identity>(
      msg::check_token{id, hash},
      [this, key, id, address](const msg::token_identity& answer) {
        take_answer(key, id, address, answer);
      },
      [this, key](const core::failure& why) { answer_all(key, refused_with(problem_of(why))); });
}

void token_gate::take_answer(const std::string& key, core::api_token_id id,
                             const std::string& address, const msg::token_identity& answer) {
  const auto verdict = static_cast<core::token_verdict>(answer.verdict);
  const auto read_at = settings_.steady_now();
  if (verdict == core::token_verdict::good) {
    const auto who = holder_of(id, answer);
    if (!who)
      return answer_all(
          key, refused_with(problem_of(core::failure{
                   core::errc::unavailable, "the token has a role that this node does not know"})));
    good_token token{who, answer.expires_at, read_at, {}};
    if (const auto before = good_.find(key))
      token.use_noted_at = before->use_noted_at;
    good_.remember(key, token);
    note_use(key, id, token);
    return answer_all(key, {who, {}, answer.expires_at});
  }
  const auto why = reason_of_verdict(verdict);
  bad_.remember(key, {why, read_at});
  good_.remember(key, {}); // no more
  count_guess(address);
  answer_all(key, unauthenticated(why));
}

void token_gate::answer_all(const std::string& key, const identity& with) {
  std::vector<identified> waiting;
  {
    const std::lock_guard lock{mutex_};
    const auto found = reads_.find(key);
    if (found == reads_.end())
      return;
    waiting = std::move(found->second);
    reads_.erase(found);
  }
  for (const auto& then : waiting)
    then(with);
}

bool token_gate::is_fresh(time_point read_at) const {
  return read_at != time_point{} && settings_.steady_now() - read_at < token_fresh_for;
}

bool token_gate::may_read_for(const std::string& address) {
  const auto now = settings_.steady_now();
  auto known = guesses_.find(address);
  if (!known || known->count < token_guesses_max || now - known->since >= token_guess_window)
    return true;
  if (now - known->last_read < token_guess_pause)
    return false;
  known->last_read = now;
  guesses_.remember(address, *known);
  return true;
}

bool token_gate::count_guess(const std::string& address) {
  const auto now = settings_.steady_now();
  bool begins = false;
  bool was_slowed = false;
  {
    const std::lock_guard lock{mutex_};
    auto known = guesses_.find(address).value_or(guesses{now, 0, {}});
    if (now - known.since >= token_guess_window)
      known = {now, 0, {}};
    was_slowed = known.count >= token_guesses_max;
    if (!was_slowed)
      ++known.count;
    begins = !was_slowed && known.count >= token_guesses_max;
    guesses_.remember(address, known);
  }
  if (begins)
    settings_.on_slowed(address);
  return !was_slowed;
}

void token_gate::note_use(const std::string& key, core::api_token_id id, good_token token) {
  const auto now = settings_.steady_now();
  if (token.use_noted_at != time_point{} && now - token.use_noted_at < token_use_noted_every)
    return;
  token.use_noted_at = now;
  good_.remember(key, token);
  // Noted for people: a use that is not noted, while the node is busy, is noted a minute later.
  gateway_.ask<msg::token_use_noted>(
      msg::note_token_use{id}, [](const msg::token_use_noted&) {}, [](const core::failure&) {});
}

} // namespace holdfast::http
