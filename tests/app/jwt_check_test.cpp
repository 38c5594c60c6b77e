// The check of JSON Web Tokens in a node: results are remembered for seconds, keys are asked for.

#include "app/jwt_check.hpp"

#include "tests/connectors/jwt_maker.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

struct jwt_fixture {
  const signing_key own = signing_key::ed25519("own");
  const signing_key newer = signing_key::p256("newer");
  std::shared_ptr<const connectors::jwk_set> keys = set_of({own});
  std::optional<core::instant> now = core::from_micros(1'800'000'000'000'000);
  std::chrono::steady_clock::time_point steady{1h};
  bool keys_are_coming = false;
  unsigned asked = 0;
  app::jwt_check check{settings()};

  static std::shared_ptr<const connectors::jwk_set> set_of(const std::vector<signing_key>& all) {
    return std::make_shared<const connectors::jwk_set>(
        *connectors::jwk_set::parse(key_set_of(all)));
  }
  app::jwt_check_settings settings() {
    app::jwt_check_settings made;
    made.rules = {"https://id.example.org", "holdfast", 0s};
    made.names = {"role", "sub", "", ""};
    made.keys = [this] { return keys; };
    made.ask_for_newer_keys = [this] {
      ++asked;
      return keys_are_coming;
    };
    made.hash = [](std::string_view text) { return std::string{text}; };
    made.now = [this] { return now; };
    made.steady_now = [this] { return steady; };
    return made;
  }
  static nlohmann::json claims(const std::string& issuer = "https://id.example.org") {
    return {{"iss", issuer},
            {"aud", "holdfast"},
            {"sub", "ana"},
            {"role", "contributor"},
            {"exp", 1'800'000'060}};
  }
};

BOOST_FIXTURE_TEST_SUITE(checks_of_jwts, jwt_fixture)

BOOST_AUTO_TEST_CASE(a_good_token_is_remembered_for_some_seconds) {
  const auto token = token_of(claims(), own);
  BOOST_TEST((check.known(token) == nullptr));
  const auto found = check.check(token);
  BOOST_REQUIRE_MESSAGE(found.who != nullptr, found.why);
  BOOST_TEST((check.known(token) == found.who));
  BOOST_TEST((check.known(token + "A") == nullptr));
  steady += app::jwt_fresh_for;
  BOOST_TEST((check.known(token) == nullptr));
}

BOOST_AUTO_TEST_CASE(a_remembered_token_expires_in_time) {
  const auto token = token_of(claims(), own);
  BOOST_TEST((check.check(token).who != nullptr));
  *now += 59s;
  BOOST_TEST((check.known(token) != nullptr));
  *now += 1s;
  BOOST_TEST((check.known(token) == nullptr));
  const auto expired = check.check(token);
  BOOST_TEST(expired.why == "the token has expired");
  BOOST_TEST(!expired.is_guess);
}

BOOST_AUTO_TEST_CASE(a_key_that_the_issuer_gave_up_counts_no_more) {
  const auto token = token_of(claims(), own);
  BOOST_TEST((check.check(token).who != nullptr));
  keys = set_of({newer});
  steady += app::jwt_fresh_for;
  BOOST_TEST((check.known(token) == nullptr));
  BOOST_TEST((check.check(token).who == nullptr));
}

BOOST_AUTO_TEST_CASE(a_forged_token_is_a_guess_and_is_counted_once) {
  const auto forged = token_of(claims(), signing_key::ed25519("own"));
  const auto first = check.check(forged);
  BOOST_TEST((first.who == nullptr));
  BOOST_TEST(first.is_guess);
  BOOST_TEST(!check.check(forged).is_guess);
  steady += app::jwt_fresh_for;
  BOOST_TEST(check.check(forged).is_guess);
}

BOOST_AUTO_TEST_CASE(a_token_of_the_issuer_for_others_is_refused_and_is_no_guess) {
  const auto found = check.check(token_of(claims("https://other.example.org"), own));
  BOOST_TEST((found.who == nullptr));
  BOOST_TEST(found.why == "the token is of another issuer");
  BOOST_TEST(!found.is_guess);
}

BOOST_AUTO_TEST_CASE(text_that_is_no_token_is_a_guess) {
  for (const auto* text : {"..", "a.b.c", "hf.x.y"}) {
    const auto found = check.check(text);
    BOOST_TEST((found.who == nullptr));
    BOOST_TEST(found.is_guess);
  }
  BOOST_TEST(asked == 0U);
}

BOOST_AUTO_TEST_CASE(a_new_key_is_waited_for_while_it_is_on_its_way) {
  const auto token = token_of(claims(), newer);
  keys_are_coming = true;
  BOOST_TEST(check.check(token).is_unavailable);
  keys_are_coming = false;
  const auto refused = check.check(token);
  BOOST_TEST(!refused.is_unavailable);
  BOOST_TEST(refused.is_guess);
  BOOST_TEST(asked == 2U);
  keys = set_of({own, newer});
  BOOST_TEST((check.check(token).who != nullptr));
}

BOOST_AUTO_TEST_CASE(without_keys_or_time_of_the_cluster_no_token_is_good) {
  const auto token = token_of(claims(), own);
  BOOST_TEST((check.check(token).who != nullptr));
  now.reset();
  BOOST_TEST((check.known(token) == nullptr));
  BOOST_TEST(check.check(token).is_unavailable);
  now = core::from_micros(1'800'000'000'000'000);
  keys = nullptr;
  BOOST_TEST(check.check(token).is_unavailable);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
