#include "app/jwt_check.hpp"

namespace holdfast::app {

namespace {

http::other_token_answer unavailable(std::string why) {
  return {nullptr, std::move(why), false, true};
}

} // namespace

std::shared_ptr<const core::principal> jwt_check::known(std::string_view token) {
  if (!connectors::has_form_of_jwt(token) || token.size() > connectors::jwt_bytes_max)
    return nullptr;
  const auto found = good_.find(settings_.hash(token));
  if (!found || settings_.steady_now() - found->checked_at >= jwt_fresh_for)
    return nullptr;
  const auto now = settings_.now();
  return now && *now < found->good_until ? found->who : nullptr;
}

http::other_token_answer jwt_check::check(std::string_view token) {
  const auto taken_apart = connectors::parse_jwt(token);
  if (!taken_apart)
    return {nullptr, taken_apart.error().detail, true, false};
  const auto hash = settings_.hash(token);
  if (const auto bad = bad_.find(hash);
      bad && settings_.steady_now() - bad->checked_at < jwt_fresh_for)
    return {nullptr, bad->why, false, false}; // was counted, and is no new guess
  const auto now = settings_.now();
  const auto keys = settings_.keys();
  if (!now || !keys)
    return unavailable(now ? "the node has no keys of the issuer yet"
                           : "the node does not know the time of the cluster yet");
  switch (keys->check(*taken_apart)) {
  case connectors::signature_verdict::key_unknown:
    // Not remembered: the next answer may be another one. It costs no arithmetic.
    if (settings_.ask_for_newer_keys())
      return unavailable("the keys of the issuer are being read");
    return {nullptr, "the token is signed by a key that is not known", true, false};
  case connectors::signature_verdict::wrong:
    return refuse(hash, "the token is not good", true);
  case connectors::signature_verdict::good:
    break;
  }
  // From here on the issuer has signed it: nobody guesses, however old the token is.
  const auto claims = connectors::parse_claims(taken_apart->payload, settings_.names);
  if (!claims)
    return refuse(hash, claims.error().detail, false);
  auto decided = core::decide_claims(*claims, settings_.rules, *now);
  if (!decided.who)
    return refuse(hash, std::move(decided.why), false);
  const auto who = std::make_shared<const core::principal>(std::move(*decided.who));
  good_.remember(hash, {who, decided.good_until, settings_.steady_now()});
  return {who, {}, false, false};
}

http::other_token_answer jwt_check::refuse(const std::string& hash, std::string why,
                                           bool is_guess) {
  bad_.remember(hash, {why, settings_.steady_now()});
  return {nullptr, std::move(why), is_guess, false};
}

} // namespace holdfast::app
