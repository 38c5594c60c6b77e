// The gate for tokens: identities are remembered for seconds, and guesses are slowed by address.

#include "http/token_gate.hpp"

#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"
#include "http/door.hpp"
#include "tests/http/fake_gateway.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

/// A gate in front of the fake gateway, with clocks of its own.
struct gate_fixture : door_fixture {
  std::chrono::steady_clock::time_point steady{1h};
  core::instant cluster_now = core::from_micros(1'800'000'000'000'000);
  std::vector<std::string> slowed;
  unsigned checks = 0; ///< Of tokens of another kind.
  std::vector<http::identity> found;
  http::token_gate gate{gate_settings(), client};

  http::token_gate_settings gate_settings() {
    http::token_gate_settings made;
    made.known = [](std::string_view token) -> std::shared_ptr<const core::principal> {
      if (token != "hf_admin_secret")
        return nullptr;
      auto admin = std::make_shared<core::principal>();
      admin->grants.push_back({core::role::admin, {}});
      return admin;
    };
    made.is_other_kind = [](std::string_view token) {
      return token.find('.') != std::string_view::npos;
    };
    made.check_other_kind = [this](std::string_view token) {
      ++checks;
      http::other_token_answer answer;
      if (token == "good.jwt.token") {
        auto who = std::make_shared<core::principal>();
        who->grants.push_back({core::role::auditor, {}});
        answer.who = who;
      }
      answer.why = "the signature is wrong";
      answer.is_guess = token != "old.jwt.token";
      answer.is_unavailable = token == "early.jwt.token";
      return answer;
    };
    made.hash = [](std::string_view secret) { return std::string{secret}; };
    made.now = [this] { return cluster_now; };
    made.steady_now = [this] { return steady; };
    made.on_slowed = [this](const std::string& address) { slowed.push_back(address); };
    return made;
  }

  static core::api_token_id id_of(std::uint8_t number) {
    core::api_token_id id;
    id.value.bytes.fill(number);
    return id;
  }
  static std::string token_text(std::uint8_t number, char secret = 'a') {
    return core::to_string(core::api_token_text{id_of(number), std::string(64, secret)});
  }
  static msg::token_identity good_worker() { return {1, "worker", "w1", {"mail"}, {}, {}}; }

  /// Shows a token; the answer may come later.
  void show(const std::string& token, const std::string& address = "10.0.0.1") {
    client.reach(gateway.handle());
    gate.identify({token, address},
                  [this](http::identity who) { found.push_back(std::move(who)); });
    settle();
  }
  /// The identity behind a token.
  http::identity identity_of(const std::string& token, const std::string& address = "10.0.0.1") {
    found.clear();
    show(token, address);
    BOOST_REQUIRE_EQUAL(found.size(), 1U);
    return found.front();
  }
  unsigned status_of(const std::string& token, const std::string& address = "10.0.0.1") {
    const auto one = identity_of(token, address);
    return one.who ? 200U : one.refused.status;
  }
  std::size_t reads() { return gateway.seen<msg::check_token>().size(); }
  /// Shows so many different tokens that are not good.
  void guess(unsigned times, const std::string& address) {
    for (unsigned i = 0; i < times; ++i)
      status_of("nonsense", address);
  }
};

BOOST_FIXTURE_TEST_SUITE(token_gate, gate_fixture)

BOOST_AUTO_TEST_CASE(a_link_is_asked_for_by_another_hash_than_a_token_of_its_secret) {
  gateway.answers<msg::check_token>(good_worker());
  gateway.answers<msg::note_token_use>({});
  const auto text = core::text_of_link({id_of(1), std::string(64, 'a')});
  http::shown_token shown{text, "10.0.0.1"};
  shown.is_link = true;
  client.reach(gateway.handle());
  gate.identify(shown, [this](http::identity who) { found.push_back(std::move(who)); });
  settle();
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  BOOST_TEST((found.front().who != nullptr));
  BOOST_TEST(gateway.only<msg::check_token>().secret_hash
             == core::hashed_text_of_link(std::string(64, 'a')));
  BOOST_TEST(status_of(text) == 401U); // in the place of a token
}

BOOST_AUTO_TEST_CASE(the_end_of_a_token_is_told_with_its_identity) {
  auto until_noon = good_worker();
  until_noon.expires_at = cluster_now + 1h;
  gateway.answers<msg::check_token>(until_noon);
  gateway.answers<msg::note_token_use>({});
  BOOST_TEST((identity_of(token_text(1)).expires_at == until_noon.expires_at));
  BOOST_TEST((identity_of(token_text(1)).expires_at == until_noon.expires_at)); // remembered
}

BOOST_AUTO_TEST_CASE(a_good_token_has_the_role_the_name_and_the_scopes_of_its_row) {
  gateway.answers<msg::check_token>(good_worker());
  gateway.answers<msg::note_token_use>({});
  const auto one = identity_of(token_text(1));
  BOOST_REQUIRE(one.who != nullptr);
  BOOST_TEST((one.who->grants == std::vector<core::grant>{{core::role::worker, "w1"}}));
  BOOST_TEST((one.who->scope == core::access_scope{{"mail"}, {}}));
  BOOST_TEST((gateway.only<msg::check_token>().token == id_of(1)));
  BOOST_TEST(gateway.only<msg::check_token>().secret_hash == std::string(64, 'a'));
}

BOOST_AUTO_TEST_CASE(a_token_is_read_anew_after_a_few_seconds) {
  gateway.answers<msg::check_token>(good_worker());
  gateway.answers<msg::note_token_use>({});
  BOOST_TEST(status_of(token_text(1)) == 200U);
  steady += http::token_fresh_for - 1ms;
  BOOST_TEST(status_of(token_text(1)) == 200U);
  BOOST_TEST(reads() == 1U);
  steady += 1ms;
  gateway.answers<msg::check_token>({4, {}, {}, {}, {}, {}});
  const auto revoked = identity_of(token_text(1));
  BOOST_TEST(reads() == 2U);
  BOOST_TEST(!revoked.who);
  BOOST_TEST(revoked.refused.status == 401U);
  BOOST_TEST(revoked.refused.body.find("the token was revoked") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_remembered_token_expires_in_time) {
  auto worker = good_worker();
  worker.expires_at = cluster_now + 1s;
  gateway.answers<msg::check_token>(worker);
  gateway.answers<msg::note_token_use>({});
  BOOST_TEST(status_of(token_text(1)) == 200U);
  cluster_now += 1s;
  gateway.answers<msg::check_token>({3, {}, {}, {}, {}, {}});
  BOOST_TEST(status_of(token_text(1)) == 401U);
}

BOOST_AUTO_TEST_CASE(a_token_is_never_good_while_the_database_is_away) {
  gateway.answers<msg::check_token>(good_worker());
  gateway.answers<msg::note_token_use>({});
  BOOST_TEST(status_of(token_text(1)) == 200U);
  steady += http::token_fresh_for;
  gateway.fails<msg::check_token>(core::errc::unavailable, "no database");
  BOOST_TEST(status_of(token_text(1)) == 503U);
}

BOOST_AUTO_TEST_CASE(requests_that_show_one_token_share_a_read) {
  gateway.holds<msg::check_token>();
  gateway.answers<msg::note_token_use>({});
  for (int i = 0; i < 3; ++i)
    show(token_text(1));
  BOOST_TEST(found.empty());
  BOOST_TEST(reads() == 1U);
  gateway.answer_held<msg::check_token>(good_worker());
  settle();
  BOOST_REQUIRE_EQUAL(found.size(), 3U);
  for (const auto& one : found)
    BOOST_TEST((one.who != nullptr));
}

BOOST_AUTO_TEST_CASE(reads_of_unknown_tokens_are_bounded) {
  gateway.holds<msg::check_token>();
  for (std::size_t i = 0; i < http::token_reads_max; ++i)
    show(token_text(static_cast<std::uint8_t>(i + 1)), "10.0.0." + std::to_string(i));
  BOOST_TEST(found.empty());
  BOOST_TEST(status_of(token_text(200)) == 503U);
  BOOST_TEST(reads() == http::token_reads_max);
}

BOOST_AUTO_TEST_CASE(the_use_of_a_token_is_noted_once_a_minute) {
  gateway.answers<msg::check_token>(good_worker());
  gateway.answers<msg::note_token_use>({});
  for (int second = 0; second < 60; second += 4) {
    BOOST_TEST(status_of(token_text(1)) == 200U);
    steady += 4s;
  }
  BOOST_TEST(gateway.seen<msg::note_token_use>().size() == 1U);
  BOOST_TEST(status_of(token_text(1)) == 200U);
  BOOST_TEST(gateway.seen<msg::note_token_use>().size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_request_without_a_token_is_no_guess) {
  for (unsigned i = 0; i < 2 * http::token_guesses_max; ++i)
    BOOST_TEST(status_of("") == 401U);
  BOOST_TEST(slowed.empty());
}

BOOST_AUTO_TEST_CASE(guesses_from_one_address_are_slowed_and_counted_by_address) {
  guess(http::token_guesses_max, "10.0.0.1");
  BOOST_TEST((slowed == std::vector<std::string>{"10.0.0.1"}));
  const auto refused = identity_of("nonsense").refused;
  BOOST_TEST(refused.status == 429U);
  bool says_when = false;
  for (const auto& header : refused.headers)
    says_when = says_when || header.name == "Retry-After";
  BOOST_TEST(says_when);
  BOOST_TEST(status_of("nonsense", "10.0.0.2") == 401U);
  steady += http::token_guess_window;
  BOOST_TEST(status_of("nonsense") == 401U);
}

BOOST_AUTO_TEST_CASE(a_slowed_address_reads_one_unknown_token_a_second) {
  gateway.answers<msg::check_token>({2, {}, {}, {}, {}, {}});
  guess(http::token_guesses_max, "10.0.0.1");
  BOOST_TEST(status_of(token_text(1)) == 401U);
  BOOST_TEST(status_of(token_text(2)) == 429U);
  BOOST_TEST(reads() == 1U);
  steady += http::token_guess_pause;
  BOOST_TEST(status_of(token_text(2)) == 401U);
  BOOST_TEST(reads() == 2U);
}

BOOST_AUTO_TEST_CASE(a_good_token_passes_from_a_slowed_address) {
  gateway.answers<msg::check_token>(good_worker());
  gateway.answers<msg::note_token_use>({});
  guess(2 * http::token_guesses_max, "10.0.0.1");
  BOOST_TEST(status_of(token_text(1)) == 200U); // that was not known
  for (int i = 0; i < 5; ++i) {                 // and is, also when it is read anew
    steady += http::token_fresh_for / 2;
    BOOST_TEST(status_of(token_text(1)) == 200U);
  }
  BOOST_TEST(status_of("hf_admin_secret") == 200U);
}

BOOST_AUTO_TEST_CASE(a_bad_token_that_is_repeated_is_neither_read_nor_counted_again) {
  gateway.answers<msg::check_token>({3, {}, {}, {}, {}, {}});
  for (unsigned i = 0; i < 2 * http::token_guesses_max; ++i)
    BOOST_TEST(status_of(token_text(1)) == 401U);
  BOOST_TEST(reads() == 1U);
  BOOST_TEST(slowed.empty());
}

BOOST_AUTO_TEST_CASE(tokens_of_another_kind_are_asked_of_their_function) {
  const auto auditor = identity_of("good.jwt.token");
  BOOST_REQUIRE(auditor.who != nullptr);
  BOOST_TEST((auditor.who->grants.front().as == core::role::auditor));
  for (unsigned i = 0; i < http::token_guesses_max; ++i)
    BOOST_TEST(status_of("bad.jwt.token") == 401U);
  BOOST_TEST(status_of("bad.jwt.token") == 429U);
  steady += http::token_guess_pause;
  BOOST_TEST(status_of("good.jwt.token") == 200U);
}

BOOST_AUTO_TEST_CASE(a_slowed_address_has_one_token_of_another_kind_checked_a_second) {
  guess(http::token_guesses_max, "10.0.0.1");
  for (int i = 0; i < 10; ++i)
    BOOST_TEST(status_of("bad.jwt.token") == 429U);
  BOOST_TEST(checks == 1U);
  BOOST_TEST(status_of("good.jwt.token", "10.0.0.2") == 200U);
}

BOOST_AUTO_TEST_CASE(an_expired_token_of_the_issuer_is_no_guess) {
  for (unsigned i = 0; i < 2 * http::token_guesses_max; ++i)
    BOOST_TEST(status_of("old.jwt.token") == 401U);
  BOOST_TEST(slowed.empty());
}

BOOST_AUTO_TEST_CASE(a_token_whose_keys_are_on_their_way_is_answered_503) {
  for (unsigned i = 0; i < 2 * http::token_guesses_max; ++i)
    BOOST_TEST(status_of("early.jwt.token") == 503U);
  BOOST_TEST(slowed.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
