// The rules of a workflow definition: bounds from both sides, and the shape of the tree.

#include "core/workflow.hpp"
#include "tests/core/workflow_builders.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast::core;
using holdfast::test::step_named;
using holdfast::test::text_of;
using holdfast::test::workflow_of;
using namespace std::chrono_literals;

namespace {

/// All problems, one per line; empty when there are none.
std::string problems(const workflow_definition& definition) {
  return text_of(problems_of(definition));
}

template <class Change>
std::string problems_after(Change&& change) {
  auto definition = workflow_of({step_named("a")});
  change(definition.steps[0]);
  return problems(definition);
}

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_rules)

BOOST_AUTO_TEST_CASE(a_name_has_one_to_two_hundred_bytes) {
  const auto named = [](std::size_t length) {
    auto definition = workflow_of({step_named("a")});
    definition.name = std::string(length, 'n');
    return problems(definition);
  };
  BOOST_TEST(named(1) == "");
  BOOST_TEST(named(200) == "");
  BOOST_TEST(named(0) == "/name: must be 1 to 200 bytes");
  BOOST_TEST(named(201) == "/name: must be 1 to 200 bytes");
}

BOOST_AUTO_TEST_CASE(a_workflow_has_one_to_sixty_four_steps) {
  const auto chain = [](std::size_t length) {
    workflow_definition definition{"w", {}};
    for (std::size_t i = 0; i < length; ++i)
      definition.steps.push_back(step_named(
          "s" + std::to_string(i),
          i + 1 < length ? std::vector{"s" + std::to_string(i + 1)} : std::vector<std::string>{}));
    return problems(definition);
  };
  BOOST_TEST(chain(1) == "");
  BOOST_TEST(chain(64) == "");
  BOOST_TEST(chain(0) == "/steps: must have between 1 and 64 steps");
  BOOST_TEST(chain(65) == "/steps: must have between 1 and 64 steps");
}

BOOST_AUTO_TEST_CASE(a_key_is_short_plain_and_unique) {
  const auto keyed = [](const std::string& key) {
    return problems(workflow_of({step_named(key)}));
  };
  const std::string refused = "/steps/0/key: must be 1 to 64 characters of a-z, 0-9, _ and -";
  BOOST_TEST(keyed("a") == "");
  BOOST_TEST(keyed("label_2-final") == "");
  BOOST_TEST(keyed(std::string(64, 'k')) == "");
  BOOST_TEST(keyed("") == refused);
  BOOST_TEST(keyed(std::string(65, 'k')) == refused);
  for (const auto* key : {"A", "a b", "a/b", "ä", "a.b", "a{", "a`", "a@", "a:"})
    BOOST_TEST(keyed(key) == refused, key);
  BOOST_TEST(problems(workflow_of({step_named("a", {"b"}), step_named("b"), step_named("b")}))
             == "/steps/2/key: 'b' is the key of an earlier step");
}

BOOST_AUTO_TEST_CASE(judgments_per_unit_is_bounded) {
  const auto wanted = [](std::uint32_t n) {
    return problems_after([n](step_definition& s) { s.judgments_per_unit = n; });
  };
  const std::string refused = "/steps/0/judgments_per_unit: must be between 1 and 1000";
  BOOST_TEST(wanted(1) == "");
  BOOST_TEST(wanted(1000) == "");
  BOOST_TEST(wanted(0) == refused);
  BOOST_TEST(wanted(1001) == refused);
}

BOOST_AUTO_TEST_CASE(priority_is_bounded_on_both_sides) {
  const auto of_priority = [](std::int32_t n) {
    return problems_after([n](step_definition& s) { s.priority = n; });
  };
  const std::string refused = "/steps/0/priority: must be between -1000 and 1000";
  BOOST_TEST(of_priority(-1000) == "");
  BOOST_TEST(of_priority(1000) == "");
  BOOST_TEST(of_priority(-1001) == refused);
  BOOST_TEST(of_priority(1001) == refused);
}

BOOST_AUTO_TEST_CASE(a_page_to_work_with_is_named_in_bounds) {
  const auto named = [](const std::string& ui) {
    return problems_after([&](step_definition& s) { s.ui = ui; });
  };
  BOOST_TEST(named("") == "");
  BOOST_TEST(named("https://ui.example/fähre?form=7") == "");
  BOOST_TEST(named(std::string(1024, 'x')) == "");
  BOOST_TEST(named(std::string(1025, 'x')) == "/steps/0/ui: must be at most 1024 bytes");
  BOOST_TEST(named("a\nb") == "/steps/0/ui: must not hold control characters");
  BOOST_TEST(named("a\x7f") == "/steps/0/ui: must not hold control characters");
}

BOOST_AUTO_TEST_CASE(mistakes_of_requirements_are_told_at_their_place) {
  const auto asking = [](requirements asked) {
    return problems_after([&](step_definition& s) { s.asks = std::move(asked); });
  };
  BOOST_TEST(asking({{"web"}, {"ner", "pos"}, {"iso"}, {"DE"}, 1}) == "");
  BOOST_TEST(asking({{}, {"ner", "ner"}, {}, {}, 0})
             == "/steps/0/requirements/skills/1: names 'ner' twice");
  BOOST_TEST(asking({std::vector<std::string>(65, "x y"), {}, {}, {}, 0})
                 .rfind("/steps/0/requirements/channels: must be at most 64\n", 0)
             == 0U);
  BOOST_TEST(asking({{}, {}, {}, {}, 1.1}) == "/steps/0/requirements/trust: must be from 0 to 1");
  BOOST_TEST(asking({{}, {}, {}, {}, -0.1}) == "/steps/0/requirements/trust: must be from 0 to 1");
}

BOOST_AUTO_TEST_CASE(lease_times_are_bounded_to_the_microsecond) {
  const auto leased = [](duration ttl, duration total, duration regrant) {
    return problems_after([&](step_definition& s) { s.lease = {ttl, total, regrant}; });
  };
  const auto month = std::chrono::hours{24 * 30};
  const std::string ttl = "/steps/0/lease/ttl_seconds: must be between 0.01 and 2592000 (30 days)";
  BOOST_TEST(leased(10ms, 10ms, 0s) == "");
  BOOST_TEST(leased(month, month, month) == "");
  BOOST_TEST(leased(10ms - 1us, 1s, 0s) == ttl);
  BOOST_TEST(leased(month + 1us, month * 2, 0s) == ttl);
  BOOST_TEST(leased(1s, 1s - 1us, 0s)
             == "/steps/0/lease/total_max_seconds: must not be less than ttl_seconds");
  BOOST_TEST(leased(1s, 1s, -1us) == "/steps/0/lease/regrant_after_seconds: must not be negative");
}

BOOST_AUTO_TEST_CASE(an_answer_pointer_is_empty_or_begins_with_a_slash) {
  const auto answered = [](std::string pointer) {
    return problems_after([&](step_definition& s) { s.answer_pointer = pointer; });
  };
  BOOST_TEST(answered("") == "");
  BOOST_TEST(answered("/") == "");
  BOOST_TEST(answered("/a/b") == "");
  BOOST_TEST(answered("a")
             == "/steps/0/aggregation/answer: must be a JSON pointer such as /answer");
}

// A13, A69, A74
BOOST_AUTO_TEST_CASE(steps_form_a_tree_that_begins_with_the_first) {
  BOOST_TEST(problems(workflow_of({step_named("a", {"b", "c"}), step_named("b", {"d"}),
                                   step_named("c"), step_named("d")}))
             == "");
  // The order of the steps is free but for the first.
  BOOST_TEST(problems(workflow_of({step_named("a", {"d"}), step_named("b"), step_named("c", {"b"}),
                                   step_named("d", {"c"})}))
             == "");
}

BOOST_AUTO_TEST_CASE(a_step_nobody_leads_to_is_refused) {
  BOOST_TEST(problems(workflow_of({step_named("a"), step_named("b")}))
             == "/steps/1: no step leads here from the first");
  BOOST_TEST(problems(workflow_of({step_named("a", {"b", "b"}), step_named("b")}))
             == "/steps/0/next/1: names 'b' twice");
  BOOST_TEST(problems(workflow_of({step_named("a", {"x"})}))
             == "/steps/0/next/0: no step has the key 'x'");
}

// A88, G-4
BOOST_AUTO_TEST_CASE(a_step_after_another_may_gather) {
  const auto gathering = [](gather_policy policy) {
    auto second = step_named("b");
    second.gather = policy;
    return problems(workflow_of({step_named("a", {"b"}), second}));
  };
  BOOST_TEST(gathering({gather_by::count, 2}) == "");
  BOOST_TEST(gathering({gather_by::count, 1000}) == "");
  BOOST_TEST(gathering({gather_by::list, 0}) == "");
  const std::string size = "/steps/1/gather/size: must be between 2 and 1000";
  BOOST_TEST(gathering({gather_by::count, 1}) == size);
  BOOST_TEST(gathering({gather_by::count, 1001}) == size);
  BOOST_TEST(gathering({gather_by::list, 3})
             == "/steps/1/gather/size: must be left out: a list has as many as it has");
  auto first = step_named("a");
  first.gather = {gather_by::count, 2};
  BOOST_TEST(problems(workflow_of({first}))
             == "/steps/0/gather: is for steps after another one: source data comes in row by row");
  auto review = step_named("b");
  review.gather = {gather_by::count, 2};
  review.aggregation.method = aggregation_method::review;
  BOOST_TEST(problems(workflow_of({step_named("a", {"b"}), review}))
             == "/steps/1/gather: excludes a review, which is of one result");
}

// A88: what was a chain of its own cannot be sent back out of a batch.
BOOST_AUTO_TEST_CASE(no_way_leads_back_over_a_step_that_gathers) {
  const auto back_to = [](const std::string& key, bool gathers) {
    auto join = step_named("join", {"check"});
    if (gathers)
      join.gather = {gather_by::count, 2};
    auto check = step_named("check");
    route back;
    back.when.answers = {"no"};
    back.to = {key};
    check.routes = {back};
    return problems(workflow_of({step_named("a", {"b"}), step_named("b", {"join"}), join, check}));
  };
  const std::string refused =
      "/steps/3/routes/0: leads back over 'join', which gathers units of several chains";
  BOOST_TEST(back_to("a", true) == refused);
  BOOST_TEST(back_to("b", true) == refused);
  BOOST_TEST(back_to("join", true) == "");
  BOOST_TEST(back_to("check", true) == "");
  BOOST_TEST(back_to("b", false) == "");
}

// A88, G-4
BOOST_AUTO_TEST_CASE(several_steps_may_lead_to_one) {
  const auto definition = workflow_of({step_named("a", {"b", "c"}), step_named("b", {"d"}),
                                       step_named("c", {"d"}), step_named("d")});
  BOOST_TEST(problems(definition) == "");
  const auto places = places_in(definition);
  BOOST_TEST(places[0].upstreams == 0U);
  BOOST_TEST(places[1].upstreams == 1U);
  BOOST_TEST(places[3].upstreams == 6U);
  BOOST_TEST(places[1].one_way_in);
  BOOST_TEST(!places[3].one_way_in);
}

BOOST_AUTO_TEST_CASE(route_that_leads_every_unit_back_is_refused) {
  BOOST_TEST(problems(workflow_of({step_named("a", {"a"})}))
             == "/steps/0/next: leads every unit back to 'a'; a way back needs a condition");
  BOOST_TEST(problems(workflow_of({step_named("a", {"b"}), step_named("b", {"a"})}))
             == "/steps/1/next: leads every unit back to 'a'; a way back needs a condition");
  BOOST_TEST(problems(workflow_of({step_named("a"), step_named("b", {"b"})}))
             == "/steps/1: no step leads here from the first");
}

// A20, A21: a review that sends back
BOOST_AUTO_TEST_CASE(a_way_back_has_a_condition_and_does_not_seal) {
  auto label = step_named("label", {"review"});
  auto review = step_named("review");
  review.aggregation.method = aggregation_method::review;
  route back;
  back.when.answers = {"reject"};
  back.to = {"label"};
  route on;
  on.to = {"export"};
  review.routes = {back, on};
  // Listed before the step that leads to it: what leads back is a matter of the graph.
  const auto definition = workflow_of({label, step_named("export"), review});
  BOOST_TEST(problems(definition) == "");
  const auto places = places_in(definition);
  BOOST_TEST(places[2].ways.at(0).targets.at(0).back);
  BOOST_TEST(!places[2].ways.at(1).targets.at(0).back);
  BOOST_TEST(!places[0].ways.at(0).targets.at(0).back);
  BOOST_TEST(places[0].upstreams == 0U);
  BOOST_TEST(places[1].upstreams == 4U);
  BOOST_TEST(places[2].upstreams == 1U);
  BOOST_TEST(!places[0].one_way_in);
  BOOST_TEST(places[1].one_way_in);
  BOOST_TEST(places[2].one_way_in);
}

BOOST_AUTO_TEST_CASE(every_part_of_a_route_has_its_bounds) {
  const auto routed = [](auto&& change) {
    auto first = step_named("a");
    route rule;
    rule.when.confidence_below = 0.5;
    rule.to = {"b"};
    first.routes = {rule};
    auto definition = workflow_of({first, step_named("b")});
    change(definition.steps[0]);
    return problems(definition);
  };
  using changed = step_definition&;
  BOOST_TEST(routed([](changed) {}) == "");
  BOOST_TEST(routed([](changed s) { s.routes[0].to = {"x"}; })
             == "/steps/0/routes/0/to/0: no step has the key 'x'");
  BOOST_TEST(routed([](changed s) {
               s.routes[0].to = {"b", "b"};
             })
             == "/steps/0/routes/0/to/1: names 'b' twice");
  BOOST_TEST(routed([](changed s) { s.next = {"b"}; })
             == "/steps/0/routes: excludes next: routes say all of it");
  BOOST_TEST(routed([](changed s) { s.routes[0].loops_max = 0; })
             == "/steps/0/routes/0/loops_max: must be between 1 and 100");
  BOOST_TEST(routed([](changed s) { s.routes[0].loops_max = 101; })
             == "/steps/0/routes/0/loops_max: must be between 1 and 100");
  BOOST_TEST(routed([](changed s) { s.routes[0].loops_max = 100; }) == "");
  for (const double share : {0.0, -0.1, 1.1})
    BOOST_TEST(routed([&](changed s) { s.routes[0].when.confidence_below = share; })
               == "/steps/0/routes/0/when/confidence_below: must be above 0 and at most 1");
  BOOST_TEST(routed([](changed s) { s.routes[0].when.sample = 2; })
             == "/steps/0/routes/0/when/sample: must be above 0 and at most 1");
  BOOST_TEST(routed([](changed s) { s.routes[0].when.sent_back = 0; })
             == "/steps/0/routes/0/when/sent_back: must be between 1 and 100");
  BOOST_TEST(routed([](changed s) { s.routes[0].when.sent_back = 101; })
             == "/steps/0/routes/0/when/sent_back: must be between 1 and 100");
  BOOST_TEST(routed([](changed s) { s.routes[0].when.sent_back = 100; }) == "");
  for (const std::uint32_t units : {0U, 1'000'001U})
    BOOST_TEST(routed([&](changed s) { s.routes[0].when.judged_fewer = units; })
               == "/steps/0/routes/0/when/judged_fewer: must be between 1 and 1000000");
  for (const std::uint32_t units : {1U, 1'000'000U})
    BOOST_TEST(routed([&](changed s) { s.routes[0].when.judged_fewer = units; }) == "");
  BOOST_TEST(routed([](changed s) { s.routes[0].when.trust_below = 2; })
             == "/steps/0/routes/0/when/trust_below: must be above 0 and at most 1");
  BOOST_TEST(routed([](changed s) { s.routes[0].when.agreement_below = 2; })
             == "/steps/0/routes/0/when/agreement_below: must be above 0 and at most 1");
  BOOST_TEST(
      routed([](changed s) {
        s.aggregation.labels = {"no", "yes"};
        s.routes[0].when.answers = {"yes", "maybe"};
      })
      == "/steps/0/routes/0/when/answer: 'maybe' is none of the answers that the step knows");
  BOOST_TEST(routed([](changed s) {
               auto all = s.routes[0];
               all.when = {};
               s.routes.insert(s.routes.begin(), all);
             })
             == "/steps/0/routes/0: takes every unit, so that the routes after it are never "
                "looked at");
  BOOST_TEST(routed([](changed s) { s.routes.resize(65, s.routes[0]); })
             == "/steps/0/routes: must be at most 64");
}

// A88, G-4
BOOST_AUTO_TEST_CASE(conditions_of_a_route_on_the_input_have_bounds) {
  const auto asking = [](std::vector<input_condition> input, std::size_t step = 0) {
    route rule;
    rule.when.input = std::move(input);
    std::vector<step_definition> steps{step_named("a"), step_named("b"), step_named("c")};
    steps[0].next = {"b"};
    steps[1].next = {"c"};
    rule.to = steps[step].next;
    steps[step].next.clear();
    steps[step].routes = {rule};
    return problems(workflow_of(std::move(steps)));
  };
  const std::string place = "/steps/0/routes/0/when/input";
  BOOST_TEST(asking({{"/x", {"1"}, {}, {}}}) == "");
  BOOST_TEST(asking({{"/x", {}, 0.5, {}}}) == "");
  BOOST_TEST(asking({{"/x", {}, {}, 0.5}}) == "");
  BOOST_TEST(asking({{"/x", {}, {}, {}}})
             == place
                    + "/~1x: must be a value, a list of them, or {\"at_least\": …, \"below\": …}");
  BOOST_TEST(asking({{"/x", {}, 0.5, 0.5}})
             == place + "/~1x/below: must be greater than `at_least`");
  for (const auto& pointer : {std::string{}, std::string{"x"}, '/' + std::string(256, 'x')})
    BOOST_TEST(asking({{pointer, {"1"}, {}, {}}}).find("must be named by a JSON pointer")
               != std::string::npos);
  BOOST_TEST(asking({{'/' + std::string(255, 'x'), {"1"}, {}, {}}}) == "");
  BOOST_TEST(asking({{"/x", std::vector<std::string>(256, "1"), {}, {}}}) == "");
  BOOST_TEST(asking({{"/x", std::vector<std::string>(257, "1"), {}, {}}})
             == place + "/~1x: must list at most 256 values");
  BOOST_TEST(asking({{"/x", {std::string(256, '1')}, {}, {}}}) == "");
  BOOST_TEST(asking({{"/x", {std::string(257, '1')}, {}, {}}})
             == place + "/~1x: must list values of at most 256 bytes");
  std::vector<input_condition> many;
  for (int i = 0; i < 17; ++i)
    many.push_back({"/x" + std::to_string(i), {"1"}, {}, {}});
  BOOST_TEST(asking(many) == place + ": must have at most 16 members");
  many.pop_back();
  BOOST_TEST(asking(many) == "");
  // What comes from another step has a form that is known.
  for (const auto* pointer : {"/data", "/data/x", "/item/0", "/result/answer"})
    BOOST_TEST(asking({{pointer, {"1"}, {}, {}}}, 1) == "");
  for (const auto* pointer : {"/language", "/database", "/results/answer"})
    BOOST_TEST(asking({{pointer, {"1"}, {}, {}}}, 1).find("leads nowhere") != std::string::npos,
               pointer);
}

// G-4: input mapping
BOOST_AUTO_TEST_CASE(members_shown_by_a_route_have_bounds_and_no_repetition) {
  const auto shown = [](std::vector<input_member> input) {
    auto first = step_named("a");
    route rule;
    rule.to = {"b"};
    rule.input = std::move(input);
    first.routes = {rule};
    return problems(workflow_of({first, step_named("b")}));
  };
  const std::string place = "/steps/0/routes/0/input";
  const auto many = [&](int count) {
    std::vector<input_member> input;
    for (int i = 0; i < count; ++i)
      input.push_back({"m" + std::to_string(i), "/data/" + std::to_string(i)});
    return shown(input);
  };
  BOOST_TEST(many(32) == "");
  BOOST_TEST(many(33) == place + ": must have at most 32 members");
  BOOST_TEST(shown({{std::string(128, 'n'), ""}}) == "");
  const auto name = ": must have a name of 1 to 128 bytes";
  BOOST_TEST(shown({{std::string(129, 'n'), ""}}) == place + "/" + std::string(129, 'n') + name);
  BOOST_TEST(shown({{"", "/data"}}) == place + "/" + name);
  BOOST_TEST(shown({{"a~/b", "data"}})
             == place + "/a~0~1b: must be a JSON pointer such as /data/text");
  // What is there twice would be there four times after the next such route.
  BOOST_TEST(shown({{"a", "/data"}, {"b", "/data"}})
             == place + "/b: leads to what 'a' has already");
  BOOST_TEST(shown({{"a", "/data/x/y"}, {"b", "/data/x"}})
             == place + "/a: leads to what 'b' has already");
  BOOST_TEST(shown({{"a", ""}, {"b", "/item"}}) == place + "/b: leads to what 'a' has already");
  BOOST_TEST(shown({{"a", "/data/x"}, {"b", "/data/xy"}, {"c", "/data/x~1y"}}) == "");
}

// G-4: fan-out and batches of what was mapped
BOOST_AUTO_TEST_CASE(items_of_one_list_share_no_data_behind_a_route_that_changes_them) {
  struct kind {
    bool for_each = false;
    bool maps = false;
  };
  // One route from each step to the next; the fourth step gathers.
  const auto apart = [](const std::vector<kind>& kinds) {
    std::vector<step_definition> steps;
    for (std::size_t i = 0; i <= kinds.size(); ++i) {
      steps.push_back(step_named(std::string(1, static_cast<char>('a' + i))));
      if (i == kinds.size())
        break;
      route rule;
      rule.to = {std::string(1, static_cast<char>('b' + i))};
      rule.for_each = kinds[i].for_each;
      if (kinds[i].maps)
        rule.input = {{"x", "/item"}};
      steps.back().routes = {rule};
      if (i == 3)
        steps.back().gather.emplace().by = gather_by::list;
    }
    std::string marks;
    for (const auto& place : places_in(workflow_of(steps)))
      marks += place.data_apart ? 'x' : '-';
    return marks;
  };
  const kind plain;
  const kind splits{true, false};
  const kind maps{false, true};
  const kind both{true, true};
  BOOST_TEST(apart({splits, plain, plain, plain}) == "-----");
  BOOST_TEST(apart({maps, splits, plain, plain}) == "-----");
  BOOST_TEST(apart({both, plain, plain, plain}) == "-xxx-");
  BOOST_TEST(apart({splits, maps, plain, plain}) == "--xx-");
  BOOST_TEST(apart({splits, plain, maps, plain}) == "---x-");
  // A list of lists: each of the innermost has in common what it is made from.
  BOOST_TEST(apart({both, splits, plain, plain}) == "-x---");
  BOOST_TEST(apart({both, both, plain, plain}) == "-xxx-");
  // Behind the step that gathers there is no list.
  BOOST_TEST(apart({splits, plain, plain, maps}) == "-----");
}

// A17
BOOST_AUTO_TEST_CASE(a_review_has_something_to_review_and_its_own_answers) {
  auto review = step_named("review");
  review.aggregation.method = aggregation_method::review;
  BOOST_TEST(problems(workflow_of({review}))
             == "/steps/0/aggregation/method: review needs the result of a step before it; this is "
                "the first");
  BOOST_TEST(problems(workflow_of({step_named("a", {"review"}), review})) == "");
  review.aggregation.labels = {"approve", "reject"};
  BOOST_TEST(problems(workflow_of({step_named("a", {"review"}), review}))
             == "/steps/1/aggregation/labels: must be left out: the answers of a review are "
                "approve, correct and reject");
  review.aggregation.labels.clear();
  route on;
  on.when.answers = {"approved"};
  review.routes = {on};
  BOOST_TEST(problems(workflow_of({step_named("a", {"review"}), review}))
             == "/steps/1/routes/0/when/answer: 'approved' is none of the answers that the step "
                "knows");
}

BOOST_AUTO_TEST_CASE(all_problems_are_told_at_once) {
  auto definition = workflow_of({step_named(""), step_named("b", {"x"})});
  definition.name.clear();
  definition.steps[1].judgments_per_unit = 0;
  BOOST_TEST(problems(definition)
             == "/name: must be 1 to 200 bytes\n"
                "/steps/0/key: must be 1 to 64 characters of a-z, 0-9, _ and -\n"
                "/steps/1/judgments_per_unit: must be between 1 and 1000\n"
                "/steps/1/next/0: no step has the key 'x'");
}

BOOST_AUTO_TEST_SUITE_END()
