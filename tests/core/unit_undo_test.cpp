// A unit takes back the grants and judgments of one contributor, and nothing else.

#include "core/unit_undo.hpp"

#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct undone_unit {
  undone_unit() {
    u.id = {ids.next(beginning)};
    u.root = u.id;
    u.slots = 3;
    policy.late_submit = core::late_submit::accept_if_free;
  }

  core::lease grant(const std::string& who, core::instant at = beginning) {
    const auto decided = decide(u, policy, core::ask{who, {ids.next(beginning)}}, at);
    BOOST_REQUIRE(decided.refusal == core::errc::none);
    return decided.answer;
  }
  core::decision<core::submitted> judge(const std::string& who, core::token token,
                                        core::judgment_id id, core::instant at = beginning) {
    return decide(u, policy, core::submit{who, token, id, "{}", "red", {}, std::nullopt}, at);
  }

  core::uuid_source ids{11};
  core::lease_policy policy;
  core::unit u;
};

} // namespace

BOOST_AUTO_TEST_SUITE(unit_undo)

// finding B2
BOOST_AUTO_TEST_CASE(a_grant_that_is_taken_back_leaves_its_slot_to_others) {
  undone_unit f;
  f.grant("ana");
  const auto before = core::part_of(f.u, "bob");
  f.grant("bob");
  f.grant("cat");
  BOOST_TEST(core::free_slots(f.u) == 0u);
  core::put_back(f.u, "bob", before);
  BOOST_TEST(core::free_slots(f.u) == 1u);
  BOOST_TEST(core::find_lease(f.u.leases, "bob") == nullptr);
  BOOST_TEST(core::find_lease(f.u.leases, "ana") != nullptr);
  BOOST_TEST(core::find_lease(f.u.leases, "cat") != nullptr);
  BOOST_TEST(f.grant("bob").token == 4u); // a token is never given twice
}

// finding B1
BOOST_AUTO_TEST_CASE(a_judgment_that_is_taken_back_gives_its_lease_back) {
  undone_unit f;
  const auto lease = f.grant("ana");
  f.grant("bob");
  const auto before = core::part_of(f.u, "ana");
  BOOST_TEST((f.judge("ana", lease.token, {f.ids.next(beginning)}).refusal == core::errc::none));
  core::put_back(f.u, "ana", before);
  BOOST_TEST(core::counted_judgments(f.u) == 0u);
  BOOST_TEST(core::free_slots(f.u) == 1u);
  BOOST_TEST((f.judge("ana", lease.token, {f.ids.next(beginning)}).refusal == core::errc::none));
  BOOST_TEST(core::counted_judgments(f.u) == 1u);
}

BOOST_AUTO_TEST_CASE(a_late_judgment_that_is_taken_back_may_come_in_again) {
  undone_unit f;
  const auto lease = f.grant("ana");
  const auto late = lease.expires_at + 1s;
  BOOST_TEST(decide(f.u, f.policy, core::expire{}, late).answer == 1u);
  const auto before = core::part_of(f.u, "ana");
  BOOST_TEST(f.judge("ana", lease.token, {f.ids.next(beginning)}, late).answer.late);
  BOOST_TEST(core::counted_judgments(f.u) == 1u);
  core::put_back(f.u, "ana", before);
  BOOST_TEST(core::counted_judgments(f.u) == 0u);
  BOOST_TEST(core::free_slots(f.u) == 3u);
  const auto again = f.judge("ana", lease.token, {f.ids.next(beginning)}, late);
  BOOST_TEST((again.refusal == core::errc::none));
  BOOST_TEST(again.answer.late);
}

// finding B1: within one unit the database need not be asked
BOOST_AUTO_TEST_CASE(an_id_that_another_judgment_of_the_unit_has_is_refused) {
  undone_unit f;
  const auto first = f.grant("ana");
  const auto second = f.grant("bob");
  const core::judgment_id id{f.ids.next(beginning)};
  BOOST_TEST((f.judge("ana", first.token, id).refusal == core::errc::none));
  BOOST_TEST((f.judge("bob", second.token, id).refusal == core::errc::already_exists));
  BOOST_TEST(f.judge("ana", first.token, id).answer.repeated);
  BOOST_TEST((f.judge("bob", second.token, {f.ids.next(beginning)}).refusal == core::errc::none));
}

// finding C11
BOOST_AUTO_TEST_CASE(a_canceled_unit_says_so_to_whom_it_has_taken_the_lease_from) {
  undone_unit f;
  const auto lease = f.grant("ana");
  decide(f.u, f.policy, core::unit_verb::cancel, beginning);
  const auto judged = f.judge("ana", lease.token, {f.ids.next(beginning)});
  BOOST_TEST((judged.refusal == core::errc::lease_not_held));
  BOOST_TEST(judged.detail == "the unit is canceled");
  const auto extended = decide(f.u, f.policy, core::extend{"ana", lease.token}, beginning);
  BOOST_TEST((extended.refusal == core::errc::lease_not_held));
  BOOST_TEST(extended.detail == "the unit is canceled");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
