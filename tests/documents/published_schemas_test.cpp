// What we publish about our events: every event that core can make is as published, and nothing
// else is.

#include "documents/published_schemas.hpp"

#include "core/contributor_board.hpp"
#include "core/invariant.hpp"
#include "core/job_status.hpp"
#include "core/queue.hpp"
#include "core/repair.hpp"
#include "core/step.hpp"
#include "core/task_purpose.hpp"
#include "tests/core/describe.hpp"
#include "tests/support/event_schemas.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using holdfast::test::beginning;
using holdfast::test::deviation_from_schema;
using nlohmann::json;

namespace {

const std::string folder = "events/v1/";
/// What we are told and do not tell: documents/job_status_document_test is about it.
const std::string told_to_us = "JobStatusChanged";

json document(const std::string& name) {
  for (const auto& file : documents::published_schemas())
    if (file.name == name)
      return json::parse(file.text);
  BOOST_FAIL("nothing is published as " << name);
  return {};
}

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (int number = 1;; ++number)
    try {
      names.emplace_back(to_string(static_cast<event_type>(number)));
    } catch (const broken_invariant&) {
      return names;
    }
}

/// Collects what decisions make.
struct life {
  uuid_source ids{7};
  instant now = beginning;
  std::vector<event> events;

  template <class Answer>
  decision<Answer> take(decision<Answer> decided) {
    BOOST_REQUIRE((decided.refusal == errc::none));
    events.insert(events.end(), decided.changes.events.begin(), decided.changes.events.end());
    return decided;
  }
  template <class Id>
  Id fresh() {
    return {ids.next(now)};
  }

  unit new_unit(std::uint32_t slots, const std::string& truth = {}) {
    unit u;
    u.id = fresh<unit_id>();
    u.step = fresh<step_id>();
    u.root = u.id;
    u.truth = truth;
    u.slots = slots;
    return u;
  }

  void judge(unit& u, const std::string& who, const std::string& answer, double trust = 1,
             std::optional<bool> correct = {}, std::optional<std::uint32_t> counted = {}) {
    const auto lease = take(decide(u, lease_policy{}, ask{who, fresh<assignment_id>()}, now));
    take(decide(u, lease_policy{},
                submit{who,
                       lease.answer.token,
                       fresh<judgment_id>(),
                       "{}",
                       answer,
                       {trust, counted},
                       correct,
                       false,
                       counted},
                now));
  }

  void all_of_a_step() {
    step_definition definition;
    definition.key = "label";
    definition.title = "\"What\" is it?";
    definition.priority = -step_priority_max;
    definition.asks = {{"web"}, {"german"}, {"iso:27001"}, {"DE-BY"}, 2.0 / 3};
    step s;
    s.row.id = fresh<step_id>();
    s.listing = listing_of(s.row, definition, 1);
    const auto tell = [&](std::string details) {
      events.push_back({event_type::job_step_updated, s.row.id, {}, {}, now, std::move(details)});
    };
    tell(step_details(s.row, s.listing)); // it is made
    tell(version_details(s.listing));
    tell(version_details(listing_of(s.row, {}, 2)));
    take(add_units(s, {{"row", "{}", 1, {}, {}}, {"test", "{}", 1, {}, {}, R"({"answer":"a"})"}},
                   ids, now));
    take(seal(s, now));
    take(unseal(s, now));
    take(decide(s, unit_verb::pause, now));
    take(decide(s, unit_verb::resume, now));
    take(seal(s, now));
    take(units_finished(s, 1, now));
    take(add_units(s, {{"late", "{}", 1, {}, {}}}, ids, now));
    const std::vector<step_id> steps{s.row.id, fresh<step_id>()};
    take(change_job_status(s, steps, {1, job_status::paused}, now));
    take(change_job_status(s, steps, {2, job_status::launched}, now));
    take(change_job_status(s, steps, {3, job_status::finished}, now));
    take(change_job_status(s, steps, {4, job_status::canceled}, now));
  }

  void all_of_a_unit() {
    for (const auto method :
         {aggregation_method::majority, aggregation_method::weighted,
          aggregation_method::weighted_log_odds, aggregation_method::incremental,
          aggregation_method::gold_selected, aggregation_method::one_coin}) {
      auto u = new_unit(3);
      judge(u, "ana", "yes \"quoted\"", 0.9);
      judge(u, "bob", "no", 0.5);
      take(decide(u, lease_policy{}, disregard{"bob"}, now));
      judge(u, "eve", "no", 0.2);
      judge(u, "ann", "no", 1.0 / 3, {}, 12);
      aggregation_policy policy;
      policy.method = method;
      policy.labels = {"no", "yes \"quoted\""};
      const auto done = take(decide(
          u, policy, {},
          aggregate_if_ready{"a", {0, 1}, model_opinion{{0.4, 0.6}, 3, true, "one_coin"}}, now));
      BOOST_TEST(done.answer.finalized);
    }
    review_each_way();
    repair_one();
    reinstate_one();
    withdraw_two();
    auto canceled = new_unit(1);
    take(decide(canceled, lease_policy{}, unit_verb::cancel, now));
    auto tested = new_unit(test_question_slots, R"({"answer":"yes"})");
    judge(tested, "ana", "yes", 0.7, true);
    judge(tested, "bob", "no", 0.7, false);
  }

  /// Its result is taken back, and it gets another.
  void repair_one() {
    unit_record u;
    static_cast<unit&>(u) = new_unit(2);
    judge(u, "eve", "no", 1);
    judge(u, "ana", "yes", 1);
    take(decide(u, {}, {}, aggregate_if_ready{"a", {0, 1}}, now));
    u.result = R"({"answer":"no","confidence":0.5,"votes":{"no":1,"yes":1},"tied":2})";
    take(repair(u, {}, {}, {{"eve"}, {"no", "", true}, {}}, now));
    judge(u, "bob", "yes", 1);
    take(decide(u, {}, {}, aggregate_if_ready{"a", {0, 2}}, now));
  }

  /// It counts no more, and then again.
  void reinstate_one() {
    auto u = new_unit(2);
    judge(u, "eve", "no");
    take(decide(u, lease_policy{}, disregard{"eve"}, now));
    take(decide(u, reinstate{"eve"}, now));
  }

  /// One that is worked on, and one that was finished and has gone on.
  void withdraw_two() {
    auto open = new_unit(1);
    take(decide(open, lease_policy{}, {}, withdraw{}, now));
    route on;
    on.to = {"export"};
    const std::vector<way> ways{{on, {{1, false}}}};
    auto u = new_unit(1);
    judge(u, "ana", "yes");
    take(decide(u, {}, ways, aggregate_if_ready{"a", {0, 1}}, now));
    const withdraw::finished was{0, R"({"answer":"yes","confidence":1,"votes":{"yes":1},"tied":1})",
                                 0};
    take(decide(u, lease_policy{}, ways, withdraw{was}, now));
  }

  /// Approved and going on, and corrected with nowhere to go.
  void review_each_way() {
    aggregation_policy policy;
    policy.method = aggregation_method::review;
    route on;
    on.when.answers = {"approve"};
    on.to = {"export", "archive"};
    for (const auto* said : {"approve", R"(correct:{"label":["a"]})"}) {
      auto u = new_unit(1);
      judge(u, "rex", said);
      take(decide(u, policy, {{on, {}}}, aggregate_if_ready{"a", {0, 1}}, now));
    }
  }

  void all_of_a_contributor() {
    test_question_policy rules;
    rules.placement.quiz = 1;
    contributor_board board{fresh<step_id>(), rules};
    const auto question = fresh<unit_id>();
    board.add_question(question, 1);
    board.offered("ana", question);
    take(board.answered("ana", question, false, {now, {}}, now));
    take(board.forgive(question, true, now));
    take(board.remove("bob", now));
    take(board.flag({{"dan", monitor::speed, "10 of 10 judgments took far less time than usual"}},
                    {monitor::speed}, now));
    contributor_board untested{fresh<step_id>(), std::nullopt};
    take(untested.remove("eve", now));
  }

  /// Of units, and of a queue that tells of every end.
  void all_of_a_task() {
    queue q;
    q.name = "models";
    q.policy.events = {task_ending::completed, task_ending::failed, task_ending::dead,
                       task_ending::canceled};
    q.policy.retry.max_attempts = 1;
    bool is_rich = false;
    const auto ended = [&](auto&& end) {
      new_task asked;
      asked.spec.id = fresh<task_id>();
      asked.spec.type = "label";
      asked.spec.owner_id = owner_of({fresh<step_id>(), fresh<unit_id>()});
      if (std::exchange(is_rich, true)) {
        asked.spec.version = "1.0";
        asked.spec.key = "\"gold\"";
        asked.spec.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
        asked.spec.span_id = "00f067aa0ba902b7";
      }
      take(decide(q, enqueue{{asked}}, now));
      claim ask;
      ask.worker = "gpu";
      ask.id = fresh<assignment_id>();
      take(decide(q, ask, now));
      end(held_task{asked.spec.id, q.tasks.at(asked.spec.id).held()->token});
    };
    ended([&](const held_task& task) {
      take(decide(q, complete_tasks{"gpu", {{task, "{}"}}}, now));
    });
    ended([&](const held_task& task) {
      fail_task failed;
      failed.worker = "gpu";
      failed.task = task;
      failed.kind = failure_kind::permanent;
      take(decide(q, failed, now));
    });
    ended([&](const held_task& task) {
      fail_task failed;
      failed.worker = "gpu";
      failed.task = task;
      failed.error = {"NO_\"MEMORY\"", "of the device"};
      take(decide(q, failed, now));
    });
    ended([&](const held_task& task) { take(decide(q, task_verb::cancel, task.task, now)); });
  }
};

std::vector<event> every_event() {
  life all;
  all.all_of_a_task();
  all.all_of_a_step();
  all.all_of_a_unit();
  all.all_of_a_contributor();
  all.events.push_back(unreadable_event({3, 17}, all.now, "invalid page in block 0"));
  return all.events;
}

using visitor = std::function<void(const json::json_pointer&, const json&)>;

/// Every place of `value` with what is there.
void each_place(const json& value, const visitor& visit,
                const json::json_pointer& at = json::json_pointer{}) {
  visit(at, value);
  if (value.is_object())
    for (auto member = value.begin(); member != value.end(); ++member)
      each_place(member.value(), visit, at / member.key());
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      each_place(value[i], visit, at / i);
}

} // namespace

BOOST_AUTO_TEST_SUITE(published_schemas)

// A37-A39, A93, A105, A173
BOOST_AUTO_TEST_CASE(every_event_that_core_makes_is_as_published) {
  std::set<std::string> made;
  std::set<std::string> reasons;
  std::set<std::string> methods;
  std::set<int> routes;
  std::set<std::string> statuses;
  for (const auto& event : every_event()) {
    const auto text = to_json(event);
    BOOST_TEST(deviation_from_schema(text) == "", text);
    const auto value = json::parse(text);
    const auto details = value.value("details", json::object());
    made.insert(value.at("type"));
    reasons.insert(details.value("reason", "-"));
    statuses.insert(details.value("status", "-"));
    if (details.contains("result"))
      methods.insert(details.at("result").value("method", "-"));
    if (details.contains("route") && details.at("route").contains("rule"))
      routes.insert(details.at("route").at("rule").get<int>());
  }
  const auto names = event_names();
  BOOST_TEST(made == (std::set<std::string>{names.begin(), names.end()}),
             boost::test_tools::per_element());
  // All variants were there.
  BOOST_TEST(methods.size() == 7U);
  BOOST_TEST(routes == (std::set<int>{-1, 0}), boost::test_tools::per_element());
  BOOST_TEST(statuses
                 == (std::set<std::string>{"-", "Open", "Paused", "Completed", "Canceled",
                                           "COMPLETED", "FAILURE", "ERROR", "CANCELED"}),
             boost::test_tools::per_element());
  BOOST_TEST(
      reasons
          == (std::set<std::string>{"-", "QuizFailed", "QuestionForgiven", "Requester", "speed"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(each_event_has_one_schema_whose_examples_are_as_it_says) {
  std::set<std::string> published;
  for (const auto& file : documents::published_schemas())
    if (file.name.compare(0, folder.size(), folder) == 0)
      published.insert(file.name);
  std::set<std::string> expected{folder + "asyncapi.json", folder + told_to_us + ".json"};
  for (const auto& name : event_names()) {
    expected.insert(folder + name + ".json");
    const auto schema = document(folder + name + ".json");
    BOOST_TEST(schema.at("$id") == "urn:holdfast:events:v1:" + name);
    BOOST_REQUIRE(!schema.at("examples").empty());
    for (const auto& example : schema.at("examples"))
      BOOST_TEST(deviation_from_schema(example.dump()) == "");
  }
  BOOST_TEST(published == expected, boost::test_tools::per_element());
}

// A member that is not there, a member of another kind: both break whoever relies on the schema.
BOOST_AUTO_TEST_CASE(nothing_else_is_accepted) {
  for (const auto& name : event_names()) {
    const auto example = document(folder + name + ".json").at("examples").front();
    each_place(example, [&](const json::json_pointer& at, const json& there) {
      const auto rejects = [&](const json& value, const char* what) {
        BOOST_TEST(deviation_from_schema(value.dump()) != "", name << ' ' << at << ": " << what);
      };
      for (const json& other : {json(nullptr), json(-0.5), json::array(), json::object()})
        if (!(there.is_object() && other.is_object()) && !(there.is_array() && other.is_array())) {
          auto changed = example;
          changed[at] = other;
          rejects(changed, "another kind of value is accepted");
        }
      if (at.empty())
        return;
      const auto within = at.parent_pointer();
      const bool optional = at.back() == "route"
                            || name + at.to_string() == "JobStepUpdated/details"
                            || within.to_string() == "/details/requirements";
      const bool counted = within.to_string() == "/details/result/votes";
      if (example.at(within).is_object() && !optional && !counted) {
        auto cut = example;
        cut.at(within).erase(at.back());
        rejects(cut, "its absence is accepted");
      }
    });
  }
  BOOST_TEST(deviation_from_schema(R"({"type":"UnitVanished","at":1})") != "");
  BOOST_TEST(deviation_from_schema(R"({"at":1})") != "");
  BOOST_TEST(deviation_from_schema("[]") != "");
}

BOOST_AUTO_TEST_CASE(optional_members_may_be_missing) {
  auto finalized = document(folder + "UnitFinalized.json").at("examples").front();
  finalized.at("details").erase("route");
  BOOST_TEST(deviation_from_schema(finalized.dump()) == "");
  auto& result = finalized.at("details").at("result");
  result["calibrated"] = "yes";
  BOOST_TEST(deviation_from_schema(finalized.dump()) != "");
  result["calibrated"] = false;
  result["chosen"] = 3;
  BOOST_TEST(deviation_from_schema(finalized.dump()) != "");
  result["chosen"] = "wawa";
  BOOST_TEST(deviation_from_schema(finalized.dump()) == "");
  finalized.at("details")["route"] = {{"rule", 0}, {"to", json::array()}};
  BOOST_TEST(deviation_from_schema(finalized.dump()) != "");
}

// Those of old say less, and are kept for as long as any other.
BOOST_AUTO_TEST_CASE(an_event_about_a_step_tells_how_it_stands_or_what_defines_it_or_both) {
  const auto example = document(folder + "JobStepUpdated.json").at("examples").front();
  const auto without = [&](const std::vector<const char*>& members) {
    auto cut = example;
    for (const auto* member : members)
      cut.at("details").erase(member);
    return deviation_from_schema(cut.dump());
  };
  BOOST_TEST(without({}) == "");
  BOOST_TEST(without({"status", "sealed", "total_units", "completed_units", "revision"}) == "");
  BOOST_TEST(without({"version", "key", "title", "priority", "requirements", "for_people"}) == "");
  BOOST_TEST(without({"version", "status"}) != "");
  auto empty = example;
  empty.at("details") = json::object();
  BOOST_TEST(deviation_from_schema(empty.dump()) != "");
  empty.erase("details");
  BOOST_TEST(deviation_from_schema(empty.dump()) == "");
}

// Members are added later without a new version.
BOOST_AUTO_TEST_CASE(members_that_nobody_knows_yet_are_accepted_everywhere) {
  for (const auto& name : event_names()) {
    const auto example = document(folder + name + ".json").at("examples").front();
    each_place(example, [&](const json::json_pointer& at, const json& there) {
      if (!there.is_object() || at.to_string() == "/details/result/votes")
        return;
      auto extended = example;
      extended[at]["added_later"] = {{"any", "thing"}};
      BOOST_TEST(deviation_from_schema(extended.dump()) == "", name << ' ' << at);
    });
  }
}

BOOST_AUTO_TEST_CASE(the_asyncapi_document_refers_to_every_schema_and_to_nothing_else) {
  const auto api = document(folder + "asyncapi.json");
  BOOST_TEST(api.at("asyncapi") == "2.6.0");
  std::set<std::string> payloads;
  std::set<std::string> offered;
  for (const auto& message :
       api.at("channels").at("events/{shard}").at("subscribe").at("message").at("oneOf")) {
    const auto name = message.at("$ref").get<std::string>();
    offered.insert(name.substr(name.rfind('/') + 1));
  }
  // In AsyncAPI 2 operations are named by what the reader of the document does.
  BOOST_TEST(api.at("channels").at("jobs").at("publish").at("message").at("$ref")
             == "#/components/messages/" + told_to_us);
  each_place(api, [&](const json::json_pointer& at, const json& there) {
    if (at.empty() || at.back() != "$ref")
      return;
    const auto target = there.get<std::string>();
    if (target.front() == '#')
      BOOST_TEST(api.contains(json::json_pointer{target.substr(1)}), target);
    else
      payloads.insert(target);
  });
  const auto names = event_names();
  BOOST_TEST(offered == (std::set<std::string>{names.begin(), names.end()}),
             boost::test_tools::per_element());
  std::set<std::string> files{"./" + told_to_us + ".json"};
  for (const auto& name : names)
    files.insert("./" + name + ".json");
  BOOST_TEST(payloads == files, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
