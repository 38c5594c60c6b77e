// The steps that are there for a contributor: the right ones, in the right order, each once.

#include "core/step_index.hpp"

#include "tests/core/random_source.hpp"
#include "tests/core/workflow_builders.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast::core;
using holdfast::test::random_source;
using holdfast::test::step_named;

namespace {

using terms = std::vector<std::string>;
using keys = std::vector<std::string>;

step_id numbered(std::uint64_t n) {
  step_id id;
  for (std::size_t i = 0; i < 8; ++i)
    id.value.bytes[15 - i] = static_cast<std::uint8_t>(n >> 8 * i);
  return id;
}

/// Step `n` under the key `s<n>`.
step_listing listing(std::uint64_t n, std::int32_t priority = 0, requirements asks = {}) {
  step_listing made;
  made.step = numbered(n);
  made.key = "s" + std::to_string(n);
  made.priority = priority;
  made.asks = std::move(asks);
  made.revision = 1;
  return made;
}

keys keys_of(const std::vector<step_listing>& found) {
  keys all;
  for (const auto& each : found)
    all.push_back(each.key);
  return all;
}

keys found(const step_index& index, const contributor_profile& profile = {}, double trust = 0) {
  return keys_of(index.find(profile, trust, {}, 1000));
}

/// In pages of `limit`, one after the other.
keys found_in_pages(const step_index& index, const contributor_profile& profile, double trust,
                    std::size_t limit) {
  keys all;
  std::optional<step_rank> after;
  for (;;) {
    const auto page = index.find(profile, trust, after, limit);
    BOOST_TEST(page.size() <= limit);
    if (page.empty())
      return all;
    for (const auto& each : page)
      all.push_back(each.key);
    BOOST_REQUIRE(all.size() <= index.size());
    after = step_rank{page.back().priority, page.back().step};
  }
}

/// The index as anybody would write it who had the time to look at every step.
class plain_index {
public:
  void put(const step_listing& news) {
    const auto [at, fresh] = all_.try_emplace(news.step, news);
    auto& known = at->second;
    if (fresh)
      return;
    const auto before = known;
    if (news.version >= before.version)
      known = news;
    const auto& newer = news.revision >= before.revision ? news : before;
    known.status = newer.status;
    known.revision = newer.revision;
  }
  void erase(const step_id& step) { all_.erase(step); }

  keys find(const contributor_profile& profile, double trust) const {
    std::map<step_rank, std::string> by_rank;
    for (const auto& [step, known] : all_)
      if (known.status == step_status::open && lacking(known.asks, profile, trust).empty())
        by_rank[{known.priority, step}] = known.key;
    keys in_order;
    for (const auto& [rank, key] : by_rank)
      in_order.push_back(key);
    return in_order;
  }
  std::size_t size() const { return all_.size(); }

private:
  std::map<step_id, step_listing> all_;
};

/// Few different terms, so that steps and people often have some in common.
class any {
public:
  explicit any(std::uint64_t seed) : random(seed) {}

  terms some_of(const terms& choices, std::uint64_t most) {
    terms some;
    for (auto n = random.below(most + 1); n > 0; --n)
      if (const auto& one = random.of(choices);
          std::find(some.begin(), some.end(), one) == some.end())
        some.push_back(one);
    return some;
  }
  requirements asks() {
    requirements asked;
    if (random.one_in(3))
      asked.channels = some_of(channels, 2);
    asked.skills = some_of(skills, 3);
    if (random.one_in(3))
      asked.certifications = some_of(certifications, 2);
    if (random.one_in(3))
      asked.locations = some_of(places, 3);
    asked.trust = random.one_in(4) ? static_cast<double>(random.below(11)) / 10 : 0;
    return asked;
  }
  contributor_profile profile() {
    return {some_of(channels, 2),
            some_of(skills, 8),
            some_of(certifications, 3),
            random.one_in(4) ? "" : random.of(places),
            {}};
  }
  step_listing step(std::uint64_t steps) {
    auto made =
        listing(1 + random.below(steps), static_cast<std::int32_t>(random.below(5)) - 2, asks());
    made.for_people = !random.one_in(8);
    made.status = random.one_in(3) ? step_status::paused : step_status::open;
    made.version = static_cast<std::uint32_t>(1 + random.below(4));
    made.revision = 1 + random.below(4);
    made.key += ", version " + std::to_string(made.version);
    return made;
  }

  random_source random;

private:
  const terms channels{"web", "agency", "app"};
  const terms skills{"a", "b", "c", "d", "e", "f", "g", "h"};
  const terms certifications{"a", "b", "c"};
  const terms places{"DE", "DE-BY", "DE-BY-M", "DEX", "FR", "FR-75"};
};

} // namespace

BOOST_AUTO_TEST_SUITE(listings)

BOOST_AUTO_TEST_CASE(a_listing_says_what_the_row_and_the_definition_say) {
  step_row row;
  row.id = numbered(1);
  row.workflow = {numbered(2).value};
  row.status = step_status::paused;
  row.revision = 7;
  auto definition = step_named("label");
  definition.title = "What is it?";
  definition.ui = "https://ui.example/label#2";
  definition.priority = -3;
  definition.asks.skills = {"ner"};
  const auto made = listing_of(row, definition, 4);
  BOOST_TEST((made.step == row.id));
  BOOST_TEST((made.workflow == row.workflow));
  BOOST_TEST(made.key == "label");
  BOOST_TEST(made.title == "What is it?");
  BOOST_TEST(made.ui == "https://ui.example/label#2");
  BOOST_TEST(made.priority == -3);
  BOOST_TEST(made.asks.skills == terms{"ner"}, boost::test_tools::per_element());
  BOOST_TEST(made.for_people);
  BOOST_TEST(made.version == 4U);
  BOOST_TEST((made.status == step_status::paused));
  BOOST_TEST(made.revision == 7U);
}

BOOST_AUTO_TEST_CASE(a_step_is_for_people_while_tasks_leave_them_a_slot) {
  auto definition = step_named("label");
  definition.judgments_per_unit = 2;
  definition.tasks = task_executor{"q", "judge", 1};
  BOOST_TEST(listing_of({}, definition, 1).for_people);
  definition.tasks->judgments = 2;
  BOOST_TEST(!listing_of({}, definition, 1).for_people);
}

BOOST_AUTO_TEST_CASE(a_long_title_is_cut_between_two_letters) {
  const auto listed_title = [](const std::string& title) {
    auto definition = step_named("label");
    definition.title = title;
    return listing_of({}, definition, 1).title;
  };
  const std::string whole(256, 'x');
  BOOST_TEST(listed_title(whole) == whole);
  BOOST_TEST(listed_title(whole + 'x') == whole + "…");
  BOOST_TEST(listed_title(std::string(255, 'x') + "ä") == std::string(255, 'x') + "…");
  BOOST_TEST(listed_title(std::string(253, 'x') + "😀") == std::string(253, 'x') + "…");
  BOOST_TEST(listed_title(std::string(252, 'x') + "😀") == std::string(252, 'x') + "😀");
  BOOST_TEST(listed_title(std::string(252, 'x') + "😀😀") == std::string(252, 'x') + "😀…");
}

// A39
BOOST_AUTO_TEST_CASE(events_tell_how_a_step_stands_and_what_defines_it) {
  step_row row;
  row.status = step_status::paused;
  row.sealed = true;
  row.total_units = 5;
  row.completed_units = 4;
  row.revision = 3;
  auto made = listing(1, -2, {{"web"}, {"a", "b"}, {"c"}, {"DE"}, 0.75});
  made.title = "\"Say\"";
  made.ui = "form-7";
  made.version = 6;
  made.for_people = false;
  const std::string defined =
      R"("version":6,"key":"s1","title":"\"Say\"","ui":"form-7","priority":-2,)"
      R"("requirements":{"channels":["web"],"skills":["a","b"],"certifications":["c"],)"
      R"("locations":["DE"],"trust":0.75},"for_people":false})";
  BOOST_TEST(version_details(made) == '{' + defined);
  BOOST_TEST(step_details(row, made)
             == R"({"status":"Paused","sealed":true,"total_units":5,"completed_units":4,)"
                R"("revision":3,)"
                    + defined);
  BOOST_TEST(version_details(listing(2))
             == R"({"version":1,"key":"s2","title":"","ui":"","priority":0,"requirements":{},)"
                R"("for_people":true})");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(step_indexes)

BOOST_AUTO_TEST_CASE(steps_of_higher_priority_come_first_then_the_oldest) {
  step_index index;
  for (const auto& [n, priority] :
       std::vector<std::pair<int, int>>{{4, 0}, {1, 0}, {3, 7}, {5, -1}, {2, 7}})
    index.put(listing(static_cast<std::uint64_t>(n), priority));
  BOOST_TEST((found(index) == keys{"s2", "s3", "s1", "s4", "s5"}));
  BOOST_TEST((keys_of(index.find({}, 0, {}, 2)) == keys{"s2", "s3"}));
  BOOST_TEST(index.find({}, 0, {}, 0).empty());
}

BOOST_AUTO_TEST_CASE(a_list_goes_on_behind_a_step_that_is_there_no_more) {
  step_index index;
  for (std::uint64_t n = 1; n <= 5; ++n)
    index.put(listing(n));
  index.erase(numbered(3));
  index.erase(numbered(3));
  const step_rank third{0, numbered(3)};
  BOOST_TEST((keys_of(index.find({}, 0, third, 10)) == keys{"s4", "s5"}));
  BOOST_TEST(index.size() == 4U);
  BOOST_TEST(index.find(numbered(3)) == nullptr);
}

BOOST_AUTO_TEST_CASE(pages_have_every_step_once) {
  step_index index;
  const contributor_profile profile{{"web", "agency"}, {"a", "b"}, {}, "DE-BY", {}};
  for (std::uint64_t n = 1; n <= 60; ++n)
    index.put(listing(n, static_cast<std::int32_t>(n % 3),
                      n % 4 == 0   ? requirements{{"web", "agency"}, {}, {}, {}, 0}
                      : n % 4 == 1 ? requirements{{}, {"a", "b"}, {}, {}, 0}
                      : n % 4 == 2 ? requirements{{}, {}, {}, {"DE", "DE-BY"}, 0}
                                   : requirements{}));
  const auto all = found(index, profile);
  BOOST_TEST(all.size() == 60U);
  for (const std::size_t limit : {1U, 2U, 7U, 59U, 60U, 61U})
    BOOST_TEST((found_in_pages(index, profile, 0, limit) == all), "pages of " << limit);
}

BOOST_AUTO_TEST_CASE(closed_step_is_known_and_not_found) {
  for (const auto status : {step_status::paused, step_status::completed, step_status::canceled}) {
    step_index index;
    auto closed = listing(1);
    closed.status = status;
    index.put(closed);
    BOOST_TEST(found(index).empty());
    BOOST_TEST(index.size() == 1U);
    BOOST_REQUIRE(index.find(numbered(1)) != nullptr);
    BOOST_TEST((index.find(numbered(1))->status == status));
    closed.status = step_status::open;
    ++closed.revision;
    index.put(closed);
    BOOST_TEST((found(index) == keys{"s1"}));
  }
}

// A1: what a task cannot do, people do
BOOST_AUTO_TEST_CASE(a_step_where_tasks_should_do_all_the_work_is_found) {
  step_index index;
  auto of_tasks = listing(1);
  of_tasks.for_people = false;
  index.put(of_tasks);
  BOOST_TEST((found(index) == keys{"s1"}));
}

BOOST_AUTO_TEST_CASE(older_news_count_for_nothing) {
  step_index index;
  auto news = listing(1, 5);
  news.version = 3;
  news.revision = 8;
  index.put(news);

  // An old definition, and how the step stands now.
  auto half = listing(1, 1, {{}, {"a"}, {}, {}, 0});
  half.key = "old";
  half.version = 2;
  half.revision = 9;
  half.status = step_status::paused;
  index.put(half);
  BOOST_TEST(found(index).empty());
  BOOST_TEST(index.find(numbered(1))->key == "s1");
  BOOST_TEST(index.find(numbered(1))->priority == 5);
  BOOST_TEST(index.find(numbered(1))->version == 3U);
  BOOST_TEST(index.find(numbered(1))->revision == 9U);

  // The definition of now, and how the step stood before.
  auto other = listing(1, 7, {{}, {"a"}, {}, {}, 0});
  other.key = "new";
  other.workflow = {numbered(9).value};
  other.version = 4;
  other.revision = 8;
  index.put(other);
  BOOST_TEST(found(index, {{}, {"a"}, {}, "", {}}).empty());
  BOOST_TEST(index.find(numbered(1))->key == "new");
  BOOST_TEST((index.find(numbered(1))->workflow == other.workflow));
  BOOST_TEST((index.find(numbered(1))->status == step_status::paused));

  // Of the same age: taken.
  other.revision = 9;
  other.status = step_status::open;
  index.put(other);
  BOOST_TEST((found(index, {{}, {"a"}, {}, "", {}}) == keys{"new"}));
  BOOST_TEST(found(index).empty());

  // Older in both.
  news.priority = 0;
  news.status = step_status::canceled;
  index.put(news);
  BOOST_TEST((found(index, {{}, {"a"}, {}, "", {}}) == keys{"new"}));
}

BOOST_AUTO_TEST_CASE(a_step_moves_with_its_priority) {
  step_index index;
  index.put(listing(1, 1));
  index.put(listing(2, 2));
  index.put(listing(1, 3));
  BOOST_TEST((found(index) == keys{"s1", "s2"}));
}

// Whatever is put, in whatever order, and whoever asks: as though every step were looked at.
BOOST_AUTO_TEST_CASE(index_finds_the_steps_that_a_full_scan_finds) {
  std::size_t matches = 0;
  std::size_t rejections = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    any random{seed};
    step_index index;
    plain_index plain;
    const auto compare = [&] {
      const auto profile = random.profile();
      const auto trust = static_cast<double>(random.random.below(11)) / 10;
      const auto expected = plain.find(profile, trust);
      BOOST_TEST((found(index, profile, trust) == expected));
      BOOST_TEST((found_in_pages(index, profile, trust, 1 + random.random.below(9)) == expected));
      matches += expected.size();
      rejections += plain.size() - expected.size();
    };
    for (int round = 0; round < 1500; ++round)
      BOOST_TEST_CONTEXT("seed " << seed << ", round " << round) {
        if (random.random.one_in(6)) {
          const auto step = numbered(1 + random.random.below(400));
          index.erase(step);
          plain.erase(step);
        } else {
          const auto news = random.step(400);
          index.put(news);
          plain.put(news);
        }
        if (round % 20 == 0)
          compare();
      }
    for (int i = 0; i < 200; ++i)
      BOOST_TEST_CONTEXT("seed " << seed << ", at the end") { compare(); }
    BOOST_TEST(index.size() == plain.size());
    BOOST_TEST(index.steps().size() == plain.size());
  }
  BOOST_TEST(matches > 10'000U);
  BOOST_TEST(rejections > 10'000U);
}

BOOST_AUTO_TEST_SUITE_END()
