// What a queue's policy may say, bound by bound, and what follows from it.

#include "core/backoff.hpp"
#include "core/queue.hpp"
#include "core/queue_policy.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

constexpr duration year = 24h * 365;

/// The places of all problems, in order.
std::string problems(const queue_policy& policy) {
  std::string places;
  for (const auto& problem : problems_of(policy)) {
    BOOST_TEST(!problem.what.empty());
    places += (places.empty() ? "" : " ") + problem.place;
  }
  return places;
}

/// What `change` makes wrong in a policy that is right.
template <class Change>
std::string after(Change&& change) {
  queue_policy policy;
  policy.types["t"].transitions = {{"new", {"done"}}, {"done", {}}};
  policy.types["t"].retry = retry_policy{};
  policy.credentials.named["c"] = {};
  policy.weights["k"] = 1;
  BOOST_TEST(problems(policy) == "");
  change(policy);
  return problems(policy);
}

/// Both ends of what may be, and just beyond them.
template <class Value, class Set>
void check_bounds(const std::string& place, Value least, Value most, Value below, Value above,
                  Set&& set) {
  BOOST_TEST_CONTEXT(place) {
    const auto with = [&](Value value) { return after([&](queue_policy& p) { set(p, value); }); };
    BOOST_TEST(with(least) == "");
    BOOST_TEST(with(most) == "");
    BOOST_TEST(with(below) == place);
    BOOST_TEST(with(above) == place);
  }
}

/// Every policy has its retries in two places.
template <class Check>
void for_each_retry(Check&& check) {
  check("/retry", [](queue_policy& p) -> retry_policy& { return p.retry; });
  check("/types/t/retry", [](queue_policy& p) -> retry_policy& { return *p.types["t"].retry; });
}

template <class Check>
void for_each_rate(Check&& check) {
  check("/rate", [](queue_policy& p) -> rate_limit& { return p.rate; });
  check("/rate_per_credential", [](queue_policy& p) -> rate_limit& { return p.credentials.each; });
  check("/credentials/c", [](queue_policy& p) -> rate_limit& { return p.credentials.named["c"]; });
  check("/rate_without_credential",
        [](queue_policy& p) -> rate_limit& { return p.credentials.without; });
  check("/types/t/rate_per_credential",
        [](queue_policy& p) -> rate_limit& { return p.types["t"].credentials.each; });
  check("/types/t/credentials/c",
        [](queue_policy& p) -> rate_limit& { return p.types["t"].credentials.named["c"]; });
  check("/types/t/rate", [](queue_policy& p) -> rate_limit& { return p.types["t"].rate; });
}

} // namespace

BOOST_AUTO_TEST_SUITE(queue_policies)

BOOST_AUTO_TEST_CASE(the_defaults_may_be_used) { BOOST_TEST(problems({}) == ""); }

BOOST_AUTO_TEST_CASE(leases_have_bounds) {
  const auto with_ttl = [](duration ttl) {
    return after([&](queue_policy& p) {
      p.lease.ttl = ttl;
      p.lease.total_max = std::max(ttl, p.lease.total_max);
    });
  };
  BOOST_TEST(with_ttl(100ms) == "");
  BOOST_TEST(with_ttl(year) == "");
  BOOST_TEST(with_ttl(100ms - 1us) == "/lease/ttl_seconds");
  BOOST_TEST(with_ttl(year + 1us) == "/lease/ttl_seconds /lease/total_max_seconds");
  const auto total = [](queue_policy& p, duration most) { p.lease.total_max = most; };
  check_bounds<duration>("/lease/total_max_seconds", 60s, year, 60s - 1us, year + 1us, total);
}

BOOST_AUTO_TEST_CASE(retries_have_bounds) {
  for_each_retry([](const std::string& place, auto retry) {
    check_bounds<std::uint32_t>(place + "/max_attempts", 1, 1000, 0, 1001,
                                [&](queue_policy& p, auto n) { retry(p).max_attempts = n; });
    check_bounds<std::uint32_t>(place + "/crashes_max", 1, 100, 0, 101,
                                [&](queue_policy& p, auto n) { retry(p).crashes_max = n; });
    check_bounds<std::uint32_t>(place + "/failures_max", 1, 1'000'000, 0, 1'000'001,
                                [&](queue_policy& p, auto n) { retry(p).failures_max = n; });
    check_bounds<std::uint32_t>(place + "/pauses_max", 1, 1'000'000, 0, 1'000'001,
                                [&](queue_policy& p, auto n) { retry(p).pauses_max = n; });
    check_bounds<std::uint32_t>(place + "/releases_max", 2, 1'000'000, 1, 1'000'001,
                                [&](queue_policy& p, auto n) { retry(p).releases_max = n; });
    check_bounds<duration>(place + "/least_seconds", 1us, 1h, 0us, 1h + 1us,
                           [&](queue_policy& p, duration wait) { retry(p).least = wait; });
    check_bounds<duration>(place + "/most_seconds", 1s, year, year + 1us, year * 2,
                           [&](queue_policy& p, duration wait) { retry(p).most = wait; });
  });
}

BOOST_AUTO_TEST_CASE(rates_have_bounds) {
  for_each_rate([](const std::string& place, auto rate) {
    check_bounds<double>(place + "/burst", 1, 1e6, 0.999, 1e6 + 1,
                         [&](queue_policy& p, double burst) { rate(p).burst = burst; });
    const auto per_second = [&](queue_policy& p, double n) { rate(p).per_second = n; };
    check_bounds<double>(place + "/per_second", 0, 1e6, -1e-9, 1e6 + 1, per_second);
    // What is slower than any wait can be counted in would never open at all.
    check_bounds<double>(place + "/per_second", 1e-6, 1e6, 0.99e-6, 1e-300, per_second);
    const auto none = std::numeric_limits<double>::quiet_NaN();
    check_bounds<double>(place + "/per_second", 1, 2, none, INFINITY, per_second);
  });
}

BOOST_AUTO_TEST_CASE(weights_aging_depth_and_retention_have_bounds) {
  check_bounds<double>("/weights/k", 0.001, 1000, 0.000999, 1000.1,
                       [](queue_policy& p, double weight) { p.weights["k"] = weight; });
  check_bounds<duration>("/aging_seconds", 1us, year, 0us, year + 1us,
                         [](queue_policy& p, duration aging) { p.aging = aging; });
  check_bounds<std::uint32_t>("/depth_max", 1, 100'000'000, 0, 100'000'001,
                              [](queue_policy& p, auto depth) { p.depth_max = depth; });
  check_bounds<duration>("/retention_seconds", 0us, year * 100, -1us, year * 100 + 1us,
                         [](queue_policy& p, duration kept) { p.retention = kept; });
}

BOOST_AUTO_TEST_CASE(names_have_1_to_128_bytes) {
  const std::string longest(128, 'x');
  const auto add_type = [](const std::string& name) {
    return after([&](queue_policy& p) { p.types[name] = {}; });
  };
  BOOST_TEST(add_type(longest) == "");
  BOOST_TEST(add_type(longest + "x") == "/types");
  BOOST_TEST(add_type("") == "/types");
  const auto begin_with = [](const std::string& state) {
    return after([&](queue_policy& p) { p.types["free"].first_state = state; });
  };
  BOOST_TEST(begin_with(longest) == "");
  BOOST_TEST(begin_with(longest + "x") == "/types/free/first_state");
  BOOST_TEST(begin_with("") == "/types/free/first_state");
  BOOST_TEST(after([&](queue_policy& p) { p.types["t"].transitions[longest + "x"] = {}; })
             == "/types/t/transitions");
}

// D9
BOOST_AUTO_TEST_CASE(every_state_that_a_task_can_be_in_is_one_of_its_type) {
  BOOST_TEST(after([](queue_policy& p) { p.types["t"].first_state = "elsewhere"; })
             == "/types/t/first_state");
  BOOST_TEST(after([](queue_policy& p) {
               p.types["t"].transitions["done"] = {"gone", "new"};
             })
             == "/types/t/transitions/done");
}

BOOST_AUTO_TEST_CASE(all_that_is_wrong_is_told_at_once) {
  BOOST_TEST(after([](queue_policy& p) {
               p.lease.ttl = 0us;
               p.rate.burst = 0;
               p.types["t"].retry->crashes_max = 0;
               p.depth_max = 0;
             })
             == "/lease/ttl_seconds /rate/burst /types/t/retry/crashes_max /depth_max");
}

BOOST_AUTO_TEST_CASE(a_queue_is_named_by_1_to_64_of_a_few_characters) {
  for (const auto* name : {"a", "z", "0", "9", "bulk-export", "a.b_c-9"})
    BOOST_TEST(is_queue_name(name), name);
  BOOST_TEST(is_queue_name(std::string(64, 'q')));
  BOOST_TEST(!is_queue_name(std::string(65, 'q')));
  for (const auto* name : {"", "A", "a b", "a/b", "ä", "a\n", "{", "`"})
    BOOST_TEST(!is_queue_name(name), name);
}

// D9, D12
BOOST_AUTO_TEST_CASE(a_task_goes_only_where_its_type_allows) {
  queue_policy policy;
  policy.types["t"].transitions = {{"new", {"sent"}}, {"sent", {"new", "done"}}, {"done", {}}};
  BOOST_TEST(may_move(policy, "t", "new", "sent"));
  BOOST_TEST(may_move(policy, "t", "sent", "new"));
  BOOST_TEST(!may_move(policy, "t", "new", "done"));
  BOOST_TEST(!may_move(policy, "t", "done", "new"));
  BOOST_TEST(!may_move(policy, "t", "new", "elsewhere"));
  BOOST_TEST(!may_move(policy, "t", "elsewhere", "new"));
  for (const auto* state : {"new", "sent", "done", "elsewhere"})
    BOOST_TEST(may_move(policy, "t", state, state)); // Staying is always allowed.
  // Types without a map of their states may go anywhere.
  policy.types["free"].first_state = "begun";
  BOOST_TEST(may_move(policy, "free", "begun", "anywhere"));
  BOOST_TEST(may_move(policy, "unknown", "x", "y"));
}

// D9
BOOST_AUTO_TEST_CASE(a_task_begins_in_a_state_that_its_type_has) {
  queue_policy policy;
  auto& kyc = policy.types["kyc"];
  kyc.first_state = "NEW";
  kyc.transitions = {{"NEW", {"DONE"}}, {"DONE", {}}};
  BOOST_TEST((opening_state(policy, "kyc", "") == "NEW"));
  BOOST_TEST((opening_state(policy, "kyc", "DONE") == "DONE"));
  BOOST_TEST(!opening_state(policy, "kyc", "LOST"));
  BOOST_TEST((opening_state(policy, "unknown", "") == "new"));
  BOOST_TEST((opening_state(policy, "unknown", "any") == "any"));
}

BOOST_AUTO_TEST_CASE(a_type_without_rules_of_its_own_has_those_of_its_queue) {
  queue_policy policy;
  policy.retry.max_attempts = 7;
  policy.types["own"].retry = retry_policy{};
  policy.types["own"].retry->max_attempts = 2;
  policy.types["some"].running_max = 3;
  BOOST_TEST(retry_of(policy, "own").max_attempts == 2U);
  BOOST_TEST(retry_of(policy, "some").max_attempts == 7U);
  BOOST_TEST(retry_of(policy, "unknown").max_attempts == 7U);
  BOOST_TEST(rules_of(policy, "some").running_max == 3U);
  BOOST_TEST(rules_of(policy, "unknown").running_max == 0U);
  BOOST_TEST(rules_of(policy, "unknown").first_state == "new");
}

// C31
BOOST_AUTO_TEST_CASE(the_longest_waits_that_a_policy_may_have_can_be_counted) {
  for (std::uint32_t failures = 1; failures <= 1000; ++failures) {
    BOOST_TEST((full_jitter(failures, year, year, ~0ULL) == year));
    BOOST_TEST((full_jitter(failures, year / 3, year, 0) == year / 3));
  }
  BOOST_TEST((full_jitter(2, year / 3, year, ~0ULL) == year));
}

// C34
BOOST_AUTO_TEST_CASE(the_slowest_rate_that_a_policy_may_have_opens_at_its_moment) {
  const rate_limit slowest{1e-6, 1};
  token_bucket bucket;
  bucket.take(slowest, test::beginning);
  BOOST_TEST((bucket.opens_at(slowest, test::beginning) == test::beginning + 1'000'000s));
}

// finding B9
BOOST_AUTO_TEST_CASE(a_timeout_of_a_type_is_bounded_as_leases_are) {
  check_bounds<duration>("/types/t/timeout_seconds", 100ms, year, 100ms - 1us, year + 1us,
                         [](queue_policy& p, duration d) { p.types["t"].timeout = d; });
  queue_policy policy;
  policy.types["short"].timeout = 5s;
  policy.types["long"].timeout = 48h;
  BOOST_TEST((lease_of(policy, "short").ttl == 5s && lease_of(policy, "short").total_max == 5s));
  BOOST_TEST((lease_of(policy, "long").ttl == 60s && lease_of(policy, "long").total_max == 48h));
  BOOST_TEST((lease_of(policy, "other").total_max == policy.lease.total_max));
  BOOST_TEST((shortest_ttl(policy) == 5s));
}

BOOST_AUTO_TEST_CASE(a_receiver_of_tasks_has_bounds) {
  const auto pushing = [](auto change) {
    return after([&](queue_policy& p) {
      p.push = push_policy{"https://example.org/work", "mailer"};
      change(*p.push);
    });
  };
  BOOST_TEST(pushing([](push_policy&) {}) == "");
  for (const auto concurrency : {1U, 1000U})
    BOOST_TEST(pushing([=](push_policy& p) { p.concurrency = concurrency; }) == "");
  for (const auto concurrency : {0U, 1001U})
    BOOST_TEST(pushing([=](push_policy& p) { p.concurrency = concurrency; })
               == "/push/concurrency");
  for (const duration timeout : {duration{100ms}, duration{1h}})
    BOOST_TEST(pushing([=](push_policy& p) { p.timeout = timeout; }) == "");
  for (const duration timeout : {duration{100ms - 1us}, duration{1h + 1us}})
    BOOST_TEST(pushing([=](push_policy& p) { p.timeout = timeout; }) == "/push/timeout_seconds");
  for (const auto* url : {"", "ftp://example.org", "https://", "https://ana:pw@example.org",
                          "https://example.org/a b"})
    BOOST_TEST(pushing([=](push_policy& p) { p.url = url; }) == "/push/url", url);
  for (const auto* secret : {"", "../key", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"})
    BOOST_TEST(pushing([=](push_policy& p) { p.secret = secret; }) == "/push/secret", secret);
}

BOOST_AUTO_TEST_CASE(a_receiver_that_gets_less_than_was_meant_is_warned_of) {
  const auto warned = [](const queue_policy& policy) {
    std::string places;
    for (const auto& warning : warnings_of(policy))
      places += (places.empty() ? "" : " ") + warning.place;
    return places;
  };
  queue_policy policy;
  policy.push = push_policy{"https://example.org/work", "mailer"};
  policy.push->timeout = 10min;
  policy.lease.total_max = 10min;
  policy.running_max = 8;
  BOOST_TEST(warned(policy) == "");
  policy.push->timeout += 1us;
  policy.push->concurrency = 9;
  BOOST_TEST(warned(policy) == "/push/timeout_seconds /push/concurrency");
}

// finding B7
BOOST_AUTO_TEST_CASE(options_that_hardly_work_together_are_warned_of) {
  const auto warned = [](const queue_policy& policy) {
    BOOST_TEST(problems_of(policy).empty());
    std::string places;
    for (const auto& warning : warnings_of(policy))
      places += (places.empty() ? "" : " ") + warning.place;
    return places;
  };
  BOOST_TEST(warned({}) == "");
  queue_policy policy;
  policy.lease.ttl = 3s - 1us;
  BOOST_TEST(warned(policy) == "/lease/ttl_seconds");
  policy.lease.total_max = policy.lease.ttl; // nothing is extended, so nothing comes too late
  BOOST_TEST(warned(policy) == "");
  policy.lease = {3s, 1h, {}};
  BOOST_TEST(warned(policy) == "");
  policy.types["t"].timeout = 2s;
  policy.types["t"].running_max = 11;
  policy.running_max = 10;
  policy.running_per_key_max = 11;
  policy.retry.failures_max = 5;
  BOOST_TEST(warned(policy)
             == "/retry/failures_max /types/t/timeout_seconds /types/t/running_max"
                " /running_per_key_max");
  policy.depth_max = 9;
  BOOST_TEST(warned(policy).find("/running_max") == 0U);
}

BOOST_AUTO_TEST_SUITE_END()
