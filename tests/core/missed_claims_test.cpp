// Workers that wait: those that need not look would have found nothing.

#include "core/queue.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;

namespace {

const std::vector<std::string> known_types{"crop", "mail", "sign"};

/// A queue with tasks of some types and keys, of which some have killed their workers, and limits
/// that close now this and now that.
core::queue any_waiting_queue(random_source& random, core::uuid_source& ids) {
  core::queue q;
  q.name = "work";
  q.policy.running_max = static_cast<std::uint32_t>(random.below(12));
  q.policy.running_per_key_max = static_cast<std::uint32_t>(random.below(3));
  q.policy.types["mail"].running_max = static_cast<std::uint32_t>(random.below(3));
  if (random.one_in(3))
    q.policy.credentials.each = {1, 2};
  if (random.one_in(4))
    q.paused_types = {"sign"};
  for (auto n = random.below(20); n > 0; --n) {
    core::task t;
    t.spec.id = {ids.next(beginning)};
    t.spec.type = random.of(known_types);
    t.spec.key = "key-" + std::to_string(random.below(6));
    t.spec.credential = random.one_in(2) ? "" : "gold";
    t.spec.created_at = beginning;
    t.progress.next_action = beginning;
    t.progress.crashes = random.one_in(3) ? 2 : 0; // a suspect
    enter(q, t);
  }
  return q;
}

std::vector<core::claim> any_claims(random_source& random, core::uuid_source& ids) {
  std::vector<core::claim> claims;
  for (auto n = 1 + random.below(20); n > 0; --n) {
    core::claim c;
    c.worker = "w" + std::to_string(random.below(6));
    c.id = {ids.next(beginning)};
    c.most = static_cast<std::uint32_t>(1 + random.below(3));
    if (!random.one_in(4))
      c.types = {random.of(known_types)};
    if (random.one_in(3))
      c.types.push_back(random.of(known_types));
    claims.push_back(c);
  }
  return claims;
}

} // namespace

BOOST_AUTO_TEST_SUITE(claims_that_wait)

BOOST_AUTO_TEST_CASE(a_claim_is_passed_by_only_where_it_would_find_nothing) {
  std::size_t passed = 0;
  std::size_t served = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      random_source random{seed};
      core::uuid_source ids{seed};
      auto q = any_waiting_queue(random, ids);
      core::missed_claims missed;
      for (const auto& claim : any_claims(random, ids)) {
        const bool covered = missed.covers(q, claim);
        const auto granted = decide(q, claim, beginning).answer;
        if (covered)
          BOOST_TEST(granted.empty(), claim.worker);
        if (granted.empty())
          missed.add(q, claim);
        // Whoever asks for the same again at once is not let look a second time.
        if (granted.empty())
          BOOST_TEST(missed.covers(q, claim));
        passed += covered ? 1U : 0U;
        served += granted.empty() ? 0U : 1U;
      }
    }
  BOOST_TEST(passed > 500U);
  BOOST_TEST(served > 500U);
}

BOOST_AUTO_TEST_CASE(eligible_contributor_finds_a_unit_that_an_ineligible_one_missed) {
  core::queue q;
  core::missed_claims missed;
  core::uuid_source ids{1};
  for (int i = 0; i < 2; ++i) {
    core::task t;
    t.spec.id = {ids.next(beginning)};
    t.spec.type = "mail";
    t.progress.crashes = 2;
    t.progress.next_action = beginning;
    enter(q, t);
  }
  const auto ask = [&](const std::string& worker) {
    core::claim c;
    c.worker = worker;
    c.id = {ids.next(beginning)};
    c.types = {"mail"};
    return c;
  };
  BOOST_TEST(decide(q, ask("w1"), beginning).answer.size() == 1U);
  BOOST_TEST(decide(q, ask("w1"), beginning).answer.empty());
  missed.add(q, ask("w1"));
  BOOST_TEST(missed.covers(q, ask("w1")));
  BOOST_TEST(!missed.covers(q, ask("w2")));
  BOOST_TEST(decide(q, ask("w2"), beginning).answer.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
