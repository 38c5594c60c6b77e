// Which task goes next: order, aging, shares, limits and rates, each by itself.

#include "core/dispatcher.hpp"
#include "core/queue.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::test;
using namespace std::chrono_literals;
using core::duration;
using core::instant;
using core::queue_policy;
using core::task;
using core::task_id;

namespace {

/// A dispatcher with the tasks that it was given.
class desk {
public:
  queue_policy policy;
  instant now = beginning;
  std::set<std::string> paused_types;

  /// Enters a task made now.
  task& add(const std::string& key, const std::string& type = "t", std::int16_t priority = 0,
            const std::string& credential = "") {
    task t;
    t.spec.id = {ids_.next(now)};
    t.spec.key = key;
    t.spec.type = type;
    t.spec.priority = priority;
    t.spec.credential = credential;
    t.spec.created_at = now;
    auto& kept = tasks_[t.spec.id] = t;
    dispatcher.add(policy, kept);
    return kept;
  }
  void add_many(std::size_t count, const std::string& key, const std::string& type = "t") {
    for (; count > 0; --count)
      add(key, type);
  }

  /// The next task, which then runs; null for none.
  const task* take(const std::vector<std::string>& types = {}, bool suspects = true) {
    const auto id = dispatcher.take(policy, paused_types, types, suspects, now);
    return id ? &tasks_.at(*id) : nullptr;
  }
  /// The key of the next task, which is done at once; `-` for none.
  std::string serve(const std::vector<std::string>& types = {}) {
    const auto* t = take(types);
    if (t == nullptr)
      return "-";
    dispatcher.ended(t->spec);
    return t->spec.key;
  }
  /// How many of each key are among the next ones.
  std::map<std::string, int> serve_many(int count, const std::vector<std::string>& types = {}) {
    std::map<std::string, int> served;
    for (; count > 0; --count)
      ++served[serve(types)];
    return served;
  }

  duration next_chance() const { return dispatcher.next_chance(policy, now) - now; }
  bool no_chance() const { return dispatcher.next_chance(policy, now) == instant::max(); }

  core::dispatcher dispatcher;

private:
  core::uuid_source ids_{1};
  std::unordered_map<task_id, task> tasks_;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(dispatcher_order, desk)

// B49
BOOST_AUTO_TEST_CASE(the_oldest_goes_first_whatever_the_order_in_which_they_came_in) {
  std::vector<task> tasks;
  for (int i = 0; i < 50; ++i, now += 1us)
    tasks.push_back(add("k"));
  for (const auto& t : tasks)
    dispatcher.remove(t);
  BOOST_TEST(dispatcher.waiting() == 0U);
  random_source random{3};
  auto shuffled = tasks;
  for (auto i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  for (const auto& t : shuffled)
    dispatcher.add(policy, t);
  for (const auto& t : tasks)
    BOOST_TEST(to_string(take()->spec.id) == to_string(t.spec.id));
}

// C49
BOOST_AUTO_TEST_CASE(a_priority_counts_as_much_as_the_time_that_aging_says) {
  policy.aging = 60s;
  add("k", "patient", 0);
  now += 2min - 1us;
  add("k", "urgent", 2);
  add("k", "calm", -1);
  BOOST_TEST(take()->spec.type == "urgent");
  now += 1us;
  add("k", "late", 2);
  // Made exactly two minutes later: a tie, which the older id wins.
  BOOST_TEST(take()->spec.type == "patient");
  BOOST_TEST(take()->spec.type == "late");
  BOOST_TEST(take()->spec.type == "calm");
}

// C49: nothing waits for ever.
BOOST_AUTO_TEST_CASE(a_low_priority_is_granted_in_time_though_more_urgent_tasks_keep_coming) {
  policy.aging = 10s;
  const auto low = add("k", "low", -3).spec;
  // One a second comes and one goes, so an urgent one is always there: without aging it would wait
  // for ever.
  add_many(1, "k", "urgent");
  const auto latest = beginning + 10s * 8; // From -3 to 5 are eight times the aging.
  for (;; now += 1s) {
    BOOST_REQUIRE((now <= latest + 2s));
    add("k", "urgent", 5);
    const auto* next = take();
    BOOST_REQUIRE(next != nullptr);
    if (next->spec.id == low.id)
      break;
    BOOST_TEST(next->spec.type == "urgent");
  }
  BOOST_TEST((now >= latest));
}

BOOST_AUTO_TEST_CASE(a_task_that_was_taken_out_is_not_granted) {
  const auto first = add("k");
  const auto second = add("k");
  dispatcher.remove(first);
  dispatcher.remove(first); // It is not there any more, which is no mistake.
  BOOST_TEST(dispatcher.waiting() == 1U);
  BOOST_TEST(to_string(take()->spec.id) == to_string(second.spec.id));
  BOOST_TEST(dispatcher.waiting() == 0U);
  BOOST_TEST(dispatcher.running() == 1U);
  BOOST_TEST((take() == nullptr));
}

BOOST_AUTO_TEST_CASE(a_worker_gets_only_what_it_knows_and_what_is_not_paused) {
  add("k", "a");
  add("k", "b");
  add("k", "c");
  paused_types = {"b"};
  BOOST_TEST((take({"x"}) == nullptr));
  BOOST_TEST((take({"b"}) == nullptr));
  BOOST_TEST(take({"c", "b"})->spec.type == "c");
  BOOST_TEST(take()->spec.type == "a");
  BOOST_TEST((take() == nullptr));
  paused_types.clear();
  BOOST_TEST(take()->spec.type == "b");
}

// C33
BOOST_AUTO_TEST_CASE(suspects_go_only_to_those_who_may_have_one) {
  auto t = add("k");
  dispatcher.remove(t);
  t.progress.crashes = policy.retry.crashes_max - 1;
  dispatcher.add(policy, t);
  now += 1s;
  auto unlucky = add("k");
  dispatcher.remove(unlucky);
  unlucky.progress.crashes = policy.retry.crashes_max - 2;
  dispatcher.add(policy, unlucky);
  BOOST_TEST(to_string(take({}, false)->spec.id) == to_string(unlucky.spec.id));
  BOOST_TEST((take({}, false) == nullptr));
  BOOST_TEST(to_string(take({}, true)->spec.id) == to_string(t.spec.id));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(dispatcher_shares, desk)

BOOST_AUTO_TEST_CASE(keys_share_alike_whatever_their_backlog_and_their_age) {
  add_many(5000, "early");
  now += 1h;
  for (const auto* key : {"b", "c", "d"})
    add_many(1000, key);
  auto served = serve_many(2000);
  for (const auto* key : {"early", "b", "c", "d"})
    BOOST_TEST((served[key] >= 499 && served[key] <= 501), key << ": " << served[key]);
}

BOOST_AUTO_TEST_CASE(weights_are_shares_over_thousands_of_grants) {
  policy.weights = {{"one", 1}, {"three", 3}, {"half", 0.5}};
  for (const auto* key : {"one", "three", "half"})
    add_many(10'000, key);
  auto served = serve_many(9000);
  BOOST_TEST((served["one"] >= 1990 && served["one"] <= 2010), served["one"]);
  BOOST_TEST((served["three"] >= 5990 && served["three"] <= 6010), served["three"]);
  BOOST_TEST((served["half"] >= 990 && served["half"] <= 1010), served["half"]);
  // Also in every short stretch: nobody is served in long runs.
  for (int stretch = 0; stretch < 100; ++stretch) {
    auto few = serve_many(18);
    BOOST_TEST((few["one"] >= 3 && few["one"] <= 5), few["one"]);
    BOOST_TEST((few["half"] >= 1 && few["half"] <= 3), few["half"]);
  }
}

BOOST_AUTO_TEST_CASE(a_key_that_was_idle_does_not_catch_up) {
  add_many(5000, "busy");
  add("idle");
  serve_many(1001);
  add_many(1000, "idle");
  auto served = serve_many(500);
  BOOST_TEST((served["idle"] >= 249 && served["idle"] <= 251), served["idle"]);
}

BOOST_AUTO_TEST_CASE(grants_without_competition_are_not_held_against_a_key) {
  policy.weights = {{"light", 0.01}};
  add("light");
  BOOST_TEST(serve() == "light");
  // As much as a hundred grants to another, but there was none.
  add("light");
  add_many(100, "other");
  BOOST_TEST(serve_many(2)["light"] == 1);
}

// A key is not better off for having its tasks one by one.
BOOST_AUTO_TEST_CASE(a_key_that_always_has_one_task_gets_no_more_than_its_weight) {
  policy.weights = {{"light", 1}, {"heavy", 4}};
  add_many(5000, "heavy");
  add("light");
  std::map<std::string, int> served;
  for (int i = 0; i < 1000; ++i) {
    const auto key = serve();
    ++served[key];
    if (key == "light")
      add("light");
  }
  BOOST_TEST((served["light"] >= 199 && served["light"] <= 201), served["light"]);
}

// C36: those who waited for the world outside do not make the others wait afterwards.
BOOST_AUTO_TEST_CASE(a_key_that_was_held_off_does_not_catch_up) {
  add_many(5000, "busy");
  const auto held = add("held", "remote").spec;
  add_many(3000, "held", "remote");
  dispatcher.hold_off(held, now, now + 1h);
  BOOST_TEST(serve_many(1000)["busy"] == 1000);
  now += 1h;
  auto served = serve_many(500);
  BOOST_TEST((served["held"] >= 249 && served["held"] <= 251), served["held"]);
  // Nor does one that comes only then.
  add_many(1000, "new");
  served = serve_many(600);
  for (const auto* key : {"busy", "held", "new"})
    BOOST_TEST((served[key] >= 199 && served[key] <= 201), key << ": " << served[key]);
}

BOOST_AUTO_TEST_CASE(weights_hold_among_what_some_workers_know_however_busy_the_others_are) {
  policy.weights = {{"three", 3}};
  add_many(1000, "one", "rare");
  add_many(1000, "three", "rare");
  add_many(20'000, "busy", "common");
  std::map<std::string, int> served;
  for (int i = 0; i < 400; ++i) {
    ++served[serve({"rare"})];
    serve_many(25, {"common"});
  }
  BOOST_TEST((served["one"] >= 98 && served["one"] <= 102), served["one"]);
  BOOST_TEST((served["three"] >= 298 && served["three"] <= 302), served["three"]);
}

BOOST_AUTO_TEST_CASE(thousands_of_keys_all_get_their_turn) {
  for (int round = 0; round < 3; ++round)
    for (int i = 0; i < 2000; ++i)
      add("key " + std::to_string(i));
  for (int round = 1; round <= 3; ++round) {
    const auto served = serve_many(2000);
    BOOST_TEST(served.size() == 2000U);
  }
  BOOST_TEST(serve() == "-");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(dispatcher_limits, desk)

/// Grants all it can and says how many of each type and key.
static std::map<std::string, int> fill(desk& d) {
  std::map<std::string, int> running;
  while (const auto* t = d.take())
    ++running[t->spec.type + " of " + t->spec.key];
  return running;
}

BOOST_AUTO_TEST_CASE(no_more_run_at_once_than_the_queue_may) {
  policy.running_max = 3;
  add_many(5, "k");
  std::vector<core::task_spec> running;
  for (int i = 0; i < 3; ++i)
    running.push_back(take()->spec);
  BOOST_TEST((take() == nullptr));
  BOOST_TEST(dispatcher.running() == 3U);
  dispatcher.ended(running[1]);
  BOOST_TEST((take() != nullptr));
  BOOST_TEST((take() == nullptr));
}

BOOST_AUTO_TEST_CASE(no_more_of_a_key_run_at_once_than_it_may) {
  policy.running_per_key_max = 2;
  add_many(5, "a");
  add_many(1, "b");
  auto running = fill(*this);
  BOOST_TEST(running["t of a"] == 2);
  BOOST_TEST(running["t of b"] == 1);
  BOOST_TEST(dispatcher.waiting() == 3U);
}

BOOST_AUTO_TEST_CASE(no_more_of_a_type_run_at_once_than_may_and_others_pass_them) {
  policy.types["slow"].running_max = 2;
  for (const auto* key : {"a", "b"}) {
    add_many(3, key, "slow");
    add_many(2, key, "fast");
  }
  auto running = fill(*this);
  BOOST_TEST(running["slow of a"] + running["slow of b"] == 2);
  BOOST_TEST(running["fast of a"] == 2);
  BOOST_TEST(running["fast of b"] == 2);
}

BOOST_AUTO_TEST_CASE(grants_of_earlier_hosts_count_too) {
  policy.running_max = 2;
  policy.running_per_key_max = 1;
  const auto spec = add("a").spec;
  add("a");
  add("b");
  add("c");
  dispatcher.remove({spec, {}, {}});
  dispatcher.started(spec);
  BOOST_TEST(serve_many(1)["b"] == 1);
  dispatcher.started(spec); // Whatever the limits: it was leased before they held.
  BOOST_TEST(serve() == "-");
  dispatcher.ended(spec);
  BOOST_TEST(serve() == "c");
  dispatcher.ended(spec);
  BOOST_TEST(serve() == "a");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(dispatcher_rates, desk)

/// At random moments as many as possible are granted: in no window more than the rate allows, and
/// all in all at least a third of that, though what a full bucket gets in long pauses is lost.
static void check_rate(desk& d, const core::rate_limit& rate, const std::string& type) {
  random_source random{11};
  std::vector<instant> grants;
  const auto began = d.now;
  for (int i = 0; i < 3000; ++i) {
    d.now += duration{static_cast<std::int64_t>(random.below(300'000))};
    if (random.one_in(100))
      d.now += 10s; // Long enough for any bucket to fill up.
    while (const auto* t = d.take({type})) {
      d.dispatcher.ended(t->spec);
      grants.push_back(d.now);
    }
  }
  for (std::size_t first = 0; first < grants.size(); ++first)
    for (auto last = first; last < std::min(first + 100, grants.size()); ++last) {
      const auto seconds = std::chrono::duration<double>(grants[last] - grants[first]).count();
      BOOST_REQUIRE(static_cast<double>(last - first + 1)
                    <= rate.burst + rate.per_second * seconds + 1e-6);
    }
  const auto all = std::chrono::duration<double>(d.now - began).count() * rate.per_second;
  BOOST_TEST(static_cast<double>(grants.size()) > all / 3);
}

// C34
BOOST_AUTO_TEST_CASE(a_queue_never_grants_more_than_its_rate) {
  policy.rate = {7.3, 4};
  add_many(20'000, "k");
  check_rate(*this, policy.rate, "t");
}

// C34
BOOST_AUTO_TEST_CASE(a_type_never_is_granted_more_than_its_rate_and_does_not_slow_others) {
  policy.types["remote"].rate = {2.5, 1};
  add_many(20'000, "k", "remote");
  add_many(10, "k", "local");
  check_rate(*this, policy.types["remote"].rate, "remote");
  BOOST_TEST(serve_many(10, {"local"})["k"] == 10);
}

// C35: the rate of who asked, not of what is asked.
BOOST_AUTO_TEST_CASE(a_credential_never_is_granted_more_than_its_own_rate) {
  policy.credentials.each = {1, 1};
  policy.credentials.named["gold"] = {10, 5};
  for (int i = 0; i < 20; ++i) {
    add("k", "a", 0, "gold");
    add("k", "b", 0, "gold");
    add("k", "a", 0, "basic");
    add("k", "b", 0, "other");
    add("k", "a"); // No credential, no limit.
  }
  const auto granted = [&] {
    std::map<std::string, int> count;
    while (const auto* t = take())
      ++count[t->spec.credential];
    return count;
  };
  auto first = granted();
  BOOST_TEST(first[""] == 20);
  // A bucket begins with one and not full: what was granted before a restart is not known.
  BOOST_TEST(first["gold"] == 1);
  BOOST_TEST(first["basic"] == 1);
  BOOST_TEST(first["other"] == 1);
  now += 10s;
  auto later = granted();
  BOOST_TEST(later["gold"] == 5);
  BOOST_TEST(later["basic"] == 1);
  BOOST_TEST(later["other"] == 1);
  now += 1s - 1us;
  BOOST_TEST(granted()["basic"] == 0);
  now += 1us;
  BOOST_TEST(granted()["basic"] == 1);
}

// C35: those who ask as nobody share one rate.
BOOST_AUTO_TEST_CASE(tasks_without_a_credential_have_a_rate_of_their_own) {
  policy.credentials.without = {0.5, 2};
  policy.credentials.each = {5, 1};
  for (int i = 0; i < 20; ++i) {
    add("k", "a");
    add("l", "b");
    add("k", "a", 0, "gold");
  }
  const auto granted = [&] {
    std::map<std::string, int> count;
    while (const auto* t = take())
      ++count[t->spec.credential];
    return count;
  };
  auto first = granted();
  BOOST_TEST(first[""] == 1);
  BOOST_TEST(first["gold"] == 1);
  BOOST_TEST((next_chance() == 200ms));
  now += 2s - 1us;
  BOOST_TEST(granted()[""] == 0);
  now += 1us;
  BOOST_TEST(granted()[""] == 1);
  now += 1h;
  BOOST_TEST(granted()[""] == 2);
}

// C34, C35: one type may ask more rarely than the others as the same somebody.
BOOST_AUTO_TEST_CASE(a_type_may_have_rates_of_its_own_for_credentials) {
  policy.credentials.each = {10, 1};
  policy.types["search"].credentials.each = {0.5, 1};
  policy.types["search"].credentials.named["gold"] = {2, 1};
  policy.types["search"].credentials.without = {0.25, 1};
  const auto granted_in = [&](duration time) {
    std::map<std::string, int> count;
    for (const auto end = now + time; now < end; now += 50ms)
      while (const auto* t = take()) {
        ++count[t->spec.type + " " + t->spec.credential];
        dispatcher.ended(t->spec);
      }
    return count;
  };
  for (int i = 0; i < 400; ++i)
    for (const auto* credential : {"", "gold", "basic", "other"}) {
      add("k", "search", 0, credential);
      add("k", "read", 0, credential);
    }
  auto count = granted_in(20s);
  BOOST_TEST(count["search basic"] == 10);
  BOOST_TEST(count["search other"] == 10);
  BOOST_TEST(count["search gold"] == 40);
  BOOST_TEST(count["search "] == 5);
  BOOST_TEST(count["read "] == 400);
  // Both rates hold, and what one type leaves is for the others.
  BOOST_TEST(count["read basic"] + count["search basic"] <= 200);
  BOOST_TEST(count["read basic"] >= 180);
  BOOST_TEST(count["read gold"] + count["search gold"] <= 200);
}

// C35
BOOST_AUTO_TEST_CASE(rates_of_types_for_credentials_are_forgotten_when_they_are_full_again) {
  policy.types["t"].credentials.each = {1, 1};
  for (int i = 0; i < 20'000; ++i) {
    now += 10ms;
    const auto spec = add("k", "t", 0, "user-" + std::to_string(i)).spec;
    BOOST_REQUIRE(take() != nullptr);
    dispatcher.ended(spec);
  }
  BOOST_TEST(dispatcher.remembered() <= 1'024U);
  add("k", "t", 0, "user-19999");
  BOOST_TEST(take() == nullptr);
  BOOST_TEST((next_chance() == 1s));
}

// C34, C35
BOOST_AUTO_TEST_CASE(a_credential_of_a_type_never_is_granted_more_than_its_rate) {
  policy.types["t"].credentials.without = {7.3, 4};
  add_many(20'000, "k");
  check_rate(*this, policy.types["t"].credentials.without, "t");
}

// C35: a credential for each of a million users is no reason to grow for ever.
BOOST_AUTO_TEST_CASE(grants_without_consequence_are_forgotten) {
  const auto serve_credentials = [&](int from, int until) {
    for (int i = from; i < until; ++i) {
      now += 10ms;
      const auto spec = add("k", "t", 0, "user-" + std::to_string(i)).spec;
      BOOST_REQUIRE(take() != nullptr);
      dispatcher.ended(spec);
      if (i % 3 == 0)
        dispatcher.hold_off(spec, now, now + 2s);
    }
  };
  policy.credentials.each = {1, 1};
  serve_credentials(0, 20'000);
  BOOST_TEST(dispatcher.remembered() <= 1'024U);

  // What has consequences is not: the last second's rates, and the pauses.
  add("k", "t", 0, "user-19999");
  add("k", "t", 0, "user-19998"); // also held off
  BOOST_TEST(take() == nullptr);
  now += 1s;
  const auto* one = take();
  BOOST_REQUIRE(one != nullptr);
  BOOST_TEST(one->spec.credential == "user-19999");
  BOOST_TEST(take() == nullptr);
  now += 1s;
  BOOST_TEST(take() != nullptr);
}

// C35: neither are those that may have several at once.
BOOST_AUTO_TEST_CASE(credentials_with_bursts_are_forgotten_and_keep_them) {
  policy.credentials.each = {1, 5};
  const auto granted_of = [&](const std::string& credential) {
    std::vector<task> tasks;
    for (int i = 0; i < 10; ++i)
      tasks.push_back(add("k", "t", 0, credential));
    const auto count = serve_many(10)["k"];
    for (const auto& t : tasks)
      dispatcher.remove(t);
    return count;
  };
  BOOST_TEST(granted_of("first") == 1); // what was granted before a restart is not known
  for (int i = 0; i < 20'000; ++i) {
    now += 10ms;
    const auto spec = add("k", "t", 0, "user-" + std::to_string(i)).spec;
    BOOST_REQUIRE(take() != nullptr);
    dispatcher.ended(spec);
  }
  BOOST_TEST(dispatcher.remembered() <= 1'024U);
  BOOST_TEST(granted_of("user-0") == 5);
  BOOST_TEST(granted_of("user-19999") == 4);
  BOOST_TEST(granted_of("nobody so far") == 5);
}

// Nobody knows what was granted while there was no rate.
BOOST_AUTO_TEST_CASE(a_rate_that_is_new_begins_with_one_grant) {
  add("k", "t", 0, "c");
  BOOST_TEST(take() != nullptr);
  now += 1h;
  policy.credentials.each = {1, 5};
  dispatcher.clear_waiting();
  for (int i = 0; i < 10; ++i)
    add("k", "t", 0, "c");
  BOOST_TEST(serve_many(1)["k"] == 1);
  BOOST_TEST(take() == nullptr);
}

// finding R4, Q9
BOOST_AUTO_TEST_CASE(rate_goes_on_with_one_grant_when_the_clock_is_set_back) {
  policy.rate = {1, 3};
  for (int i = 0; i < 10; ++i)
    add("k");
  now += 24h; // it stands ahead
  BOOST_TEST(serve_many(1)["k"] == 1);
  now -= 24h;
  BOOST_TEST(serve_many(2)["k"] == 1);
  BOOST_TEST((next_chance() == 1s));
  now += 1s;
  BOOST_TEST(serve_many(2)["k"] == 1);
}

// Nodes follow the database's clock, also back.
BOOST_AUTO_TEST_CASE(rate_grants_nothing_more_when_the_clock_is_corrected_by_little) {
  policy.rate = {1, 1};
  for (int i = 0; i < 10; ++i)
    add("k");
  BOOST_TEST(serve_many(1)["k"] == 1);
  now -= 900ms;
  BOOST_TEST(take() == nullptr);
  now += 1899ms;
  BOOST_TEST(take() == nullptr);
  now += 1ms;
  BOOST_TEST(serve_many(2)["k"] == 1);
}

BOOST_AUTO_TEST_CASE(credentials_without_a_rate_are_not_remembered_at_all) {
  for (int i = 0; i < 100; ++i)
    add("k", "t", 0, "user-" + std::to_string(i));
  BOOST_TEST(serve_many(100)["k"] == 100);
  BOOST_TEST(dispatcher.remembered() == 0U);
}

// C36
BOOST_AUTO_TEST_CASE(a_retry_after_holds_off_its_type_and_credential_and_no_other) {
  const auto limited = add("k", "api", 0, "acme").spec;
  add("k", "mail", 0, "acme");
  add("k", "api", 0, "bolt");
  dispatcher.hold_off(limited, now, now + 30s);
  dispatcher.hold_off(limited, now, now + 10s); // The longest counts.
  const auto granted = [&] {
    std::multiset<std::string> names;
    while (const auto* t = take())
      names.insert(t->spec.type + " " + t->spec.credential);
    return names;
  };
  BOOST_TEST((granted() == std::multiset<std::string>{"api bolt", "mail acme"}));
  BOOST_TEST((next_chance() == 30s));
  now += 30s - 1us;
  BOOST_TEST((granted().empty()));
  now += 1us;
  BOOST_TEST((granted() == std::multiset<std::string>{"api acme"}));
}

// C34, C36: neither is a way around the limits.
BOOST_AUTO_TEST_CASE(a_new_policy_keeps_what_buckets_and_the_world_outside_have_said) {
  core::queue q;
  q.policy.types["api"].rate = {0.1, 1};
  const auto give = [&](const std::string& type) {
    core::new_task item;
    item.spec.id = {core::uuid_source{q.tasks.size() + 1}.next(now)};
    item.spec.type = type;
    BOOST_TEST((decide(q, core::enqueue{{item}}, now).refusal == core::errc::none));
  };
  for (const auto* type : {"api", "api", "web", "web"})
    give(type);
  const auto claimed = [&](std::uint8_t n, const std::string& type) {
    core::assignment_id id;
    id.value.bytes[0] = n;
    return decide(q, core::claim{"w" + std::to_string(n), id, 1, {type}}, now).answer;
  };
  BOOST_TEST(claimed(1, "api").size() == 1U);
  const auto web = claimed(2, "web");
  BOOST_REQUIRE(web.size() == 1U);
  const core::fail_task limited{"w2",         {web[0], 1}, core::failure_kind::rate_limited,
                                {"BUSY", ""}, 8s,          {}};
  decide(q, limited, now);

  auto policy_2 = q.policy;
  policy_2.aging = 1s;
  decide(q, core::set_policy{policy_2, "the second"}, now);
  BOOST_TEST(claimed(3, "api").empty());
  BOOST_TEST(claimed(4, "web").empty());
  BOOST_TEST(q.ready.running() == 1U);
  now += 8s;
  BOOST_TEST(claimed(5, "api").empty());
  BOOST_TEST(claimed(6, "web").size() == 1U);
  now += 2s;
  BOOST_TEST(claimed(7, "api").size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(dispatcher_next_chance, desk)

BOOST_AUTO_TEST_CASE(there_is_none_when_nothing_waits_or_nothing_waits_for_a_rate) {
  BOOST_TEST(no_chance());
  add("k");
  BOOST_TEST(no_chance());
  policy.running_max = 1;
  take();
  add("k");
  BOOST_TEST((take() == nullptr));
  BOOST_TEST(no_chance()); // Not time opens that, but the end of a task.
}

BOOST_AUTO_TEST_CASE(it_is_the_moment_at_which_the_rate_lets_the_next_one_go) {
  // Of queue, type and credential: each alone, at rates that no binary fraction hits.
  for (const auto per_second : {0.001, 0.3, 1.0, 3.0, 7.0, 1000.0 / 3, 99'999.0})
    for (int which = 0; which < 3; ++which) {
      desk d;
      auto& rate = which == 0   ? d.policy.rate
                   : which == 1 ? d.policy.types["t"].rate
                                : d.policy.credentials.named["c"];
      rate = {per_second, 1};
      for (int i = 0; i < 50; ++i)
        d.add("k", "t", 0, "c");
      for (int i = 0; i < 50; ++i) {
        BOOST_TEST((d.take() != nullptr));
        BOOST_TEST((d.take() == nullptr));
        if (i == 49)
          break;
        const auto wait = d.next_chance();
        BOOST_TEST((wait > 0us && wait <= duration{static_cast<int>(1e6 / per_second) + 1}));
        d.now += wait - 1us;
        BOOST_TEST((d.take() == nullptr));
        d.now += 1us;
      }
    }
}

BOOST_AUTO_TEST_CASE(the_last_of_several_rates_of_a_task_decides_and_the_first_of_several_tasks) {
  policy.types["a"].rate = {0.1, 1};
  policy.types["b"].rate = {0.2, 1};
  policy.credentials.named["c"] = {0.05, 1};
  add("k", "a", 0, "c");
  add("k", "b");
  BOOST_TEST((take() != nullptr));
  BOOST_TEST((take() != nullptr));
  BOOST_TEST(no_chance());
  add("k", "a", 0, "c"); // in 20s, for its credential
  BOOST_TEST((next_chance() == 20s));
  add("k", "a"); // in 10s
  BOOST_TEST((next_chance() == 10s));
  add("k", "b"); // in 5s
  BOOST_TEST((next_chance() == 5s));
  policy.rate = {0.125, 1};
  add("k", "x");
  BOOST_TEST((take()->spec.type == "x"));
  BOOST_TEST((next_chance() == 8s)); // in 8s, for the whole queue
}

BOOST_AUTO_TEST_CASE(rates_of_those_who_do_not_wait_are_of_no_account) {
  policy.types["a"].rate = {0.1, 1};
  const auto a = add("k", "a").spec;
  BOOST_TEST((take() != nullptr));
  dispatcher.hold_off(a, now, now + 1h);
  add("k", "b");
  BOOST_TEST(no_chance());
  add("k", "a");
  BOOST_TEST((next_chance() == 1h));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(dispatcher_obstacles, desk)

/// Limits by letter: those of the queue, the key and the type, held off, rates of queue, type and
/// credential.
static std::string limits(const desk& d, const task& t) {
  std::string text;
  for (const auto& closed : d.dispatcher.obstacles(d.policy, t.spec, d.now))
    text += "qktwQTC"[static_cast<std::size_t>(closed.which)];
  std::sort(text.begin(), text.end());
  return text;
}

BOOST_AUTO_TEST_CASE(every_limit_is_named_with_its_end) {
  policy.running_max = 3;
  policy.running_per_key_max = 1;
  policy.types["a"].running_max = 1;
  const auto first = add("k", "a").spec;
  BOOST_TEST(take() != nullptr);
  const auto waiting = add("k", "a");
  BOOST_TEST(limits(*this, waiting) == "kt");
  dispatcher.started(first);
  dispatcher.started(first);
  BOOST_TEST(limits(*this, waiting) == "kqt");

  desk rates;
  rates.policy.rate = {0.5, 1};
  rates.policy.types["a"].rate = {0.25, 1};
  rates.policy.credentials.named["c"] = {0.125, 1};
  rates.add("k", "a", 0, "c");
  BOOST_TEST(rates.take() != nullptr);
  const auto next = rates.add("k", "a", 0, "c");
  rates.dispatcher.hold_off(next.spec, rates.now, rates.now + 1h);
  std::map<core::obstacle::limit, instant> ends;
  for (const auto& closed : rates.dispatcher.obstacles(rates.policy, next.spec, rates.now))
    ends[closed.which] = closed.until;
  using limit = core::obstacle::limit;
  BOOST_TEST(ends.size() == 4U);
  BOOST_TEST((ends[limit::queue_rate] == rates.now + 2s));
  BOOST_TEST((ends[limit::type_rate] == rates.now + 4s));
  BOOST_TEST((ends[limit::credential_rate] == rates.now + 8s));
  BOOST_TEST((ends[limit::held_off] == rates.now + 1h));
}

BOOST_AUTO_TEST_CASE(those_next_in_line_are_the_first_of_every_lane) {
  BOOST_TEST(dispatcher.next_in_line().empty());
  const auto first = add("k", "a");
  now += 1s;
  add("k", "a");
  const auto typed = add("k", "b");
  const auto owned = add("k", "a", 0, "c");
  const auto other = add("l", "a");
  auto found = dispatcher.next_in_line();
  std::vector<task_id> wanted{first.spec.id, typed.spec.id, owned.spec.id, other.spec.id};
  std::sort(found.begin(), found.end());
  std::sort(wanted.begin(), wanted.end());
  BOOST_TEST((found == wanted));
}

BOOST_AUTO_TEST_CASE(those_that_go_before_are_counted_in_their_own_lane) {
  policy.aging = 60s;
  const auto old = add("k", "a");
  now += 1s;
  const auto young = add("k", "a");
  add("k", "b");
  add("other", "a");
  BOOST_TEST(dispatcher.ahead_of(old) == 0U);
  BOOST_TEST(dispatcher.ahead_of(young) == 1U);
  const auto urgent = add("k", "a", 1);
  BOOST_TEST(dispatcher.ahead_of(urgent) == 0U);
  BOOST_TEST(dispatcher.ahead_of(young) == 2U);
  dispatcher.remove(young);
  BOOST_TEST(dispatcher.ahead_of(young) == 0U);
}

// Whatever happened: a task goes to somebody if and only if there is one without an obstacle, and
// the one that goes has none.
BOOST_AUTO_TEST_CASE(explanation_follows_the_decision) {
  const std::vector<std::string> keys{"k", "l"};
  const std::vector<std::string> types{"a", "b"};
  const std::vector<std::string> credentials{"", "c"};
  random_source random{17};
  std::size_t open_turns = 0;
  std::size_t closed_turns = 0;
  for (int round = 0; round < 20; ++round) {
    desk d;
    d.policy.running_max = static_cast<std::uint32_t>(random.below(5));
    d.policy.running_per_key_max = static_cast<std::uint32_t>(random.below(4));
    d.policy.types["a"].running_max = static_cast<std::uint32_t>(random.below(3));
    if (random.one_in(2))
      d.policy.rate = {1, 2};
    if (random.one_in(2))
      d.policy.types["b"].rate = {0.5, 1};
    if (random.one_in(2))
      d.policy.credentials.named["c"] = {0.25, 1};
    if (random.one_in(2))
      d.policy.credentials.without = {0.5, 1};
    if (random.one_in(2))
      d.policy.types["a"].credentials.each = {0.2, 1};
    std::map<task_id, task> waiting;
    std::vector<task> running;
    for (int turn = 0; turn < 300; ++turn) {
      d.now += std::chrono::milliseconds{random.below(900)};
      const auto what = random.below(8);
      if (what < 3) {
        const auto& t = d.add(random.of(keys), random.of(types), 0, random.of(credentials));
        waiting.emplace(t.spec.id, t);
      } else if (what < 5 && !running.empty()) {
        d.dispatcher.ended(running.back().spec);
        running.pop_back();
      } else if (what == 5 && !waiting.empty()) {
        d.dispatcher.hold_off(waiting.begin()->second.spec, d.now, d.now + 2s);
      } else {
        std::set<task_id> free;
        for (const auto& [id, t] : waiting)
          if (limits(d, t).empty())
            free.insert(id);
        const auto* taken = d.take();
        BOOST_TEST((taken != nullptr) == !free.empty());
        ++(taken != nullptr ? open_turns : closed_turns);
        if (taken == nullptr)
          continue;
        BOOST_TEST(free.count(taken->spec.id) == 1U);
        running.push_back(*taken);
        waiting.erase(taken->spec.id);
      }
    }
  }
  BOOST_TEST(open_turns > 200U);
  BOOST_TEST(closed_turns > 200U);
}

BOOST_AUTO_TEST_SUITE_END()
