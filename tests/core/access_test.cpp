// The senders that each message may have.

#include "core/access.hpp"

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

namespace core = holdfast::core;
using core::grant;
using core::objection_to;
using core::principal;
using core::role;

namespace {

std::string said(const principal& who, const char* message, const std::string& contributor,
                 const std::string& worker = "w") {
  return objection_to(who, message, {&contributor, &worker});
}

} // namespace

BOOST_AUTO_TEST_SUITE(access_to_messages)

BOOST_AUTO_TEST_CASE(roles_are_read_as_they_are_written) {
  for (std::size_t i = 0; i < core::role_count; ++i) {
    const auto one = static_cast<role>(i);
    BOOST_TEST((core::role_named(core::to_string(one)) == one));
  }
  BOOST_TEST(!core::role_named("Admin"));
  BOOST_TEST(!core::role_named(""));
  BOOST_TEST((core::roles_of_list("none") == core::role_set{}));
  BOOST_TEST(
      (core::roles_of_list(" worker,producer ") == core::role_set{role::worker, role::producer}));
  for (const auto* bad : {"", "workers", "worker,", "worker producer", "none,worker"})
    BOOST_TEST(!core::roles_of_list(bad), bad);
}

BOOST_AUTO_TEST_CASE(grant_travels_in_a_uri) {
  BOOST_TEST(core::uri_of({role::worker, {}}) == "holdfast:role=worker");
  BOOST_TEST(core::uri_of({role::worker, "resizer-1"}) == "holdfast:role=worker?name=resizer-1");
  const grant odd{role::contributor, std::string{"a b,\xff%/\0?", 10}};
  BOOST_TEST((core::grant_of_uri(core::uri_of(odd)) == odd));
  BOOST_TEST(core::uri_of(odd).find(',')
             == std::string::npos); // it separates names in a certificate
  for (const auto* bad :
       {"", "https://example.org", "holdfast:role=", "holdfast:role=king",
        "holdfast:role=worker?name=", "holdfast:role=admin?name=ana",
        "holdfast:role=worker?name=%4", "holdfast:role=worker?name=%zz",
        "holdfast:role=worker?name=a,b", "holdfast:role=worker?names=a", "holdfast:worker"})
    BOOST_TEST(!core::grant_of_uri(bad), bad);
  BOOST_TEST(core::is_grant_uri("holdfast:role=king"));
  BOOST_TEST(!core::is_grant_uri("https://holdfast:role=worker"));
}

// finding D3
BOOST_AUTO_TEST_CASE(certificate_binds_the_names_in_requests) {
  const principal ana{false, {{role::contributor, "ana"}}};
  BOOST_TEST(said(ana, "submit_judgment", "ana") == "");
  BOOST_TEST(said(ana, "submit_judgment", "bob")
             == "contributor must be 'ana', whom the credential names");
  BOOST_TEST(said(ana, "explain_contributor", "ana")
             == "no role of the credential may send explain_contributor");
  const principal resizer{false, {{role::worker, "resizer-1"}, {role::worker, "resizer-2"}}};
  BOOST_TEST(said(resizer, "claim_tasks", "", "resizer-2") == "");
  BOOST_TEST(said(resizer, "claim_tasks", "", "resizer-3") != "");
  BOOST_TEST(said(resizer, "claim_tasks", "", "") != "");
  const principal any{false, {{role::worker, {}}}};
  BOOST_TEST(said(any, "claim_tasks", "", "whoever") == "");
}

BOOST_AUTO_TEST_CASE(name_of_one_role_does_not_bind_another) {
  const principal both{false, {{role::contributor, "ana"}, {role::requester, {}}}};
  BOOST_TEST(said(both, "explain_contributor", "bob") == "");
  BOOST_TEST(said(both, "submit_judgment", "bob") != "");
}

BOOST_AUTO_TEST_CASE(error_details_of_attempts_are_for_operators_and_auditors) {
  const auto refused = [](role one) {
    return said({false, {{one, {}}}}, "get_task_attempts", "") != "";
  };
  for (const auto one : {role::admin, role::node_operator, role::auditor})
    BOOST_TEST(!refused(one), core::to_string(one));
  for (const auto one : {role::producer, role::worker, role::requester, role::contributor})
    BOOST_TEST(refused(one), core::to_string(one));
}

BOOST_AUTO_TEST_CASE(queues_are_removed_by_operators_alone) {
  const auto* row = core::find_access("remove_queue");
  BOOST_REQUIRE(row);
  BOOST_TEST((row->roles == core::role_set{role::admin, role::node_operator}));
}

// It tells which units are test questions, and what is right about them.
BOOST_AUTO_TEST_CASE(test_questions_are_listed_for_requesters_and_auditors_alone) {
  const auto* row = core::find_access("list_test_questions");
  BOOST_REQUIRE(row);
  BOOST_TEST((row->roles == core::role_set{role::admin, role::requester, role::auditor}));
}

BOOST_AUTO_TEST_CASE(the_audit_log_is_read_by_auditors_and_admins_alone) {
  const auto* row = core::find_access("list_audit");
  BOOST_REQUIRE(row);
  BOOST_TEST((row->roles == core::role_set{role::admin, role::auditor}));
}

BOOST_AUTO_TEST_CASE(a_principal_without_a_label_is_named_by_its_first_role) {
  principal who{false, {{role::contributor, "ann"}, {role::worker, "w1"}}};
  BOOST_TEST(core::label_of(who) == "contributor ann");
  who.label = "token:7f";
  BOOST_TEST(core::label_of(who) == "token:7f");
  BOOST_TEST(core::label_of({false, {{role::admin, {}}}}) == "admin");
  BOOST_TEST(core::label_of({}) == "nobody");
}

BOOST_AUTO_TEST_CASE(nodes_say_everything_and_nobody_else_what_is_no_request) {
  const principal node{true, {}};
  BOOST_TEST(said(node, "apply_events", "") == "");
  const principal admin{false, {{role::admin, {}}}};
  for (const auto* none : {"apply_events", "assignment", "step_offer", "never_heard_of"})
    BOOST_TEST(said(admin, none, "") != "", none);
  const principal nobody;
  BOOST_TEST(said(nobody, "get_protocols", "") != "");
}

BOOST_AUTO_TEST_SUITE_END()
