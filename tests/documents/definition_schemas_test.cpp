// The schemas of definitions say what the parsers say: whatever a parser takes is as published, and
// what is misspelt, missing or of the wrong kind neither of them takes.

#include "documents/published_schemas.hpp"

#include "core/schedule.hpp"
#include "documents/queue_document.hpp"
#include "documents/schedule_document.hpp"
#include "documents/schema.hpp"
#include "documents/webhook_document.hpp"
#include "documents/workflow_document.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using nlohmann::json;

namespace {

const std::string folder = "definitions/v1/";

/// The detail of the refusal; empty when it is taken.
template <class Definition>
std::string refusal(const core::outcome<Definition>& parsed) {
  return parsed ? "" : parsed.error().detail;
}

struct kind {
  const char* name;
  std::function<std::string(const std::string& text)> parse;
  /// Places with a JSON value of the author's: anything is right there, or any schema.
  std::set<std::string> free;
  /// The last so many examples use every member between them: one, unless members exclude others.
  std::ptrdiff_t whole;
};

std::shared_ptr<const core::time_zone> any_zone(const std::string& name) {
  return core::find_utc(name == "Europe/Berlin" ? "UTC" : name);
}

const std::vector<kind>& kinds() {
  static const documents::json_limits limits;
  static const std::vector<kind> all{
      {"Workflow",
       [](const auto& text) { return refusal(documents::parse_workflow(text, limits)); },
       {"judgment_schema", "labels", "answer", "answer_not", "/language", "/score"},
       1},
      {"Queue",
       [](const auto& text) { return refusal(documents::parse_queue_policy(text, limits)); },
       {"body", "data"},
       1},
      {"Schedule",
       [](const auto& text) { return refusal(documents::parse_schedule(text, limits, any_zone)); },
       {"body", "data"},
       1},
      {"Webhook",
       [](const auto& text) { return refusal(documents::parse_webhook(text, limits)); },
       {},
       2},
  };
  return all;
}

json document(const kind& of) {
  for (const auto& file : documents::published_schemas())
    if (file.name == folder + of.name + ".json")
      return json::parse(file.text);
  BOOST_FAIL("nothing is published for " << of.name);
  return {};
}

documents::schema compiled(const kind& of) {
  std::vector<core::definition_problem> problems;
  auto schema = documents::schema::compile(document(of), of.name, problems);
  if (!schema)
    BOOST_FAIL(problems.front().place << ' ' << problems.front().what);
  return std::move(*schema);
}

std::string deviation(const documents::schema& schema, const json& value) {
  const auto violation = schema.violation_in(value);
  return violation ? violation->place + ": " + violation->what : "";
}

using place = json::json_pointer;

/// Every place of `value`, but for what is below a free one.
void each_place(const kind& of, const json& value, const std::function<void(const place&)>& visit,
                const place& at = place{}) {
  visit(at);
  if (!at.empty() && of.free.count(at.back()) != 0)
    return;
  if (value.is_object())
    for (auto member = value.begin(); member != value.end(); ++member)
      each_place(of, member.value(), visit, at / member.key());
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      each_place(of, value[i], visit, at / i);
}

/// The examples that use every member between them.
std::vector<json> whole_examples(const kind& of) {
  const auto examples = document(of).at("examples").get<std::vector<json>>();
  return std::vector<json>(examples.end() - of.whole, examples.end());
}

/// All names of members that the schema describes.
std::set<std::string> described(const json& schema) {
  std::set<std::string> names;
  if (schema.is_object() && schema.contains("properties")
      && schema.contains("additionalProperties"))
    for (const auto& [name, what] : schema.at("properties").items())
      names.insert(name);
  if (schema.is_structured())
    for (const auto& [name, part] : schema.items())
      if (name != "examples")
        names.merge(described(part));
  return names;
}

std::set<std::string> members_of(const json& value) {
  std::set<std::string> names;
  for (const auto& [name, part] : value.items()) {
    if (value.is_object())
      names.insert(name);
    if (part.is_structured())
      names.merge(members_of(part));
  }
  return names;
}

} // namespace

BOOST_AUTO_TEST_SUITE(definition_schemas)

BOOST_AUTO_TEST_CASE(each_kind_has_a_schema_whose_examples_are_taken) {
  for (const auto& of : kinds()) {
    const auto schema = compiled(of);
    const auto published = document(of);
    BOOST_TEST(published.at("$id") == std::string{"urn:holdfast:definitions:v1:"} + of.name);
    for (const auto& example : published.at("examples")) {
      BOOST_TEST(deviation(schema, example) == "", of.name << ' ' << example);
      BOOST_TEST(of.parse(example.dump()) == "", of.name << ' ' << example);
    }
  }
}

// Or the tests below would pass over some.
BOOST_AUTO_TEST_CASE(whole_examples_use_every_member) {
  for (const auto& of : kinds()) {
    std::set<std::string> used;
    for (const auto& whole : whole_examples(of))
      used.merge(members_of(whole));
    for (const auto& name : described(document(of)))
      BOOST_TEST(used.count(name) == 1U, of.name << " has no " << name);
  }
}

BOOST_AUTO_TEST_CASE(another_kind_of_value_is_refused_by_both) {
  for (const auto& of : kinds()) {
    const auto schema = compiled(of);
    for (const auto& whole : whole_examples(of)) {
      each_place(of, whole, [&](const place& at) {
        if (!at.empty() && of.free.count(at.back()) != 0)
          return;
        for (const json& other :
             {json(nullptr), json("text"), json(-0.5), json(true), json::array(), json::object()}) {
          auto changed = whole;
          changed[at] = other;
          if (std::string{other.type_name()} == whole.at(at).type_name())
            continue;
          BOOST_TEST(of.parse(changed.dump()) != "", of.name << at << " parsed as " << other);
          BOOST_TEST(deviation(schema, changed) != "", of.name << at << " valid as " << other);
        }
      });
    }
  }
}

BOOST_AUTO_TEST_CASE(a_member_that_nobody_knows_is_refused_by_both) {
  for (const auto& of : kinds()) {
    const auto schema = compiled(of);
    for (const auto& whole : whole_examples(of)) {
      // Named by their author: weights of keys, rates of credentials, types, states, versions.
      const std::set<std::string> named{"weights", "credentials", "types", "transitions",
                                        "versions"};
      each_place(of, whole, [&](const place& at) {
        if (!whole.at(at).is_object() || (!at.empty() && of.free.count(at.back()) != 0)
            || (!at.empty() && named.count(at.back()) != 0))
          return;
        auto changed = whole;
        changed[at]["misspelt"] = 1;
        BOOST_TEST(of.parse(changed.dump()) != "", of.name << at);
        BOOST_TEST(deviation(schema, changed) != "", of.name << at);
      });
    }
  }
}

// What is missing is missed by both; what the schema asks for, the parser does, too.
BOOST_AUTO_TEST_CASE(both_agree_on_what_must_be_there) {
  std::size_t missed = 0;
  for (const auto& of : kinds()) {
    const auto schema = compiled(of);
    for (const auto& whole : whole_examples(of)) {
      each_place(of, whole, [&](const place& at) {
        if (at.empty() || !whole.at(at.parent_pointer()).is_object())
          return;
        auto changed = whole;
        changed.at(at.parent_pointer()).erase(at.back());
        const bool is_valid = deviation(schema, changed).empty();
        const auto refused = of.parse(changed.dump());
        missed += is_valid ? 0 : 1;
        // A state or a step that is named elsewhere is beyond a schema.
        if (refused.empty() || refused.find("is missing") != std::string::npos)
          BOOST_TEST(is_valid == refused.empty(), of.name << at << ": " << refused);
      });
    }
  }
  BOOST_TEST(missed >= 10U);
}

// Bounds: what a parser takes is as published.
BOOST_AUTO_TEST_CASE(definitions_taken_by_a_parser_fit_the_published_schema) {
  std::size_t taken = 0;
  std::size_t refused_by_both = 0;
  for (const auto& of : kinds()) {
    const auto schema = compiled(of);
    for (const auto& whole : whole_examples(of)) {
      each_place(of, whole, [&](const place& at) {
        if (!whole.at(at).is_number() && !whole.at(at).is_string())
          return;
        const std::vector<json> numbers{
            0,       1,        2,        1e-9,        0.001, 0.01,  0.5,   0.999, 1.5,   16,
            17,      64,       100,      101,         256,   1000,  1001,  86400, 86401, 1000000,
            1000001, 31536000, 31536001, 4294967295U, -1,    -1000, -1001, 1e12};
        const std::vector<json> texts{"",
                                      "a",
                                      "UTC",
                                      "1.0",
                                      "01",
                                      "newest",
                                      "majority",
                                      "/x",
                                      "x/~2",
                                      std::string(64, 'a'),
                                      std::string(65, 'a'),
                                      std::string(128, 'a'),
                                      std::string(129, 'a'),
                                      std::string(201, 'a'),
                                      "http://",
                                      "https://h",
                                      "Ünïcode",
                                      "2026-02-30T00:00:00Z",
                                      "UnitFinalized"};
        for (const auto& value : whole.at(at).is_number() ? numbers : texts) {
          auto changed = whole;
          changed[at] = value;
          const auto refused = of.parse(changed.dump());
          const auto wrong = deviation(schema, changed);
          if (refused.empty())
            BOOST_TEST(wrong == "", of.name << at << " = " << value);
          taken += refused.empty() ? 1 : 0;
          refused_by_both += !refused.empty() && !wrong.empty() ? 1 : 0;
        }
      });
    }
  }
  BOOST_TEST(taken >= 100U);
  BOOST_TEST(refused_by_both >= 500U);
}

BOOST_AUTO_TEST_CASE(members_that_exclude_each_other_are_refused_by_both) {
  const auto& of = kinds().front();
  const auto schema = compiled(of);
  for (const auto* step : {
           R"({"key":"a","judgments_per_unit":3,"stopping":{"max":5}})",
           R"({"key":"a","stopping":{"max":5,"judgments_per_unit":5}})",
           R"({"key":"a","stopping":{"min":2}})",
           R"({"key":"a","aggregation":{"method":"incremental"}})",
           R"({"key":"a","aggregation":{"method":"wawa"}})",
           R"({"key":"a","aggregation":{"method":"one_coin"}})",
           R"({"key":"a","aggregation":{"method":"dawid_skene_map"}})",
           R"({"key":"a","aggregation":{"method":"onecoin_map","labels":["x","y"]}})",
           R"({"key":"a","aggregation":{"method":"gold_selected"},"test_questions":{}})",
           R"({"key":"a","aggregation":{"method":"gold_selected","labels":["x","y"]}})",
           R"({"key":"a","aggregation":{"labels":["x"]}})",
           R"({"key":"a","aggregation":{"correction":"/x"}})",
           R"({"key":"a","test_questions":{"every":1}})",
           R"({"key":"a","test_questions":{"sequential":{},"accuracy_min":0.5}})",
           R"({"key":"a","test_questions":{"sequential":{},"certainty":0.5}})",
           R"({"key":"a","routes":[{"to":[],"when":{"tied":true,"seed":1}}]})",
           R"({"key":"a","next":["a"],"routes":[{"to":[]}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{}}}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{"":1}}}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{"x":1}}}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{"/x":[]}}}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{"/x":[[]]}}}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{"/x":{}}}}]})",
           R"({"key":"a","routes":[{"to":[],"when":{"input":{"/x":{"below":"1"}}}}]})",
           R"({"key":"a","requirements":{"skills":["x","y","x"]}})",
           R"({"key":"a","requirements":{"locations":["somewhere else"]}})",
       }) {
    const auto text = R"({"name":"w","steps":[)" + std::string{step} + "]}";
    BOOST_TEST(of.parse(text) != "", text);
    BOOST_TEST(deviation(schema, json::parse(text)) != "", text);
  }
}

// A177
BOOST_AUTO_TEST_CASE(events_are_posted_or_become_tasks_and_never_both) {
  const auto& of = kinds().back();
  const auto schema = compiled(of);
  for (const auto* text : {
           R"({"url":"https://x","secret":"s","queue":"q"})",
           R"({"url":"https://x","secret":"s","task_type":"t"})",
           R"({"queue":"q","url":"https://x"})",
           R"({"queue":"q","secret":"s"})",
           R"({"queue":"q","timeout_seconds":1})",
           R"({"queue":"q","retry":{"max_attempts":1}})",
           R"({"task_type":"t"})",
       }) {
    BOOST_TEST(of.parse(text) != "", text);
    BOOST_TEST(deviation(schema, json::parse(text)) != "", text);
  }
}

// What the schemas call the default is what holds where nothing is said.
BOOST_AUTO_TEST_CASE(published_defaults_are_those_that_hold) {
  using std::chrono::seconds;
  const core::step_definition step;
  const core::test_question_policy tests;
  const core::quality::sequential_test sequential;
  const core::task_executor tasks;
  const core::queue_policy queue;
  const core::webhook_policy webhook;
  const core::schedule_plan schedule;
  const auto in_seconds = [](core::duration d) { return json(d / seconds{1}); };
  const std::vector<std::vector<std::pair<const char*, json>>> expected{
      {{"/definitions/step/properties/judgments_per_unit", step.judgments_per_unit},
       {"/definitions/step/properties/priority", step.priority},
       {"/definitions/requirements/properties/skills", step.asks.skills},
       {"/definitions/requirements/properties/trust", json(step.asks.trust)},
       {"/definitions/lease/properties/ttl_seconds", in_seconds(step.lease.ttl)},
       {"/definitions/lease/properties/total_max_seconds", in_seconds(step.lease.total_max)},
       {"/definitions/lease/properties/regrant_after_seconds",
        in_seconds(step.lease.regrant_after)},
       {"/definitions/lease/properties/late_submit",
        std::string{to_string(step.lease.late_submit)}},
       {"/definitions/aggregation/properties/answer", step.answer_pointer},
       {"/definitions/aggregation/properties/correction", step.correction_pointer},
       {"/definitions/test_questions/properties/quiz", tests.placement.quiz},
       {"/definitions/test_questions/properties/quiz_pass", tests.placement.quiz_pass},
       {"/definitions/test_questions/properties/every", tests.placement.every},
       {"/definitions/test_questions/properties/feedback", tests.feedback},
       {"/definitions/test_questions/properties/accuracy_min", tests.taint.threshold},
       {"/definitions/test_questions/properties/certainty", tests.taint.certainty},
       {"/definitions/test_questions/properties/sequential/properties/good", sequential.good},
       {"/definitions/test_questions/properties/sequential/properties/bad", sequential.bad},
       {"/definitions/tasks/properties/judgments", tasks.judgments},
       {"/definitions/tasks/properties/patience_seconds", in_seconds(tasks.patience)},
       {"/definitions/route/properties/loops_max", core::route{}.loops_max},
       {"/definitions/condition/properties/seed", core::route_condition{}.seed}},
      {{"/properties/lease/properties/ttl_seconds", in_seconds(queue.lease.ttl)},
       {"/properties/lease/properties/total_max_seconds", in_seconds(queue.lease.total_max)},
       {"/definitions/retry/properties/max_attempts", queue.retry.max_attempts},
       {"/definitions/retry/properties/crashes_max", queue.retry.crashes_max},
       {"/definitions/retry/properties/least_seconds", in_seconds(queue.retry.least)},
       {"/definitions/retry/properties/most_seconds", in_seconds(queue.retry.most)},
       {"/definitions/type/properties/first_state", core::type_policy{}.first_state},
       {"/properties/aging_seconds", in_seconds(queue.aging)},
       {"/properties/depth_max", queue.depth_max},
       {"/properties/retention_seconds", in_seconds(queue.retention)}},
      {{"/properties/time_zone", schedule.time_zone},
       {"/properties/backfill_max", schedule.backfill_max},
       {"/properties/grace", in_seconds(schedule.grace)}},
      {{"/properties/retry/properties/max_attempts", webhook.attempts_max},
       {"/properties/retry/properties/least_seconds", in_seconds(webhook.least)},
       {"/properties/retry/properties/most_seconds", in_seconds(webhook.most)},
       {"/properties/timeout_seconds", in_seconds(webhook.timeout)},
       {"/properties/failing_after", webhook.failing_after},
       {"/properties/dead_letters_max", webhook.dead_letters_max},
       {"/properties/batch/properties/events", webhook.batch_events},
       {"/properties/batch/properties/bytes", webhook.batch_bytes},
       {"/properties/task_type", core::event_tasks{}.type}},
  };
  BOOST_REQUIRE(expected.size() == kinds().size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto published = document(kinds()[i]);
    for (const auto& [at, value] : expected[i])
      BOOST_TEST(published.at(place{at}).at("default") == value, kinds()[i].name << at);
  }
}

BOOST_AUTO_TEST_SUITE_END()
