// API tokens: their text, their problems, and the verdict on them.

#include "core/api_token.hpp"
#include "core/sign_in_link.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace core = holdfast::core;
using core::token_verdict;
using namespace std::chrono_literals;

namespace {

const auto some_time = core::from_micros(1'800'000'000'000'000);

core::api_token_id numbered_token(std::uint8_t number) {
  core::api_token_id id;
  id.value.bytes.fill(number);
  return id;
}

core::api_token some_token() {
  core::api_token token;
  token.id = numbered_token(1);
  token.secret_hash = std::string(64, 'a');
  token.as = core::role::worker;
  token.created_at = some_time;
  return token;
}

std::string places_of_problems(const core::api_token& token) {
  std::string all;
  for (const auto& one : core::problems_of(token))
    all += one.place + ' ';
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(api_tokens)

BOOST_AUTO_TEST_CASE(a_token_is_read_as_it_is_written) {
  const core::api_token_text parts{numbered_token(0x4f),
                                   core::token_secret_of(std::string(32, '\xa1'))};
  const auto text = core::to_string(parts);
  BOOST_TEST(text.substr(0, 3) == "hf_");
  BOOST_TEST(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos);
  const auto read = core::parse_api_token(text);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->id == parts.id));
  BOOST_TEST(read->secret == parts.secret);
}

BOOST_AUTO_TEST_CASE(other_texts_are_no_tokens) {
  const auto good = core::to_string(core::api_token_text{numbered_token(2), std::string(64, 'f')});
  BOOST_REQUIRE(core::parse_api_token(good).has_value());
  auto other_end = good;
  other_end.back() = 'F';
  auto no_split = good;
  no_split[39] = '-';
  auto no_id = good;
  no_id[5] = 'x';
  for (const auto& bad :
       {std::string{}, std::string{"hf_"}, good + 'f', good.substr(0, good.size() - 1), other_end,
        no_split, no_id, 'x' + good.substr(1), "hf_admin_" + std::string(64, 'f'),
        std::string{"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJl"}})
    BOOST_TEST(!core::parse_api_token(bad).has_value(), bad);
}

BOOST_AUTO_TEST_CASE(a_secret_is_written_in_hexadecimal_digits) {
  const std::string bytes{"\x00\x0f\xf0\xff", 4};
  BOOST_TEST(core::token_secret_of(bytes) == "000ff0ff");
}

BOOST_AUTO_TEST_CASE(a_good_token_has_no_problems) {
  auto token = some_token();
  token.name = "resizer";
  token.scope = {{"mail", "a.b-c_d"}, {{numbered_token(3).value}}};
  token.expires_at = some_time + 1s;
  BOOST_TEST(places_of_problems(token) == "");
}

BOOST_AUTO_TEST_CASE(every_problem_of_a_token_is_told_with_its_place) {
  auto token = some_token();
  token.secret_hash = "secret";
  token.as = core::role::producer;
  token.name = "ana";
  token.scope = {{"mail", "No Queue", ""}, {core::workflow_id{}}};
  token.created_by = std::string(257, 'x');
  token.expires_at = some_time;
  BOOST_TEST(places_of_problems(token)
             == "/secret_hash /name /created_by /queues/1 /queues/2 /workflows/0 /lifetime ");
  auto long_lived = some_token();
  long_lived.expires_at = some_time + core::token_lifetime_max + 1s;
  long_lived.scope.queues.assign(core::token_scopes_max + 1, "a");
  BOOST_TEST(places_of_problems(long_lived) == "/queues /lifetime ");
}

BOOST_AUTO_TEST_CASE(the_verdict_says_why_a_token_does_not_count) {
  auto token = some_token();
  const auto hash = token.secret_hash;
  const auto verdict = [&](const std::optional<core::api_token>& stored, core::instant now) {
    return core::to_string(core::verdict_on(stored, hash, now));
  };
  BOOST_TEST(verdict(token, some_time) == "good");
  BOOST_TEST(verdict(std::nullopt, some_time) == "unknown");
  token.expires_at = some_time + 10s;
  BOOST_TEST(verdict(token, some_time + 10s - 1us) == "good");
  BOOST_TEST(verdict(token, some_time + 10s) == "expired");
  token.revoked_at = some_time;
  BOOST_TEST(verdict(token, some_time) == "revoked");
  // A guess learns nothing of the state.
  BOOST_TEST((core::verdict_on(token, std::string(64, 'b'), some_time) == token_verdict::unknown));
  BOOST_TEST((core::verdict_on(token, "", some_time) == token_verdict::unknown));
}

BOOST_AUTO_TEST_CASE(the_holder_has_the_role_the_name_and_the_scopes) {
  auto token = some_token();
  token.name = "resizer";
  token.scope.queues = {"img-"};
  const auto who = token.holder();
  BOOST_TEST((who.grants == std::vector<core::grant>{{core::role::worker, "resizer"}}));
  BOOST_TEST((who.scope == token.scope));
  BOOST_TEST(!who.is_node);
  BOOST_TEST(who.label == "token:" + core::to_string(token.id));
}

BOOST_AUTO_TEST_CASE(a_scope_reaches_the_items_that_it_names_and_nothing_else) {
  core::access_scope none;
  BOOST_TEST(none.reaches("mail"));
  BOOST_TEST(none.reaches(core::workflow_id{numbered_token(1).value}));
  core::access_scope queues{{"mail", "img-"}, {}};
  BOOST_TEST(queues.reaches("mail"));
  BOOST_TEST(queues.reaches("mail-2"));
  BOOST_TEST(queues.reaches("img-small"));
  BOOST_TEST(!queues.reaches("img"));
  BOOST_TEST(!queues.reaches("xmail"));
  BOOST_TEST(!queues.reaches(core::workflow_id{numbered_token(1).value}));
  core::access_scope workflows{{}, {{numbered_token(1).value}}};
  BOOST_TEST(workflows.reaches(core::workflow_id{numbered_token(1).value}));
  BOOST_TEST(!workflows.reaches(core::workflow_id{numbered_token(2).value}));
  BOOST_TEST(!workflows.reaches("mail"));
}

BOOST_AUTO_TEST_CASE(a_token_is_made_once_and_repeated_under_its_secret) {
  const auto wanted = some_token();
  const auto made = core::decide_create(std::nullopt, wanted);
  BOOST_TEST((made.refusal == core::errc::none));
  BOOST_TEST(made.writes);
  const auto again = core::decide_create(wanted, wanted);
  BOOST_TEST((again.refusal == core::errc::none));
  BOOST_TEST(!again.writes);
  auto other = wanted;
  other.secret_hash = std::string(64, 'b');
  BOOST_TEST((core::decide_create(wanted, other).refusal == core::errc::already_exists));
}

BOOST_AUTO_TEST_CASE(revocation_is_for_good_and_keeps_its_time) {
  const auto token = some_token();
  const auto first = core::decide_revoke(token, token.id, some_time + 5s);
  BOOST_TEST(first.writes);
  BOOST_TEST((first.token.revoked_at == some_time + 5s));
  const auto second = core::decide_revoke(first.token, token.id, some_time + 9s);
  BOOST_TEST(!second.writes);
  BOOST_TEST((second.token.revoked_at == some_time + 5s));
  BOOST_TEST(
      (core::decide_revoke(std::nullopt, token.id, some_time).refusal == core::errc::not_found));
}

BOOST_AUTO_TEST_CASE(a_use_is_noted_once_a_minute) {
  const auto token = some_token();
  const auto first = core::decide_use(token, some_time);
  BOOST_TEST(first.writes);
  BOOST_TEST(!core::decide_use(first.token, some_time + 59s).writes);
  const auto later = core::decide_use(first.token, some_time + 60s);
  BOOST_TEST(later.writes);
  BOOST_TEST((later.token.last_used_at == some_time + 60s));
  BOOST_TEST(!core::decide_use(std::nullopt, some_time).writes);
}

BOOST_AUTO_TEST_CASE(secrets_are_equal_only_as_a_whole) {
  BOOST_TEST(core::equal_secrets("abc", "abc"));
  for (const auto* other : {"", "ab", "abcd", "Abc", "abd"})
    BOOST_TEST(!core::equal_secrets("abc", other), other);
}

// --- sign-in links ---

BOOST_AUTO_TEST_CASE(a_link_is_read_as_it_is_written_and_is_no_token) {
  const core::api_token_text parts{numbered_token(7), std::string(64, 'a')};
  const auto text = core::text_of_link(parts);
  BOOST_TEST(text.substr(0, 3) == "hl_");
  const auto read = core::parse_sign_in_link(text);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->id == parts.id));
  BOOST_TEST(read->secret == parts.secret);
  BOOST_TEST(!core::parse_api_token(text).has_value());
  BOOST_TEST(!core::parse_sign_in_link(core::to_string(parts)).has_value());
  BOOST_TEST(core::hashed_text_of_link(parts.secret) != parts.secret);
}

BOOST_AUTO_TEST_CASE(the_session_of_a_link_has_one_id_that_is_not_that_of_the_link) {
  const auto link = numbered_token(7);
  BOOST_TEST((core::session_of_link(link) == core::session_of_link(link)));
  BOOST_TEST((core::session_of_link(link) != link));
  BOOST_TEST((core::session_of_link(link) != core::session_of_link(numbered_token(8))));
  BOOST_TEST((core::session_of_link(core::session_of_link(link)) == link)); // no two share one
}

BOOST_AUTO_TEST_CASE(contributors_sign_in_at_the_labelling_page) {
  BOOST_TEST(core::page_of_link("contributor", "hl_x") == "/label#link=hl_x");
  BOOST_TEST(core::page_of_link("operator", "hl_x") == "/console#link=hl_x");
}

BOOST_AUTO_TEST_SUITE_END()
