// Workflow definitions as requesters send them: defaults, every rule, and messages that lead to a
// definition that works.

#include "documents/workflow_document.hpp"

#include "core/workflow_versions.hpp"
#include "documents/event_details.hpp"
#include "documents/input_values.hpp"
#include "documents/routes_document.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace holdfast;
using documents::json_limits;
using namespace std::chrono_literals;

namespace {

core::workflow_definition parsed(std::string_view text) {
  auto definition = documents::parse_workflow(text, json_limits{});
  if (!definition)
    BOOST_FAIL(definition.error().detail);
  return std::move(*definition);
}

/// The detail of the refusal; "accepted" when there is none.
std::string problems(std::string_view text) {
  const auto definition = documents::parse_workflow(text, json_limits{});
  if (definition)
    return "accepted";
  BOOST_TEST(core::to_string(definition.error().code) == "payload_invalid");
  return definition.error().detail;
}

/// A workflow of one step with these further members.
std::string one_step(const std::string& members) {
  return R"({"name":"w","steps":[{"key":"a",)" + members + "}]}";
}

std::string steps(const std::vector<std::string>& list) {
  std::string text = R"({"name":"w","steps":[)";
  for (const auto& step : list)
    text += (text.back() == '[' ? "" : ",") + step;
  return text + "]}";
}

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_definitions)

// A69, A71
BOOST_AUTO_TEST_CASE(a_simple_job_is_a_workflow_of_one_step_with_defaults) {
  const auto definition = parsed(R"({"name":"Cats","steps":[{"key":"label"}]})");
  BOOST_TEST(definition.name == "Cats");
  BOOST_REQUIRE(definition.steps.size() == 1U);
  const auto& step = definition.steps[0];
  const core::step_definition by_default;
  BOOST_TEST(step.key == "label");
  BOOST_TEST(step.title == "");
  BOOST_TEST(step.judgments_per_unit == by_default.judgments_per_unit);
  BOOST_TEST((step.lease.ttl == by_default.lease.ttl));
  BOOST_TEST((step.lease.total_max == by_default.lease.total_max));
  BOOST_TEST((step.lease.regrant_after == by_default.lease.regrant_after));
  BOOST_TEST((step.lease.late_submit == core::late_submit::reject));
  BOOST_TEST((step.aggregation.method == core::aggregation_method::majority));
  BOOST_TEST(step.answer_pointer == "/answer");
  BOOST_TEST(step.judgment_schema == "");
  BOOST_TEST(step.next.empty());
  BOOST_TEST(step.priority == 0);
  BOOST_TEST(step.ui.empty());
  BOOST_TEST(step.asks.ask_nothing());
}

BOOST_AUTO_TEST_CASE(every_member_is_read) {
  const auto definition = parsed(R"({"name":"n","steps":[
    {"key":"label","title":"T","judgments_per_unit":5,
     "lease":{"ttl_seconds":0.5,"total_max_seconds":90,"regrant_after_seconds":0.000001,
              "late_submit":"surplus"},
     "aggregation":{"method":"majority","answer":"/x/y"},
     "judgment_schema":{"type":"object"},"next":["review","audit"]},
    {"key":"review"},{"key":"audit"}]})");
  const auto& step = definition.steps[0];
  BOOST_TEST(step.title == "T");
  BOOST_TEST(step.judgments_per_unit == 5U);
  BOOST_TEST((step.lease.ttl == 500ms));
  BOOST_TEST((step.lease.total_max == 90s));
  BOOST_TEST((step.lease.regrant_after == 1us));
  BOOST_TEST((step.lease.late_submit == core::late_submit::surplus));
  BOOST_TEST(step.answer_pointer == "/x/y");
  BOOST_TEST(step.judgment_schema == R"({"type":"object"})");
  BOOST_TEST(step.next == (std::vector<std::string>{"review", "audit"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_lease_longer_than_the_default_total_is_simply_not_extended) {
  const auto definition = parsed(one_step(R"("lease":{"ttl_seconds":7200})"));
  BOOST_TEST((definition.steps[0].lease.total_max == 7200s));
  BOOST_TEST((parsed(one_step(R"("lease":{"ttl_seconds":60})")).steps[0].lease.total_max == 1h));
  BOOST_TEST(problems(one_step(R"("lease":{"ttl_seconds":60,"total_max_seconds":59})"))
             == "/steps/0/lease/total_max_seconds: must not be less than ttl_seconds");
}

BOOST_AUTO_TEST_CASE(missing_members_are_named) {
  BOOST_TEST(problems("{}")
             == "/name: is missing; give the workflow one\n"
                "/steps: is missing; list at least one step");
  BOOST_TEST(problems(R"({"name":"w","steps":[{}]})")
             == "/steps/0/key: is missing; give the step one that is unique here");
  BOOST_TEST(problems("[]") == "must be an object");
  BOOST_TEST(problems(R"({"name":"w","steps":[3]})") == "/steps/0: must be an object");
  BOOST_TEST(problems(R"({"name":"w","steps":{}})") == "/steps: must be a list of steps");
  BOOST_TEST(problems(R"({"name":"w","steps":[]})") == "/steps: must have between 1 and 64 steps");
}

BOOST_AUTO_TEST_CASE(unknown_members_are_errors_with_a_suggestion) {
  BOOST_TEST(problems(R"({"name":"w","step":[],"steps":[{"key":"a"}]})")
             == "/step: is not a member that is known here; did you mean 'steps'?");
  BOOST_TEST(problems(one_step(R"("judgements_per_unit":3)"))
             == "/steps/0/judgements_per_unit: is not a member that is known here; did you mean "
                "'judgments_per_unit'?");
  BOOST_TEST(problems(one_step(R"("lease":{"ttl":3})"))
             == "/steps/0/lease/ttl: is not a member that is known here");
  BOOST_TEST(problems(one_step(R"("aggregation":{"metod":"majority"})"))
             == "/steps/0/aggregation/metod: is not a member that is known here; did you mean "
                "'method'?");
}

BOOST_AUTO_TEST_CASE(members_of_the_wrong_type_are_named) {
  BOOST_TEST(problems(R"({"name":7,"steps":[{"key":"a"}]})") == "/name: must be a string");
  BOOST_TEST(problems(R"({"name":"w","steps":[{"key":null}]})")
             == "/steps/0/key: must be a string");
  BOOST_TEST(problems(one_step(R"("title":[])")) == "/steps/0/title: must be a string");
  for (const auto* count : {"-1", "1.5", "\"3\"", "4294967296", "1e20"})
    BOOST_TEST(problems(one_step(R"("judgments_per_unit":)" + std::string{count}))
               == "/steps/0/judgments_per_unit: must be a whole number");
  for (const auto* whole : {"1.5", "\"3\"", "null", "1e2", "2147483648", "-2147483649",
                            "18446744073709551615", "-9223372036854775808"})
    BOOST_TEST(problems(one_step(R"("priority":)" + std::string{whole}))
               == "/steps/0/priority: must be a whole number");
  for (const auto* seconds : {"\"1\"", "null", "1e300", "-1e300"})
    BOOST_TEST(problems(one_step(R"("lease":{"ttl_seconds":)" + std::string{seconds} + "}"))
               == "/steps/0/lease/ttl_seconds: must be a number of seconds");
  BOOST_TEST(problems(one_step(R"("lease":3)")) == "/steps/0/lease: must be an object");
  BOOST_TEST(problems(one_step(R"("aggregation":"majority")"))
             == "/steps/0/aggregation: must be an object");
  BOOST_TEST(problems(one_step(R"("aggregation":{"method":"average"})"))
             == "/steps/0/aggregation/method: must be majority, weighted, weighted_log_odds, wawa, "
                "one_coin, dawid_skene_map, incremental, gold_selected or review");
  BOOST_TEST(problems(one_step(R"("next":"b")"))
             == "/steps/0/next: must be a list of keys of steps");
  BOOST_TEST(problems(one_step(R"("next":[1])")) == "/steps/0/next/0: must be the key of a step");
}

// A30, A48, G-1
BOOST_AUTO_TEST_CASE(a_step_may_test_its_contributors_and_stop_by_a_rule) {
  const auto definition = parsed(one_step(R"("stopping":{"min":2,"max":5,"stop_at":0.9},
    "aggregation":{"method":"incremental","labels":["10","9",true]},
    "test_questions":{"quiz":4,"quiz_pass":0.5,"every":8,"accuracy_min":0.6,"certainty":0.8,
                      "feedback":true})"));
  const auto& step = definition.steps[0];
  BOOST_REQUIRE(step.aggregation.stopping.has_value());
  BOOST_TEST(step.aggregation.stopping->min == 2U);
  BOOST_TEST(step.judgments_per_unit == 5U);
  BOOST_TEST(core::first_slots(step) == 2U);
  BOOST_TEST((step.aggregation.method == core::aggregation_method::incremental));
  const std::vector<std::string> labels{"10", "9", "true"}; // not all numbers: by bytes
  BOOST_TEST(step.aggregation.labels == labels, boost::test_tools::per_element());
  BOOST_REQUIRE(step.test_questions.has_value());
  const auto selecting = parsed(one_step(R"("stopping":{"min":2,"max":5,"stop_at":0.9},
    "aggregation":{"method":"gold_selected","labels":["a","b"]},"test_questions":{})"));
  BOOST_TEST((selecting.steps[0].aggregation.method == core::aggregation_method::gold_selected));
  BOOST_TEST(core::history_needed(core::versioned_workflow{{selecting}}, 0).votes);
  BOOST_TEST(step.test_questions->placement.quiz == 4U);
  BOOST_TEST(step.test_questions->placement.quiz_pass == 0.5);
  BOOST_TEST(step.test_questions->placement.every == 8U);
  BOOST_TEST(step.test_questions->taint.threshold == 0.6);
  BOOST_TEST(step.test_questions->taint.certainty == 0.8);
  BOOST_TEST(!step.test_questions->taint.sequential.has_value());
  BOOST_TEST(step.test_questions->feedback);
  BOOST_TEST(!selecting.steps[0].test_questions->feedback);
}

// A33, A34
BOOST_AUTO_TEST_CASE(a_step_may_name_what_its_model_is_refitted_to) {
  for (const auto method :
       {core::aggregation_method::wawa, core::aggregation_method::one_coin,
        core::aggregation_method::dawid_skene_map, core::aggregation_method::incremental}) {
    const std::string name{to_string(method)};
    const auto definition =
        parsed(one_step(R"("aggregation":{"method":")" + name + R"(","labels":["a","b"]})"));
    BOOST_TEST((definition.steps[0].aggregation.method == method), name);
    BOOST_TEST(core::history_needed(core::versioned_workflow{{definition}}, 0).votes, name);
    BOOST_TEST(problems(one_step(R"("aggregation":{"method":")" + name + R"("})"))
               == "/steps/0/aggregation/labels: must list every answer, at least two: " + name
                      + " must know what else could have been said");
  }
}

// Each method has one name in definitions, which are compared as they are written.
BOOST_AUTO_TEST_CASE(names_of_published_tables_lead_to_the_method) {
  const auto with = [](const std::string& name) {
    return problems(one_step(R"("aggregation":{"method":")" + name + R"(","labels":["a","b"]})"));
  };
  const std::string place = "/steps/0/aggregation/method: must be ";
  BOOST_TEST(with("onecoin_map")
             == place + "written 'one_coin': 'onecoin_map' is another name of it");
  BOOST_TEST(with("dawid_skene")
             == place + "written 'dawid_skene_map': 'dawid_skene' is another name of it");
  BOOST_TEST(with("mv") == place + "written 'majority': 'mv' is another name of it");
  const auto all = place
                   + "majority, weighted, weighted_log_odds, wawa, one_coin, dawid_skene_map, "
                     "incremental, gold_selected or review";
  BOOST_TEST(with("fds") == all + "; fast_dawid_skene is for recorded answers alone");
  BOOST_TEST(with("one_coin_mle") == all + "; one_coin_mle is for recorded answers alone");
}

// A27
BOOST_AUTO_TEST_CASE(a_step_may_test_its_contributors_sequentially) {
  const auto rule_of = [](const std::string& members) {
    const auto step = parsed(one_step(R"("test_questions":{"sequential":{)" + members + "}}"));
    return step.steps[0].test_questions->taint.sequential.value();
  };
  BOOST_TEST(rule_of(R"("good":0.9,"bad":0.5)").good == 0.9);
  BOOST_TEST(rule_of(R"("good":0.9,"bad":0.5)").bad == 0.5);
  BOOST_TEST(rule_of("").good == 0.85);
  BOOST_TEST(rule_of("").bad == 0.6);
}

// A25, A26
BOOST_AUTO_TEST_CASE(a_step_names_the_monitors_that_flag) {
  const auto step = parsed(one_step(R"("monitors":["speed","agreement"])")).steps[0];
  const std::vector<core::monitor> expected{core::monitor::speed, core::monitor::agreement};
  BOOST_TEST((step.monitors == expected));
  BOOST_TEST(parsed(one_step(R"("monitors":[])")).steps[0].monitors.empty());
  BOOST_TEST(problems(one_step(R"("monitors":"speed")"))
             == "/steps/0/monitors: must be a list of monitors");
  BOOST_TEST(problems(one_step(R"("monitors":["copying","Speed"])"))
             == "/steps/0/monitors/1: must be agreement, copying, patterns or speed");
  BOOST_TEST(problems(one_step(R"("monitors":["copying","copying"])"))
             == "/steps/0/monitors/1: is there already");
}

// A88, G-4
BOOST_AUTO_TEST_CASE(a_step_says_what_becomes_one_unit_there) {
  const auto after_another = [](const std::string& gather) {
    return R"({"name":"w","steps":[{"key":"a","next":["b"]},{"key":"b","gather":)" + gather + "}]}";
  };
  const auto by_count = parsed(after_another(R"({"by":"count","size":20})")).steps[1].gather;
  BOOST_REQUIRE(by_count.has_value());
  BOOST_TEST((by_count->by == core::gather_by::count));
  BOOST_TEST(by_count->size == 20U);
  const auto by_list = parsed(after_another(R"({"by":"list"})")).steps[1].gather;
  BOOST_REQUIRE(by_list.has_value());
  BOOST_TEST((by_list->by == core::gather_by::list));
  BOOST_TEST(!parsed(one_step(R"("title":"t")")).steps[0].gather.has_value());
  BOOST_TEST(problems(after_another("{}")) == "/steps/1/gather/by: is missing; say count or list");
  BOOST_TEST(problems(after_another(R"({"by":"weight"})"))
             == "/steps/1/gather/by: must be count or list");
  BOOST_TEST(problems(after_another(R"({"by":"list","sizes":3})"))
             == "/steps/1/gather/sizes: is not a member that is known here; did you mean 'size'?");
}

BOOST_AUTO_TEST_CASE(a_step_says_who_may_work_in_it_and_how_much_it_matters) {
  const auto step = parsed(one_step(R"("priority":-7,"requirements":{
    "channels":["web","agency"],"skills":["ner"],"certifications":["iso:27001"],
    "locations":["DE-BY","AT"],"trust":0.75})"))
                        .steps[0];
  BOOST_TEST(step.priority == -7);
  BOOST_TEST(parsed(one_step(R"("ui":"form/7")")).steps[0].ui == "form/7");
  const auto& asked = step.asks;
  // In their order: it is that of the author.
  BOOST_TEST((asked.channels == std::vector<std::string>{"web", "agency"}));
  BOOST_TEST((asked.skills == std::vector<std::string>{"ner"}));
  BOOST_TEST((asked.certifications == std::vector<std::string>{"iso:27001"}));
  BOOST_TEST((asked.locations == std::vector<std::string>{"DE-BY", "AT"}));
  BOOST_TEST(asked.trust == 0.75);
  BOOST_TEST(parsed(one_step(R"("requirements":{})")).steps[0].asks.ask_nothing());
  BOOST_TEST(parsed(one_step(R"("requirements":{"skills":[]})")).steps[0].asks.ask_nothing());
}

BOOST_AUTO_TEST_CASE(mistakes_of_requirements_are_named) {
  const auto with = [](const std::string& members) {
    return problems(one_step("\"requirements\":{" + members + "}"));
  };
  BOOST_TEST(problems(one_step(R"("requirements":["ner"])"))
             == "/steps/0/requirements: must be an object");
  BOOST_TEST(with(R"("skill":["ner"])")
             == "/steps/0/requirements/skill: is not a member that is known here; did you mean "
                "'skills'?");
  BOOST_TEST(with(R"("skills":"ner")")
             == "/steps/0/requirements/skills: must be a list of strings");
  BOOST_TEST(with(R"("channels":["web",1,null])")
             == "/steps/0/requirements/channels/1: must be a string\n"
                "/steps/0/requirements/channels/2: must be a string");
  BOOST_TEST(with(R"("trust":"0.5")") == "/steps/0/requirements/trust: must be a number");
  BOOST_TEST(with(R"("trust":1.5)") == "/steps/0/requirements/trust: must be from 0 to 1");
  BOOST_TEST(with(R"("certifications":["a","ä"])")
             == "/steps/0/requirements/certifications/1: must be 1 to 64 characters of a-z, A-Z, "
                "0-9, _, ., : and -");
  BOOST_TEST(with(R"("locations":["DE","AT","DE"])")
             == "/steps/0/requirements/locations/2: names 'DE' twice");
}

// A11
BOOST_AUTO_TEST_CASE(tasks_may_judge_some_of_the_slots) {
  const auto definition = parsed(one_step(R"("judgments_per_unit":5,
    "tasks":{"queue":"models","type":"label.image","judgments":2,"patience_seconds":90})"));
  const auto& tasks = definition.steps[0].tasks;
  BOOST_REQUIRE(tasks.has_value());
  BOOST_TEST(tasks->queue == "models");
  BOOST_TEST(tasks->type == "label.image");
  BOOST_TEST(tasks->judgments == 2U);
  BOOST_TEST((tasks->patience == std::chrono::seconds{90}));
  const auto usual = parsed(one_step(R"("tasks":{"queue":"q","type":"t"})")).steps[0].tasks;
  BOOST_REQUIRE(usual.has_value());
  BOOST_TEST(usual->judgments == 1U);
  BOOST_TEST((usual->patience == std::chrono::hours{24 * 7}));
  BOOST_TEST(!parsed(one_step(R"("title":"x")")).steps[0].tasks.has_value());
}

BOOST_AUTO_TEST_CASE(mistakes_of_tasks_that_judge_are_named) {
  const auto with = [](const std::string& members) {
    return problems(one_step("\"tasks\":{" + members + "}"));
  };
  BOOST_TEST(with(R"("type":"t")")
             == "/steps/0/tasks/queue: is missing; name the queue of the tasks");
  BOOST_TEST(with(R"("queue":"q")")
             == "/steps/0/tasks/type: is missing; name the type of the tasks");
  BOOST_TEST(with(R"("queue":"Q","type":"t")")
             == "/steps/0/tasks/queue: must be 1 to 64 characters of a-z, 0-9, _, . and -");
  BOOST_TEST(
      with(R"("queue":"q","type":"t","judgments":4)")
      == "/steps/0/tasks/judgments: must be between 1 and the first slots of a unit, here 3");
  BOOST_TEST(
      with(R"("queue":"q","type":"t","judgments":0)")
      == "/steps/0/tasks/judgments: must be between 1 and the first slots of a unit, here 3");
  BOOST_TEST(
      with(R"("queue":"q","type":")" + std::string(119, 't') + '"')
      == "/steps/0/tasks/type: must have from 1 to 118 bytes, beside this name of the queue");
  BOOST_TEST(with(R"("queue":"q","type":")" + std::string(118, 't') + '"') == "accepted");
  BOOST_TEST(with(R"("queue":"q","type":"t","patience_seconds":0.5)")
             == "/steps/0/tasks/patience_seconds: must be between 1 and 31536000, which is a year");
  BOOST_TEST(with(R"("queue":"q","type":"t","tries":3)").find("/steps/0/tasks/tries") == 0U);
}

BOOST_AUTO_TEST_CASE(mistakes_of_quality_control_are_named) {
  const auto with = [](const std::string& member) { return problems(one_step(member)); };
  BOOST_TEST(with(R"("judgments_per_unit":3,"stopping":{"max":3})")
             == "/steps/0/stopping: excludes judgments_per_unit: it says how many itself");
  BOOST_TEST(with(R"("stopping":{"max":0})") == "/steps/0/stopping/max: must be from 1 to 1000");
  BOOST_TEST(with(R"("stopping":{"max":3,"stop_at":2})")
             == "/steps/0/stopping/stop_at: must be above 0 and at most 1");
  BOOST_TEST(with(R"("aggregation":{"method":"incremental"})")
             == "/steps/0/aggregation/labels: must list every answer, at least two: incremental "
                "must know what else could have been said");
  BOOST_TEST(with(R"("aggregation":{"method":"gold_selected"},"test_questions":{})")
             == "/steps/0/aggregation/labels: must list every answer, at least two: gold_selected "
                "must know what else could have been said");
  BOOST_TEST(with(R"("aggregation":{"method":"gold_selected","labels":["a","b"]})")
             == "/steps/0/aggregation/method: gold_selected needs test_questions, by which it "
                "selects");
  BOOST_TEST(with(R"("aggregation":{"labels":["a"]})")
             == "/steps/0/aggregation/labels: must list from 2 to 256 answers, or be left out");
  BOOST_TEST(with(R"("aggregation":{"labels":["a","b","a"]})")
             == "/steps/0/aggregation/labels: must not list the answer 'a' twice");
  BOOST_TEST(with(R"("aggregation":{"labels":"a"})")
             == "/steps/0/aggregation/labels: must be the list of all answers there can be");
  BOOST_TEST(with(R"("test_questions":{"quiz":101})")
             == "/steps/0/test_questions/quiz: must be at most 100");
  BOOST_TEST(with(R"("test_questions":{"quiz_pass":0})")
             == "/steps/0/test_questions/quiz_pass: must be above 0 and at most 1");
  BOOST_TEST(with(R"("test_questions":{"feedback":1})")
             == "/steps/0/test_questions/feedback: must be true or false");
  BOOST_TEST(with(R"("test_questions":{"every":1})")
             == "/steps/0/test_questions/every: must be 0, or from 2 to 1000");
  BOOST_TEST(with(R"("test_questions":{"certainty":1})")
             == "/steps/0/test_questions/certainty: must be between 0 and 1");
  BOOST_TEST(with(R"("test_questions":{"accuracy_min":0})")
             == "/steps/0/test_questions/accuracy_min: must be between 0 and 1");
  BOOST_TEST(with(R"("test_questions":{"sequential":{"good":1}})")
             == "/steps/0/test_questions/sequential/good: must be between 0 and 1");
  BOOST_TEST(with(R"("test_questions":{"sequential":{"bad":0}})")
             == "/steps/0/test_questions/sequential/bad: must be between 0 and 1");
  BOOST_TEST(with(R"("test_questions":{"sequential":{"bad":0.85}})")
             == "/steps/0/test_questions/sequential/bad: must be less than `good`");
  BOOST_TEST(with(R"("test_questions":{"sequential":{},"certainty":0.8})")
             == "/steps/0/test_questions/certainty: must be left out: `sequential` decides in its "
                "place");
}

BOOST_AUTO_TEST_CASE(bounds_hold_on_both_sides) {
  BOOST_TEST(problems(one_step(R"("judgments_per_unit":1)")) == "accepted");
  BOOST_TEST(problems(one_step(R"("judgments_per_unit":1000)")) == "accepted");
  const std::string count = "/steps/0/judgments_per_unit: must be between 1 and 1000";
  BOOST_TEST(problems(one_step(R"("judgments_per_unit":0)")) == count);
  BOOST_TEST(problems(one_step(R"("judgments_per_unit":1001)")) == count);

  for (const auto* good : {"-1000", "0", "1000"})
    BOOST_TEST(problems(one_step(R"("priority":)" + std::string{good})) == "accepted");
  for (const auto* bad : {"-1001", "1001", "2147483647", "-2147483648"})
    BOOST_TEST(problems(one_step(R"("priority":)" + std::string{bad}))
               == "/steps/0/priority: must be between -1000 and 1000");

  BOOST_TEST(problems(one_step(R"("lease":{"ttl_seconds":0.01})")) == "accepted");
  BOOST_TEST(problems(one_step(R"("lease":{"ttl_seconds":2592000})")) == "accepted");
  const std::string ttl = "/steps/0/lease/ttl_seconds: must be between 0.01 and 2592000 (30 days)";
  BOOST_TEST(problems(one_step(R"("lease":{"ttl_seconds":0.009999})")) == ttl);
  BOOST_TEST(problems(one_step(R"("lease":{"ttl_seconds":2592000.000001})")) == ttl);
  BOOST_TEST(problems(one_step(R"("lease":{"regrant_after_seconds":0})")) == "accepted");
  BOOST_TEST(problems(one_step(R"("lease":{"regrant_after_seconds":-0.000001})"))
             == "/steps/0/lease/regrant_after_seconds: must not be negative");
  for (const auto* late : {"reject", "accept_if_free", "surplus"})
    BOOST_TEST(problems(one_step(R"("lease":{"late_submit":")" + std::string{late} + "\"}"))
               == "accepted");
  BOOST_TEST(problems(one_step(R"("lease":{"late_submit":"maybe"})"))
             == "/steps/0/lease/late_submit: must be reject, accept_if_free or surplus");

  const auto named = [](std::size_t length) {
    return problems(R"({"name":")" + std::string(length, 'n') + R"(","steps":[{"key":"a"}]})");
  };
  BOOST_TEST(named(200) == "accepted");
  BOOST_TEST(named(201) == "/name: must be 1 to 200 bytes");
  BOOST_TEST(named(0) == "/name: must be 1 to 200 bytes");
}

BOOST_AUTO_TEST_CASE(the_answer_must_be_a_json_pointer) {
  const auto answer = [](const std::string& pointer) {
    return problems(one_step(R"("aggregation":{"answer":")" + pointer + "\"}"));
  };
  BOOST_TEST(answer("") == "accepted");
  BOOST_TEST(answer("/") == "accepted");
  BOOST_TEST(answer("/a~0b~1c") == "accepted");
  const std::string refused =
      "/steps/0/aggregation/answer: must be a JSON pointer such as /answer, "
      "with ~0 for ~ and ~1 for /";
  BOOST_TEST(answer("label") == refused);
  BOOST_TEST(answer("/a~") == refused);
  BOOST_TEST(answer("/a~2") == refused);
}

BOOST_AUTO_TEST_CASE(schemas_are_compiled_here_and_not_at_the_first_judgment) {
  BOOST_TEST(problems(one_step(R"("judgment_schema":{"type":"strnig"})"))
             == "/steps/0/judgment_schema/type: must be one of null, boolean, object, array, "
                "number, string, integer; did you mean 'string'?");
  BOOST_TEST(problems(one_step(R"("judgment_schema":{"properties":{"a":{"pattern":"("}}})"))
                 .rfind("/steps/0/judgment_schema/properties/a/pattern: is not a usable", 0)
             == 0U);
  BOOST_TEST(problems(one_step(R"("judgment_schema":{"$ref":"#"})"))
             == "/steps/0/judgment_schema: refers to itself without going down into the value");
  BOOST_TEST(problems(one_step(R"("judgment_schema":"object")"))
             == "/steps/0/judgment_schema: must be a schema: an object, true or false");
  // A schema is stored as text; `true` is one.
  BOOST_TEST(parsed(one_step(R"("judgment_schema":true)")).steps[0].judgment_schema == "true");
}

BOOST_AUTO_TEST_CASE(the_rules_of_the_tree_come_with_their_places) {
  BOOST_TEST(problems(steps({R"({"key":"a","next":["b"]})", R"({"key":"b"})"})) == "accepted");
  BOOST_TEST(problems(steps({R"({"key":"a","next":["c"]})"}))
             == "/steps/0/next/0: no step has the key 'c'");
  BOOST_TEST(problems(steps({R"({"key":"a"})", R"({"key":"a"})"}))
             == "/steps/1/key: 'a' is the key of an earlier step");
}

BOOST_AUTO_TEST_CASE(all_problems_are_listed_up_to_fifty) {
  BOOST_TEST(problems(steps({R"({"kye":"a"})", R"({"key":1,"title":2})"}))
             == "/steps/0/key: is missing; give the step one that is unique here\n"
                "/steps/0/kye: is not a member that is known here; did you mean 'key'?\n"
                "/steps/1/key: must be a string\n"
                "/steps/1/title: must be a string");
  std::string members;
  for (int i = 0; i < 60; ++i)
    members += (i == 0 ? "" : ",") + std::string{"\"zzzzzz"} + std::to_string(i) + "\":1";
  const auto detail = problems(one_step(members));
  BOOST_TEST(std::count(detail.begin(), detail.end(), '\n') == 50);
  BOOST_TEST(detail.substr(detail.rfind('\n') + 1) == "and 10 further problems");
}

BOOST_AUTO_TEST_CASE(text_that_is_no_json_is_refused_with_the_place) {
  BOOST_TEST(problems(R"({"name":"w",})").find("line 1, column 13") != std::string::npos);
  BOOST_TEST(problems(R"({"name":"w","name":"v","steps":[]})")
             == "/name: the member appears twice in its object; send it once");
  BOOST_TEST(problems(R"({"name":"\u0000","steps":[]})")
             == "/name: the string contains \\u0000, which the database cannot hold; leave it out");
  const auto too_large = documents::parse_workflow(one_step(R"("title":"x")"), json_limits{10, 64});
  BOOST_TEST(core::to_string(too_large.error().code) == "too_large");
}

// A21, A22, A88, G-4
BOOST_AUTO_TEST_CASE(routes_are_read_in_order_with_all_that_they_ask_for) {
  const auto definition = parsed(steps({
      R"({"key":"label","routes":[
          {"when":{"answer":["unsure",7],"answer_not":"skip","confidence_below":0.5,
                   "agreement_below":0.6,"trust_below":0.7,"sample":0.1,"seed":9,"sent_back":2,
                   "judged_fewer":20,"tied":true},
           "to":["review"],"for_each":true,"exclude_judges":true,"loops_max":5},
          {"when":{"answer":{"b":1,"a":2}},"to":[]},
          {"to":["review"]}]})",
      R"({"key":"review"})",
  }));
  const auto& routes = definition.steps[0].routes;
  BOOST_REQUIRE(routes.size() == 3U);
  const auto& first = routes[0];
  BOOST_TEST(first.when.answers == (std::vector<std::string>{"unsure", "7"}),
             boost::test_tools::per_element());
  BOOST_TEST(first.when.other_answers == std::vector<std::string>{"skip"},
             boost::test_tools::per_element());
  BOOST_TEST(*first.when.confidence_below == 0.5);
  BOOST_TEST(*first.when.agreement_below == 0.6);
  BOOST_TEST(*first.when.trust_below == 0.7);
  BOOST_TEST(*first.when.sample == 0.1);
  BOOST_TEST(first.when.seed == 9U);
  BOOST_TEST(*first.when.sent_back == 2U);
  BOOST_TEST(*first.when.judged_fewer == 20U);
  BOOST_TEST(*first.when.tied);
  BOOST_TEST(first.to == std::vector<std::string>{"review"}, boost::test_tools::per_element());
  BOOST_TEST(first.for_each);
  BOOST_TEST((first.exclude_judges == true));
  BOOST_TEST(first.loops_max == 5U);
  BOOST_TEST(routes[1].when.answers == std::vector<std::string>{R"({"a":2,"b":1})"},
             boost::test_tools::per_element());
  BOOST_TEST(routes[1].to.empty());
  const auto& last = routes[2];
  BOOST_TEST(last.when.answers.empty());
  BOOST_TEST(!last.when.confidence_below);
  BOOST_TEST(!last.when.judged_fewer);
  BOOST_TEST(!last.for_each);
  BOOST_TEST(!last.exclude_judges.has_value());
  BOOST_TEST(last.loops_max == 3U);
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_route_are_told_with_their_place) {
  BOOST_TEST(problems(one_step(R"("routes":{})")) == "/steps/0/routes: must be a list of routes");
  BOOST_TEST(problems(one_step(R"("routes":[{}])"))
             == "/steps/0/routes/0/to: is missing; list the keys of steps; an empty list ends "
                "the chain");
  BOOST_TEST(problems(one_step(R"("routes":[{"to":"a"}])"))
             == "/steps/0/routes/0/to: must be a list of keys of steps");
  BOOST_TEST(problems(one_step(R"("routes":[{"to":[],"for_each":1}])"))
             == "/steps/0/routes/0/for_each: must be true or false");
  BOOST_TEST(problems(one_step(R"("routes":[{"to":[],"when":{"tied":true,"seed":1}}])"))
             == "/steps/0/routes/0/when/seed: says which units are drawn, so give `sample`, too");
  BOOST_TEST(problems(one_step(R"("routes":[{"to":[],"when":{"confidence":1}}])"))
                 .find("/steps/0/routes/0/when/confidence: ")
             == 0U);
}

// A88, G-4
BOOST_AUTO_TEST_CASE(conditions_of_a_route_on_the_input_are_read) {
  const auto definition = parsed(one_step(
      R"("routes":[{"to":[],"when":{"input":{"/a":"x","/b":[2.0,null,true,"y"],
                                             "/c":{"at_least":0.5,"below":1}}}}])"));
  const auto& asked = definition.steps[0].routes.at(0).when.input;
  BOOST_REQUIRE(asked.size() == 3U);
  BOOST_TEST(asked[0].pointer == "/a");
  BOOST_TEST(asked[0].values == std::vector<std::string>{R"("x")"},
             boost::test_tools::per_element());
  BOOST_TEST(!asked[0].at_least);
  BOOST_TEST(asked[1].values == (std::vector<std::string>{"2", "null", "true", R"("y")"}),
             boost::test_tools::per_element());
  BOOST_TEST(asked[2].values.empty());
  BOOST_TEST(*asked[2].at_least == 0.5);
  BOOST_TEST(*asked[2].below == 1.0);
}

BOOST_AUTO_TEST_CASE(mistakes_of_conditions_on_the_input_are_told_with_their_place) {
  const auto asking = [](const std::string& input) {
    return problems(one_step(R"("routes":[{"to":[],"when":{"input":)" + input + "}}]"));
  };
  const std::string place = "/steps/0/routes/0/when/input";
  BOOST_TEST(asking("[]") == place + ": must be an object");
  BOOST_TEST(asking("{}")
             == place + ": must have a member; leave it out to ask nothing of the input");
  BOOST_TEST(asking(R"({"a":1})").find(place + "/a: must be named by a JSON pointer") == 0U);
  BOOST_TEST(asking(R"({"/a":[1,[]]})")
             == place + "/~1a/1: must be a string, a number, true, false or null");
  BOOST_TEST(asking(R"({"/a":{"above":1}})").find(place + "/~1a/above: is not a member") == 0U);
  BOOST_TEST(asking(R"({"/a":{"below":"1"}})") == place + "/~1a/below: must be a number");
  for (const auto* nothing : {"[]", "{}"})
    BOOST_TEST(
        asking(R"({"/a":)" + std::string{nothing} + "}").find(place + "/~1a: must be a value")
            == 0U,
        nothing);
}

// A88
BOOST_AUTO_TEST_CASE(conditions_compare_values_and_not_how_they_are_written) {
  const auto values = documents::read_input_values(
      R"( {"a":2.0,"b":"x","c":{"d":[null,-1e1]},"e":"\u0078"})",
      {"/a", "/b", "/c", "/c/d/0", "/c/d/1", "/c/d/2", "/e", "/none", "/b/x"});
  BOOST_TEST(values.size() == 9U);
  BOOST_TEST(values.at("/a").json == "2");
  BOOST_TEST(*values.at("/a").number == 2.0);
  BOOST_TEST(values.at("/b").json == R"("x")");
  BOOST_TEST(!values.at("/b").number);
  BOOST_TEST(values.at("/c").json == "");
  BOOST_TEST(values.at("/c/d/0").json == "null");
  BOOST_TEST(*values.at("/c/d/1").number == -10.0);
  BOOST_TEST(values.at("/e").json == R"("x")");
  for (const auto* nowhere : {"/c/d/2", "/none", "/b/x"})
    BOOST_TEST(values.at(nowhere).json == "null", nowhere);
  BOOST_TEST(documents::read_input_values("7", {"/a"}).at("/a").json == "null");
}

// A88, G-4: input mapping
BOOST_AUTO_TEST_CASE(members_shown_by_a_route_are_read_in_the_order_of_their_names) {
  const auto definition = parsed(one_step(
      R"("routes":[{"when":{"tied":true},"to":[],
                    "input":{"text":"/data/text","b":"/item/0","a~/":"/data/x~1y~0"}},
                   {"when":{"tied":false},"to":[],"input":{"all":""}},
                   {"to":[]}])"));
  const auto& routes = definition.steps[0].routes;
  BOOST_REQUIRE(routes.size() == 3U);
  std::string members;
  for (const auto& member : routes[0].input)
    members += member.name + " is " + member.pointer + "; ";
  BOOST_TEST(members == "a~/ is /data/x~1y~0; b is /item/0; text is /data/text; ");
  BOOST_REQUIRE(routes[1].input.size() == 1U);
  BOOST_TEST(routes[1].input[0].pointer == "");
  BOOST_TEST(routes[2].input.empty());
}

BOOST_AUTO_TEST_CASE(mistakes_of_members_shown_by_a_route_are_told_with_their_place) {
  const auto shown = [](const std::string& input) {
    return problems(one_step(R"("routes":[{"to":[],"input":)" + input + "}]"));
  };
  const std::string place = "/steps/0/routes/0/input";
  const std::string pointer =
      "must be a JSON pointer such as /data/text, with ~0 for ~ and ~1 for /";
  BOOST_TEST(shown(R"({"a":"/data"})") == "accepted");
  for (const auto* other : {"null", "[]", "\"/data\"", "true"})
    BOOST_TEST(shown(other) == place + ": must be an object", other);
  BOOST_TEST(shown("{}") == place + ": must have a member; leave it out to pass on everything");
  for (const auto* other : {"1", "null", "{}", "\"data\"", "\"/~\"", "\"/~2\""})
    BOOST_TEST(shown(R"({"a/b":)" + std::string{other} + "}") == place + "/a~1b: " + pointer,
               other);
  BOOST_TEST(shown(R"({"":"/data"})") == place + "/: must have a name of 1 to 128 bytes");
  BOOST_TEST(shown(R"({"a":"/data/x","b":"/data"})")
             == place + "/a: leads to what 'b' has already");
  for (const auto* name : {"\\u0000", "\xff"})
    BOOST_TEST(shown("{\"" + std::string{name} + R"(":"/data"})") != "accepted");
}

// A17
BOOST_AUTO_TEST_CASE(a_review_counts_the_verdict_unless_told_otherwise) {
  const auto definition = parsed(steps({
      R"({"key":"label","next":["review","second"]})",
      R"({"key":"review","aggregation":{"method":"review"}})",
      R"({"key":"second","aggregation":{"method":"review","answer":"/v","correction":"/c"}})",
  }));
  BOOST_TEST(definition.steps[1].answer_pointer == "/verdict");
  BOOST_TEST(definition.steps[1].correction_pointer == "/answer");
  BOOST_TEST(definition.steps[2].answer_pointer == "/v");
  BOOST_TEST(definition.steps[2].correction_pointer == "/c");
  BOOST_TEST(problems(one_step(R"("aggregation":{"correction":"/c"})"))
                 .find("/steps/0/aggregation/correction: ")
             == 0U);
}

// What the event of a finished unit says is what its children are made by.
BOOST_AUTO_TEST_CASE(the_route_of_a_finished_unit_is_in_its_event) {
  using keys = std::vector<std::string>;
  const auto next = [](const char* details) {
    return documents::routed_result_in(details).next_steps;
  };
  BOOST_TEST((next(R"({"route":{"rule":2,"to":["x","y"],"because":"z"}})") == keys{"x", "y"}));
  BOOST_TEST(next(R"({"route":{"rule":-1,"to":[],"because":"z"}})").empty());
  BOOST_TEST(next(R"({"result":{}})").empty());
  BOOST_TEST(documents::routed_result_in(R"({"result":{}})").revision == 1U);
  BOOST_TEST(documents::routed_result_in(R"({"revision":3})").revision == 3U);
  const std::string task = "018f2c5e-7c1a-7000-8000-000000000004";
  const auto ended = documents::ended_task_in(R"({"ending":"Dead","task_id":")" + task + "\"}");
  BOOST_TEST(to_string(ended.task) == task);
  BOOST_TEST((ended.ending == core::task_ending::dead));
}

// A36
BOOST_AUTO_TEST_CASE(a_workflow_may_wait_for_the_launch_of_its_job) {
  const auto starting = [](const std::string& starts, const std::string& more = {}) {
    return R"({"name":"w","starts":)" + starts + R"(,"steps":[{"key":"a")" + more + "}]}";
  };
  BOOST_TEST((parsed(one_step(R"("title":"t")")).starts == core::job_start::at_once));
  BOOST_TEST((parsed(starting(R"("at_once")")).starts == core::job_start::at_once));
  BOOST_TEST((parsed(starting(R"("when_launched")")).starts == core::job_start::when_launched));
  for (const auto* bad : {R"("later")", R"("")", R"("When_launched")"})
    BOOST_TEST(problems(starting(bad)) == "/starts: must be at_once or when_launched", bad);
  BOOST_TEST(problems(starting("1")).find("/starts: ") == 0U);
  const std::string tasks = R"(,"judgments_per_unit":1,"tasks":{"queue":"q","type":"t"})";
  BOOST_TEST(problems(starting(R"("at_once")", tasks)) == "accepted");
  BOOST_TEST(problems(starting(R"("when_launched")", tasks)).find("/starts: must be at_once")
             == 0U);
}

// What the event of a step says of the job is what the step does about it. A36
BOOST_AUTO_TEST_CASE(status_of_the_job_is_in_the_event_of_the_step) {
  BOOST_TEST(!documents::job_news_in("").has_value());
  BOOST_TEST(!documents::job_news_in(R"({"status":"Open","revision":3})").has_value());
  const auto news =
      documents::job_news_in(R"({"job":{"revision":9223372036854775807,"status":"finished"}})");
  BOOST_REQUIRE(news.has_value());
  BOOST_TEST(news->revision == 9223372036854775807U);
  BOOST_TEST((news->status == core::job_status::finished));
}

BOOST_AUTO_TEST_CASE(a_step_bounds_how_much_of_it_one_contributor_may_do) {
  const auto cap = [](const std::string& text) {
    return one_step(R"("units_per_contributor":)" + text);
  };
  BOOST_TEST(!parsed(one_step(R"("title":"t")")).steps[0].units_per_contributor.is_set());
  const auto both = parsed(cap(R"({"count":50,"share":0.2})")).steps[0].units_per_contributor;
  BOOST_TEST(both.count == 50U);
  BOOST_TEST(both.share == 0.2);
  BOOST_TEST(parsed(cap(R"({"share":1})")).steps[0].units_per_contributor.share == 1.0);
  for (const auto* bad :
       {R"({"count":0})", R"({"count":1000001})", R"({"count":1.5})", R"({"share":0})",
        R"({"share":1.5})", R"({"share":-1})", R"({"most":1})", "5"})
    BOOST_TEST(problems(cap(bad)).find("/steps/0/units_per_contributor") == 0U, bad);
}

BOOST_AUTO_TEST_CASE(a_step_names_by_what_it_trusts_people) {
  const auto from = [](const std::string& list) { return one_step(R"("trust_from":)" + list); };
  const auto all = parsed(one_step(R"("title":"t")")).steps[0].trust_from;
  BOOST_TEST((all.step && all.workflow && all.everywhere && all.profile && !all.named));
  const auto some = parsed(from(R"(["profile","workflow"])")).steps[0].trust_from;
  BOOST_TEST((!some.step && some.workflow && !some.everywhere && some.profile && some.named));
  BOOST_TEST(!parsed(from("[]")).steps[0].trust_from.step);
  for (const auto* bad : {R"(["step","step"])", R"(["peers"])", "[1]", R"("step")"})
    BOOST_TEST(problems(from(bad)).find("/steps/0/trust_from") == 0U, bad);
}

BOOST_AUTO_TEST_SUITE_END()
