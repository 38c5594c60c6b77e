// API tokens at the gateway: made once, checked by hash, revoked for good.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct token_node : node_fixture {
  const std::string hash = std::string(64, 'a');

  token_node() {
    prepare();
    start();
  }

  msg::create_token wanted() {
    msg::create_token m;
    m.token = fresh<core::api_token_id>();
    m.secret_hash = hash;
    m.role = "worker";
    m.name = "resizer";
    m.queues = {"img-"};
    m.created_by = "ana";
    return m;
  }
  msg::create_token made() {
    auto m = wanted();
    BOOST_REQUIRE(call(m).value);
    return m;
  }
  msg::token_identity identity(core::api_token_id id, const std::string& of_secret) {
    const auto found = call(msg::check_token{id, of_secret});
    BOOST_REQUIRE(found.value);
    return *found.value;
  }
  core::token_verdict verdict(core::api_token_id id, const std::string& of_secret) {
    return static_cast<core::token_verdict>(identity(id, of_secret).verdict);
  }
};

BOOST_FIXTURE_TEST_SUITE(api_tokens_of_a_node, token_node)

BOOST_AUTO_TEST_CASE(a_token_is_good_from_its_answer_on_and_after_a_restart) {
  const auto token = made();
  for (int life = 0; life < 2; ++life) {
    const auto known = identity(token.token, hash);
    BOOST_TEST(known.verdict == 1U);
    BOOST_TEST(known.role == "worker");
    BOOST_TEST(known.name == "resizer");
    BOOST_TEST((known.queues == token.queues));
    if (life == 0)
      restart();
  }
}

BOOST_AUTO_TEST_CASE(another_secret_learns_nothing) {
  const auto token = made();
  const auto other = std::string(64, 'b');
  BOOST_TEST((verdict(token.token, other) == core::token_verdict::unknown));
  BOOST_TEST(identity(token.token, other).role == "");
  BOOST_TEST((verdict(fresh<core::api_token_id>(), hash) == core::token_verdict::unknown));
}

BOOST_AUTO_TEST_CASE(a_repeated_request_gets_the_same_token_and_another_secret_none) {
  const auto token = made();
  const auto again = call(token);
  BOOST_REQUIRE(again.value);
  BOOST_TEST((again.value->token == token.token));
  BOOST_TEST(database->tables().api_tokens.size() == 1U);
  auto other = token;
  other.secret_hash = std::string(64, 'b');
  BOOST_TEST((call(other).code() == core::errc::already_exists));
  BOOST_TEST((verdict(token.token, hash) == core::token_verdict::good));
}

BOOST_AUTO_TEST_CASE(a_revoked_token_is_refused_for_good) {
  const auto token = made();
  const auto revoked = call(msg::revoke_token{token.token});
  BOOST_REQUIRE(revoked.value);
  BOOST_TEST(revoked.value->state == "revoked");
  BOOST_TEST((verdict(token.token, hash) == core::token_verdict::revoked));
  advance(1h);
  const auto again = call(msg::revoke_token{token.token});
  BOOST_REQUIRE(again.value);
  BOOST_TEST((again.value->revoked_at == revoked.value->revoked_at));
  BOOST_TEST(
      (call(msg::revoke_token{fresh<core::api_token_id>()}).code() == core::errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_token_expires) {
  auto m = wanted();
  m.lifetime = 1h;
  BOOST_REQUIRE(call(m).value);
  BOOST_TEST((verdict(m.token, hash) == core::token_verdict::good));
  advance(1h);
  BOOST_TEST((verdict(m.token, hash) == core::token_verdict::expired));
}

BOOST_AUTO_TEST_CASE(a_wrong_request_is_refused_with_its_problems) {
  auto no_role = wanted();
  no_role.role = "king";
  BOOST_TEST((call(no_role).code() == core::errc::invalid_argument));
  auto no_hash = wanted();
  no_hash.secret_hash = "secret";
  BOOST_TEST((call(no_hash).code() == core::errc::invalid_argument));
  auto bad_prefix = wanted();
  bad_prefix.queues = {"No Queue"};
  BOOST_TEST((call(bad_prefix).code() == core::errc::payload_invalid));
  auto named_admin = wanted();
  named_admin.role = "admin";
  BOOST_TEST((call(named_admin).code() == core::errc::payload_invalid));
  BOOST_TEST(database->tables().api_tokens.empty());
}

BOOST_AUTO_TEST_CASE(tokens_are_listed_in_pages_with_their_last_use) {
  const auto first = made();
  advance(1s);
  const auto second = made();
  BOOST_REQUIRE(call(msg::note_token_use{first.token}).value);
  const auto page = call(msg::list_tokens{{}, 1});
  BOOST_REQUIRE(page.value);
  BOOST_TEST(page.value->more);
  BOOST_REQUIRE_EQUAL(page.value->tokens.size(), 1U);
  BOOST_TEST((page.value->tokens.front().token == first.token));
  BOOST_TEST((page.value->tokens.front().last_used_at != core::instant{}));
  const auto rest = call(msg::list_tokens{first.token, 1});
  BOOST_REQUIRE(rest.value);
  BOOST_TEST(!rest.value->more);
  BOOST_REQUIRE_EQUAL(rest.value->tokens.size(), 1U);
  BOOST_TEST((rest.value->tokens.front().token == second.token));
  BOOST_TEST((rest.value->tokens.front().last_used_at == core::instant{}));
}

// finding B3
BOOST_AUTO_TEST_CASE(a_damaged_token_lets_nobody_in_and_hides_no_other) {
  const auto lost = made();
  advance(1s);
  const auto other = made();
  database->set_damaged_tokens(
      [=](const core::api_token_id& token) { return token == lost.token; });
  const auto page = call(msg::list_tokens{{}, 10});
  BOOST_REQUIRE(page.value);
  BOOST_REQUIRE_EQUAL(page.value->tokens.size(), 2U);
  const auto& told = page.value->tokens[0];
  BOOST_TEST((told.token == lost.token));
  BOOST_TEST(told.state == "damaged");
  BOOST_TEST(told.created_by == "its row is damaged");
  BOOST_TEST(told.queues.empty());
  BOOST_TEST(page.value->tokens[1].state == "good");
  BOOST_TEST((call(msg::check_token{lost.token, hash}).code() == core::errc::damaged));
  BOOST_TEST((call(msg::revoke_token{lost.token}).code() == core::errc::damaged));
  BOOST_TEST((verdict(other.token, hash) == core::token_verdict::good));
}

BOOST_AUTO_TEST_CASE(the_use_of_a_token_that_is_not_there_is_noted_nowhere) {
  BOOST_TEST(call(msg::note_token_use{fresh<core::api_token_id>()}).value.has_value());
  BOOST_TEST(database->tables().api_tokens.empty());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
