// Workflows that go on in another form: where their steps stand, and what must stay. A72, A88

#include "core/workflow_versions.hpp"

#include "core/workflow_update.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/workflow_builders.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using holdfast::test::step_named;
using holdfast::test::text_of;
using holdfast::test::workflow_of;
using namespace std::chrono_literals;

namespace {

/// The keys of the steps that units of `version` go on to from `position`.
std::vector<std::string> targets(const versioned_workflow& w, std::uint32_t version,
                                 std::uint32_t position) {
  std::vector<std::string> keys;
  for (const auto& way : w.ways(version, position))
    for (const auto& target : way.targets)
      keys.push_back(w.keys()[target.position]);
  return keys;
}

/// Why a change is refused, one per line; empty when it is not.
std::string problems(const versioned_workflow& before, const workflow_definition& after) {
  return text_of(problems_of_change(before, after));
}

template <class Change>
std::string problems_of_update(Change&& change, bool sequentially = false) {
  auto before = workflow_of({step_named("a", {"b"}), step_named("b")});
  before.steps[1].test_questions.emplace();
  if (sequentially)
    before.steps[1].test_questions->taint.sequential.emplace();
  before.steps[1].tasks = task_executor{"q", "judge"};
  auto after = before;
  change(after);
  return problems(versioned_workflow{{before}}, after);
}

using keys = std::vector<std::string>;

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_versions)

BOOST_AUTO_TEST_CASE(a_step_keeps_its_place_when_others_are_put_before_it) {
  versioned_workflow w{{workflow_of({step_named("a", {"b"}), step_named("b")})}};
  w.add(workflow_of({step_named("a", {"c"}), step_named("c", {"b"}), step_named("b")}));
  BOOST_TEST((w.keys() == keys{"a", "b", "c"}));
  BOOST_TEST(w.latest() == 2U);
  BOOST_TEST((targets(w, 1, 0) == keys{"b"}));
  BOOST_TEST((targets(w, 2, 0) == keys{"c"}));
  BOOST_TEST((targets(w, 2, 2) == keys{"b"}));
  BOOST_TEST(targets(w, 1, 2).empty());
  BOOST_TEST(w.find(1, 2) == nullptr);
  BOOST_TEST(w.find(2, 2)->key == "c");
}

// I-6: nothing is sealed while units of an older version may still come.
BOOST_AUTO_TEST_CASE(a_step_waits_for_all_that_lead_to_it_in_any_version) {
  versioned_workflow w{{workflow_of({step_named("a", {"b"}), step_named("b")})}};
  w.add(workflow_of({step_named("a", {"c"}), step_named("c", {"b"}), step_named("b")}));
  BOOST_TEST(w.upstreams(1) == 0b101U);
  BOOST_TEST(w.upstreams(2) == 0b001U);
  BOOST_TEST(w.upstreams(0) == 0U);
}

BOOST_AUTO_TEST_CASE(a_step_that_is_dropped_stays_for_those_who_began_with_it) {
  versioned_workflow w{
      {workflow_of({step_named("a", {"b"}), step_named("b", {"c"}), step_named("c")})}};
  w.add(workflow_of({step_named("a", {"c"}), step_named("c")}));
  BOOST_TEST(w.newest(1) == 1U);
  BOOST_TEST(w.newest(2) == 2U);
  BOOST_TEST(w.step(1).key == "b");
  BOOST_TEST((targets(w, 1, 1) == keys{"c"}));
  BOOST_TEST((targets(w, 2, 0) == keys{"c"}));
  BOOST_TEST(w.upstreams(2) == 0b011U);
}

// I-5: no two parents give a child the same name.
BOOST_AUTO_TEST_CASE(children_of_a_step_with_one_way_in_lose_their_short_names_when_another_opens) {
  versioned_workflow w{{workflow_of({step_named("a", {"b"}), step_named("b")})}};
  w.add(workflow_of({step_named("a", {"c"}), step_named("c", {"b"}), step_named("b")}));
  BOOST_TEST(w.one_way_in(1, 1));
  BOOST_TEST(!w.one_way_in(2, 1));
  BOOST_TEST(w.one_way_in(2, 2));
  w.add(workflow_of({step_named("a", {"b"}), step_named("b")}));
  BOOST_TEST(!w.one_way_in(3, 1)); // units of the second version may be there
}

// G-4: what gathers in a version puts together what that version shows.
BOOST_AUTO_TEST_CASE(data_are_apart_where_and_since_when_a_route_makes_them_so) {
  route split;
  split.to = {"b"};
  split.for_each = true;
  auto first = workflow_of({step_named("a"), step_named("b")});
  first.steps[0].routes = {split};
  auto aside = split;
  aside.when.tied = true;
  aside.to = {"c"};
  split.input = {{"x", "/item"}};
  auto second = workflow_of({step_named("a"), step_named("c"), step_named("b")});
  second.steps[0].routes = {aside, split};
  versioned_workflow w{{first}};
  w.add(second);
  BOOST_TEST(!w.data_apart(1, 1));
  BOOST_TEST(!w.data_apart(2, 0));
  BOOST_TEST(w.data_apart(2, 1));
  BOOST_TEST(!w.data_apart(2, 2));
}

BOOST_AUTO_TEST_CASE(each_version_has_its_own_lease_policy_and_slots) {
  versioned_workflow w{{workflow_of({step_named("a")})}};
  auto longer = workflow_of({step_named("a")});
  longer.steps[0].lease.ttl = 20min;
  longer.steps[0].lease.late_submit = late_submit::surplus;
  longer.steps[0].judgments_per_unit = 5;
  BOOST_TEST(!w.leases(0).keep_late());
  w.add(longer);
  BOOST_TEST((w.leases(0).of(1).ttl == 15min));
  BOOST_TEST((w.leases(0).of(2).ttl == 20min));
  BOOST_TEST((w.leases(0).of(7).ttl == 20min));
  BOOST_TEST((w.leases(0).of_questions().ttl == 20min));
  BOOST_TEST(w.leases(0).keep_late());
  BOOST_TEST(first_slots(*w.find(1, 0)) == 3U);
  BOOST_TEST(first_slots(*w.find(2, 0)) == 5U);
}

BOOST_AUTO_TEST_CASE(how_a_step_is_done_may_change) {
  BOOST_TEST(problems_of_update([](auto& w) {
               auto& b = w.steps[1];
               b.title = "other";
               b.priority = 5;
               b.asks = {{"web"}, {"ner"}, {"iso"}, {"DE"}, 0.8};
               b.judgments_per_unit = 9;
               b.lease.ttl = 20min;
               b.aggregation.stopping.emplace();
               b.judgment_schema = R"({"type":"object"})";
               b.monitors = {monitor::speed};
               b.test_questions->placement.every = 20;
               w.steps.insert(w.steps.begin() + 1, step_named("new", {"b"}));
               w.steps[0].next = {"new"};
             })
             == "");
  BOOST_TEST(problems_of_update([](auto& w) {
               w.steps.pop_back();
               w.steps[0].next.clear();
             })
             == "");
}

BOOST_AUTO_TEST_CASE(nature_of_a_step_must_stay) {
  const auto refused = [](const std::string& place, auto change) {
    const auto text = problems_of_update(change);
    BOOST_TEST(text.rfind(place + ": must stay", 0) == 0U, place + " is not refused but: " + text);
  };
  refused("/name", [](auto& w) { w.name = "other"; });
  refused("/steps/0/key", [](auto& w) { w.steps[0].key = "other"; });
  refused("/steps/0/key", [](auto& w) { w.steps.erase(w.steps.begin()); });
  refused("/steps/1/aggregation/method",
          [](auto& w) { w.steps[1].aggregation.method = aggregation_method::review; });
  refused("/steps/1/aggregation/labels", [](auto& w) {
    w.steps[1].aggregation.labels = {"x", "y"};
  });
  refused("/steps/1/aggregation/answer", [](auto& w) { w.steps[1].answer_pointer = "/other"; });
  refused("/steps/1/aggregation/correction",
          [](auto& w) { w.steps[1].correction_pointer = "/other"; });
  refused("/steps/1/test_questions", [](auto& w) { w.steps[1].test_questions.reset(); });
  refused("/steps/0/test_questions", [](auto& w) { w.steps[0].test_questions.emplace(); });
  refused("/steps/1/test_questions",
          [](auto& w) { w.steps[1].test_questions->taint.threshold = 0.9; });
  refused("/steps/1/test_questions",
          [](auto& w) { w.steps[1].test_questions->taint.sequential.emplace(); });
  BOOST_TEST(problems_of_update(
                 [](auto& w) { w.steps[1].test_questions->taint.sequential->bad = 0.5; }, true)
                 .rfind("/steps/1/test_questions: must stay", 0)
             == 0U);
  BOOST_TEST(problems_of_update([](auto&) {}, true) == "");
  refused("/steps/1/tasks", [](auto& w) { w.steps[1].tasks.reset(); });
  refused("/steps/1/tasks", [](auto& w) { w.steps[1].tasks->queue = "other"; });
  refused("/steps/0/tasks", [](auto& w) { w.steps[0].tasks = task_executor{"q", "judge"}; });
}

// A22: what is counted is counted from the beginning, for the units of each version.
BOOST_AUTO_TEST_CASE(a_step_counts_judgments_in_all_its_versions_or_in_none) {
  const auto reviewed = [](bool newcomers) {
    auto w = workflow_of({step_named("a"), step_named("b")});
    route some;
    some.when.sample = 0.5;
    if (newcomers)
      some.when.judged_fewer = 9;
    some.to = {"b"};
    w.steps[0].routes = {some};
    return w;
  };
  const versioned_workflow without{{reviewed(false)}};
  BOOST_TEST(!history_needed(without, 0).judged);
  BOOST_TEST(problems(without, reviewed(true)).rfind("/steps/0/routes: may not begin to", 0) == 0U);
  versioned_workflow with{{reviewed(true)}};
  BOOST_TEST(history_needed(with, 0).judged);
  BOOST_TEST(!history_needed(with, 1).judged);
  BOOST_TEST(problems(with, reviewed(false)) == "");
  with.add(reviewed(false));
  BOOST_TEST(history_needed(with, 0).judged); // units of the first version are under way
  BOOST_TEST(problems(with, reviewed(true)) == "");
}

BOOST_AUTO_TEST_CASE(a_dropped_step_that_comes_back_is_still_what_it_was) {
  versioned_workflow w{{workflow_of({step_named("a", {"b"}), step_named("b")})}};
  w.add(workflow_of({step_named("a")}));
  auto back = workflow_of({step_named("a", {"b"}), step_named("b")});
  BOOST_TEST(problems(w, back) == "");
  back.steps[1].answer_pointer = "/other";
  BOOST_TEST(problems(w, back).rfind("/steps/1/aggregation/answer", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(all_versions_together_have_at_most_sixty_four_steps_and_there_are_a_hundred) {
  versioned_workflow w{{workflow_of({step_named("a")})}};
  const auto with = [](std::size_t first, std::size_t count) {
    auto next = workflow_of({step_named("a")});
    for (std::size_t i = first; i < first + count; ++i) {
      next.steps[0].next.push_back("s" + std::to_string(i));
      next.steps.push_back(step_named("s" + std::to_string(i)));
    }
    return next;
  };
  BOOST_TEST(problems(w, with(0, 60)) == "");
  w.add(with(0, 60));
  BOOST_TEST(problems(w, with(58, 5)) == ""); // 58 and 59 are there
  BOOST_TEST(problems(w, with(60, 4)).rfind("/steps: together with", 0) == 0U);
  while (w.latest() < workflow_versions_max)
    w.add(workflow_of({step_named("a")}));
  BOOST_TEST(problems(w, workflow_of({step_named("a")})).find("make a new workflow")
             != std::string::npos);
}

// I-6: a workflow that is sealed completes, whatever forms it has taken.
BOOST_AUTO_TEST_CASE(steps_cannot_change_their_order_under_their_keys) {
  const auto in_order = [](const std::string& first, const std::string& second) {
    return workflow_of({step_named("a", {first}), step_named(first, {second}), step_named(second)});
  };
  versioned_workflow w{{in_order("b", "c")}};
  const auto text = problems(w, in_order("c", "b"));
  BOOST_TEST(text.rfind("/steps: lead the other way round", 0) == 0U);
  BOOST_TEST(text.find("of 'b', 'c' each") != std::string::npos);
  BOOST_TEST(problems(w, in_order("c", "d")) == "");
  // Not even by way of a version between them that has only one of the two.
  w.add(workflow_of({step_named("a", {"c"}), step_named("c")}));
  BOOST_TEST(problems(w, in_order("c", "b")).rfind("/steps: lead the other way round", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(a_change_is_planned_from_what_its_author_has_read) {
  const std::vector<std::string> stored{"one", "two"};
  const auto next = plan_update(stored, 2, "three");
  BOOST_TEST((next.refusal.code == errc::none));
  BOOST_TEST(next.version == 3U);
  BOOST_TEST(next.compared == 2U);
  BOOST_TEST(!next.done);
  // What is there is not made again: the request is repeated, or changes nothing.
  for (const std::uint32_t read : {1U, 2U}) {
    const auto same = plan_update(stored, read, "two");
    BOOST_TEST((same.refusal.code == errc::none));
    BOOST_TEST(same.version == 2U);
    BOOST_TEST(same.compared == read);
    BOOST_TEST(same.done);
  }
  // Somebody else has changed it, or nobody has; nor does it go back by itself.
  for (const auto& [read, wanted] : std::vector<std::pair<std::uint32_t, std::string>>{
           {1U, "three"}, {1U, "one"}, {3U, "three"}, {3U, "two"}, {0U, "two"}}) {
    const auto refused = plan_update(stored, read, wanted);
    BOOST_TEST((refused.refusal.code == errc::wrong_state),
               read << " and " << wanted << " are not refused");
    BOOST_TEST(refused.refusal.detail.find("is at version 2, not " + std::to_string(read))
               != std::string::npos);
  }
  // Nothing came before the first version that a request could have made it from.
  BOOST_TEST((plan_update({"one"}, 0, "one").refusal.code == errc::wrong_state));
}

BOOST_AUTO_TEST_CASE(a_canceled_first_step_is_the_end_of_its_workflow) {
  step_row first;
  BOOST_TEST((obstacle_to_update(first).code == errc::none));
  first.status = step_status::paused;
  BOOST_TEST((obstacle_to_update(first).code == errc::none));
  first.sealed = true;
  BOOST_TEST((obstacle_to_update(first).code == errc::none));
  first.status = step_status::canceled;
  BOOST_TEST((obstacle_to_update(first).code == errc::wrong_state));
}

BOOST_AUTO_TEST_CASE(a_new_version_brings_its_new_steps_and_every_step_hears_of_it) {
  uuid_source ids{5};
  versioned_workflow w{{workflow_of({step_named("a", {"b"}), step_named("b")})}};
  const workflow_id id{ids.next(test::beginning)};
  std::vector<step_row> rows(2);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    rows[i].id = {ids.next(test::beginning)};
    rows[i].workflow = id;
    rows[i].key = w.keys()[i];
    rows[i].position = i;
  }
  auto next = workflow_of({step_named("a", {"c"}), step_named("c")});
  next.steps[0].priority = 3;
  next.steps[0].asks.skills = {"ner"};
  const auto made = add_version(w, rows, std::move(next), "text", ids, test::beginning);
  BOOST_TEST(w.latest() == 2U);
  BOOST_REQUIRE(rows.size() == 3U);
  BOOST_TEST(rows[2].key == "c");
  BOOST_TEST(rows[2].position == 2U);
  BOOST_REQUIRE(made.writes.size() == 2U);
  const auto& version = std::get<insert_workflow_version>(made.writes[0]);
  BOOST_TEST((version.workflow == id));
  BOOST_TEST(version.version == 2U);
  BOOST_TEST(version.definition == "text");
  const auto& added = std::get<insert_step>(made.writes[1]);
  BOOST_TEST((added.row.id == rows[2].id));
  BOOST_TEST((added.row.workflow == id));
  // That of the dropped step, too: units that began before still come to it.
  BOOST_REQUIRE(made.events.size() == 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    BOOST_TEST((made.events[i].type == event_type::job_step_updated));
    BOOST_TEST((made.events[i].step == rows[i].id));
  }
  // Each says what its step is as of the latest version that has it. How the others stand does not
  // change; the new one begins.
  const auto details = [&](std::size_t i) { return made.events[i].details; };
  BOOST_TEST(details(0)
             == R"({"version":2,"key":"a","title":"","ui":"","priority":3,)"
                R"("requirements":{"skills":["ner"]},"for_people":true})");
  BOOST_TEST(details(1)
             == R"({"version":1,"key":"b","title":"","ui":"","priority":0,"requirements":{},)"
                R"("for_people":true})");
  BOOST_TEST(
      details(2)
      == R"({"status":"Open","sealed":false,"total_units":0,"completed_units":0,)"
         R"("revision":1,"version":2,"key":"c","title":"","ui":"","priority":0,"requirements":{},)"
         R"("for_people":true})");
}

BOOST_AUTO_TEST_CASE(queues_are_named_with_their_places) {
  auto w = workflow_of({step_named("a", {"b"}), step_named("b")});
  w.steps[1].tasks = task_executor{"q", "judge"};
  const auto named = queues_named_in(w);
  BOOST_REQUIRE(named.size() == 1U);
  BOOST_TEST(named.at("q") == "/steps/1/tasks/queue");
}

BOOST_AUTO_TEST_SUITE_END()
