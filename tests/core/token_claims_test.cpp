// The claims of JSON Web Tokens: principals, and the reasons why there is none.

#include "core/token_claims.hpp"

#include "core/api_token.hpp"
#include "core/workflow.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

namespace {

using namespace std::chrono_literals;

struct claims_fixture {
  const core::instant now = core::from_micros(1'800'000'000'000'000);
  const core::issuer_rules rules{"https://id.example.org", "holdfast", 30s};
  core::token_claims claims = good_claims();

  core::token_claims good_claims() const {
    core::token_claims made;
    made.issuer = "https://id.example.org";
    made.audiences = {"other", "holdfast"};
    made.expires_at = now + 60s;
    made.roles = {"contributor"};
    made.name = "ana";
    return made;
  }
  core::claims_decision decided() const { return core::decide_claims(claims, rules, now); }
  std::string objection() const { return decided().why; }
};

BOOST_FIXTURE_TEST_SUITE(claims_of_tokens, claims_fixture)

BOOST_AUTO_TEST_CASE(claims_make_a_principal_that_is_bound_to_the_name) {
  const auto made = decided();
  BOOST_REQUIRE(made.who.has_value());
  BOOST_REQUIRE_EQUAL(made.who->grants.size(), 1U);
  BOOST_TEST((made.who->grants.front() == core::grant{core::role::contributor, "ana"}));
  BOOST_TEST(made.who->label == "jwt ana");
  BOOST_TEST(!made.who->is_node);
  BOOST_TEST(!made.who->scope.limits());
  BOOST_TEST((made.good_until == now + 90s));
}

BOOST_AUTO_TEST_CASE(roles_that_are_not_known_are_ignored_and_others_have_no_name) {
  claims.roles = {"offline_access", "worker", "auditor", "node"};
  const auto made = decided();
  BOOST_REQUIRE(made.who.has_value());
  BOOST_TEST((made.who->grants
              == std::vector<core::grant>{{core::role::worker, "ana"}, {core::role::auditor, ""}}));
  claims.roles = {"offline_access"};
  BOOST_TEST(objection() == "the token has no role of this cluster");
  claims.roles = {};
  BOOST_TEST(objection() == "the token has no role of this cluster");
  claims.roles.assign(core::claimed_roles_max + 1, "worker");
  BOOST_TEST(objection() == "the token has too many roles");
}

BOOST_AUTO_TEST_CASE(the_issuer_is_compared_letter_by_letter) {
  for (const auto* other : {"", "https://id.example.org/", "HTTPS://id.example.org", "evil"}) {
    claims.issuer = other;
    BOOST_TEST(objection() == "the token is of another issuer");
  }
}

BOOST_AUTO_TEST_CASE(one_of_the_audiences_is_this_cluster) {
  for (const auto& others : std::vector<std::vector<std::string>>{{}, {"other"}, {"holdfast2"}}) {
    claims.audiences = others;
    BOOST_TEST(objection() == "the token is for another audience");
  }
}

BOOST_AUTO_TEST_CASE(a_token_counts_until_its_end_and_the_skew) {
  claims.expires_at = now - 30s + 1us;
  BOOST_TEST(decided().who.has_value());
  claims.expires_at = now - 30s;
  BOOST_TEST(objection() == "the token has expired");
  claims.expires_at = std::nullopt;
  BOOST_TEST(objection() == "the token has no exp");
}

BOOST_AUTO_TEST_CASE(a_token_counts_from_its_beginning_less_the_skew) {
  claims.not_before = now + 30s;
  claims.issued_at = now + 30s;
  BOOST_TEST(decided().who.has_value());
  claims.issued_at = now + 31s;
  BOOST_TEST(objection() == "the token was issued in the future");
  claims.not_before = now + 31s;
  BOOST_TEST(objection() == "the token is not good yet");
}

BOOST_AUTO_TEST_CASE(a_name_is_needed_and_is_fit_for_logs_and_the_database) {
  for (const auto& name :
       std::vector<std::string>{"", "a\nb", std::string{"a\0b", 3}, "\x7f",
                                std::string(core::contributor_id_bytes_max + 1, 'x')}) {
    claims.name = name;
    BOOST_TEST(objection() == "the token names nobody, or in a way that cannot be used");
  }
  claims.name = std::string(core::contributor_id_bytes_max, 'x');
  BOOST_TEST(decided().who.has_value());
}

BOOST_AUTO_TEST_CASE(scopes_limit_the_principal) {
  claims.queues = {"mail"};
  claims.workflows = {"018f0000-0000-7000-8000-0000000000f1"};
  const auto made = decided();
  BOOST_REQUIRE(made.who.has_value());
  BOOST_TEST((made.who->scope.queues == std::vector<std::string>{"mail"}));
  BOOST_TEST(made.who->scope.workflows.size() == 1U);
}

BOOST_AUTO_TEST_CASE(an_empty_or_wrong_scope_is_never_read_as_no_limit) {
  const auto is_refused = [this] { return !decided().who.has_value(); };
  claims.queues = std::vector<std::string>{};
  BOOST_TEST(is_refused());
  claims.queues = {""};
  BOOST_TEST(is_refused());
  claims.queues = {"Mail!"};
  BOOST_TEST(is_refused());
  claims.queues = std::vector<std::string>(core::token_scopes_max + 1, "mail");
  BOOST_TEST(is_refused());
  claims.queues = std::nullopt;
  claims.workflows = std::vector<std::string>{};
  BOOST_TEST(is_refused());
  claims.workflows = {"pets"};
  BOOST_TEST(is_refused());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
