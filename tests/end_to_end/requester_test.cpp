// What a requester sees on the command line of what became of an item, and of what keeps it.

#include "app/demo/scratch_directory.hpp"
#include "core/uuid.hpp"
#include "tests/end_to_end/commanded_node.hpp"
#include "tests/support/program.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using holdfast::test::contains;

namespace core = holdfast::core;
namespace msg = holdfast::msg;
namespace test = holdfast::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

std::string text_of(const core::unit_id& id) { return core::to_string(id); }
std::string text_of(const core::step_id& id) { return core::to_string(id); }

} // namespace

BOOST_FIXTURE_TEST_SUITE(requesters, test::commanded_node)

// A42: what `holdfast lineage` prints is what was done.
BOOST_AUTO_TEST_CASE(lineage_of_an_item_can_be_printed) {
  const auto step = given_step();
  feed(step, 0, 1);
  const auto id = judge(step);
  const auto unit = text_of(id);
  // The judgment is there with its answer; the result follows.
  for (int i = 0; i < 10'000 && ask(msg::get_unit{step, id}).result.empty(); ++i)
    continue;
  const auto text = printed({"lineage", unit});
  BOOST_TEST(contains(text, unit), text);
  BOOST_TEST(contains(text, "ana said"), text);
  BOOST_TEST(contains(text, "yes"), text);
  BOOST_TEST(contains(text, "Finalized"), text);
  const auto item = json::parse(printed({"lineage", unit, "--json"}));
  BOOST_TEST(item.at("root") == unit);
  const auto one = item.at("units").at(0);
  BOOST_TEST(one.at("state") == "Finalized");
  BOOST_TEST(one.at("leases").at(0).at("status") == "Submitted");
  BOOST_TEST(one.at("judgments").at(0).at("payload").at("answer") == "yes");
  BOOST_TEST(one.at("result").at("answer") == "yes");

  const auto unknown = holdfast({"lineage", text_of(core::unit_id{ids.next()})});
  BOOST_TEST(unknown.code == 1);
  BOOST_TEST(contains(unknown.err, "not_found"), unknown.err);
  BOOST_TEST(holdfast({"lineage", "a-unit"}).code == 2);
}

BOOST_AUTO_TEST_CASE(reasons_that_keep_work_can_be_printed) {
  const auto step = given_step();
  feed(step, 0, 1);
  const auto given = ask(msg::ask_assignment{step, "ana", {ids.next()}});
  BOOST_TEST(contains(printed({"explain", "unit", text_of(step), text_of(given.unit)}),
                      "leased: ana has it until "));
  BOOST_TEST(contains(
      printed({"explain", "unit", text_of(step), text_of(given.unit), "--contributor", "ana"}),
      "held_by_them: "));
  BOOST_TEST(contains(printed({"explain", "contributor", text_of(step), "bob"}), "no_slot: "));

  ask(msg::put_queue{"mail", "{}"});
  const core::task_id task{ids.next()};
  msg::task_request request;
  request.task = task;
  request.type = "send";
  request.body = "{}";
  ask(msg::enqueue_tasks{"mail", {request}});
  ask(msg::pause_queue{"mail", "", true});
  const auto told =
      json::parse(printed({"explain", "task", "mail", core::to_string(task), "--json"}));
  BOOST_TEST(told.at("status") == "QUEUED");
  BOOST_TEST(told.at("reasons").at(0).at("code") == "queue_paused");
  BOOST_TEST(!told.at("reasons").at(0).at("text").get<std::string>().empty());

  const auto unknown = holdfast({"explain", "task", "nothing", core::to_string(task)});
  BOOST_TEST(unknown.code == 1);
  BOOST_TEST(contains(unknown.err, "not_found"), unknown.err);
  BOOST_TEST(holdfast({"explain", "unit", text_of(step), "one"}).code == 2);
  BOOST_TEST(holdfast({"explain", "step", text_of(step)}).code == 2);
}

// A23, A24
BOOST_AUTO_TEST_CASE(how_the_judgments_of_a_step_look_can_be_printed) {
  const auto step = given_step();
  feed(step, 0, 1);
  judge(step);
  const auto text = printed({"quality", text_of(step)});
  BOOST_TEST(contains(text, "judgments       1 of 1 units"), text);
  BOOST_TEST(contains(text, "nothing to compare"), text);
  const auto told = json::parse(printed({"quality", text_of(step), "--json"}));
  BOOST_TEST(told.at("step") == text_of(step));
  BOOST_TEST(told.at("judgments") == 1);
  BOOST_TEST(told.at("krippendorff_alpha").is_null());
  BOOST_TEST(told.at("concerns").empty());

  const auto unknown = holdfast({"quality", text_of(core::step_id{ids.next()})});
  BOOST_TEST(unknown.code == 1);
  BOOST_TEST(contains(unknown.err, "not_found"), unknown.err);
  BOOST_TEST(holdfast({"quality", "a-step"}).code == 2);
}

BOOST_AUTO_TEST_CASE(a_live_workflow_is_shown_compared_and_updated) {
  const auto step = given_step();
  const auto workflow = core::to_string(ask(msg::list_steps{{}, 1000}).steps.front().workflow);
  const auto shown = printed({"workflow", "show", workflow});
  BOOST_TEST(contains(shown, "told  version 1 of 1\n"), shown);
  BOOST_TEST(contains(shown, text_of(step)), shown);
  const auto drafts = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(drafts);
  const auto file = (drafts->path() / "workflow.json").string();
  const auto write = [&](const std::string& definition) { std::ofstream{file} << definition; };

  // What an update would change is told, and nothing is changed.
  write(R"({"name": "told", "steps": [{"key": "only", "judgments_per_unit": 2, "next": ["check"]},
                                      {"key": "check"}]})");
  const std::string differences = "+ /steps/check {\"key\":\"check\"}\n"
                                  "  /steps/only/judgments_per_unit: 1 -> 2\n"
                                  "+ /steps/only/next [\"check\"]\n";
  BOOST_TEST(printed({"workflow", "diff", workflow, file}) == differences);
  BOOST_TEST(printed({"workflow", "show", workflow}) == shown);

  const auto updated = printed({"workflow", "update", workflow, file, "--version", "1"});
  BOOST_TEST(contains(updated, differences + "\nversion 2\n"), updated);
  BOOST_TEST(printed({"workflow", "update", workflow, file, "--version", "1"}) == updated);
  BOOST_TEST(printed({"workflow", "diff", workflow, file}) == "nothing differs\n");
  const auto latest = json::parse(printed({"workflow", "show", workflow, "--json"}));
  BOOST_TEST(latest.at("version") == 2);
  BOOST_TEST(latest.at("latest") == 2);
  BOOST_TEST(latest.at("definition").at("steps").size() == 2U);
  BOOST_TEST(latest.at("steps").at(0).at("step") == text_of(step));
  BOOST_TEST(latest.at("steps").at(1).at("key") == "check");
  BOOST_TEST(contains(printed({"workflow", "show", workflow, "--version", "1"}), "version 1 of 2"));

  // Somebody who looked before the update.
  write(R"({"name": "told", "steps": [{"key": "only", "judgments_per_unit": 3}]})");
  const auto late = holdfast({"workflow", "update", workflow, file, "--version", "1"});
  BOOST_TEST(late.code == 1);
  BOOST_TEST(contains(late.err, "wrong_state"), late.err);
  // What must stay.
  write(R"({"name": "told", "steps": [{"key": "only",
                                      "aggregation": {"method": "weighted"}}]})");
  const auto other = holdfast({"workflow", "diff", workflow, file});
  BOOST_TEST(other.code == 1);
  BOOST_TEST(contains(other.err, "payload_invalid: /steps/0"), other.err);

  const auto unknown =
      holdfast({"workflow", "show", core::to_string(core::workflow_id{ids.next()})});
  BOOST_TEST(unknown.code == 1);
  BOOST_TEST(contains(unknown.err, "not_found"), unknown.err);
  BOOST_TEST(holdfast({"workflow", "show", "a-workflow"}).code == 2);
  BOOST_TEST(holdfast({"workflow", "diff", workflow, file + ".not"}).code == 2);
  BOOST_TEST(holdfast({"workflow", "update", workflow, file, "--version", "0"}).code == 2);
}

BOOST_AUTO_TEST_CASE(workflows_are_found_again_on_the_command_line) {
  given_step();
  const core::workflow_id job{ids.next()};
  ask(msg::create_workflow{
      job, R"({"name": "job", "starts": "when_launched", "steps": [{"key": "only"}]})"});
  const auto all = json::parse(printed({"workflow", "list", "--json"}));
  BOOST_REQUIRE(all.at("workflows").size() == 2U);
  BOOST_TEST(all.at("more") == false);
  const auto first = all.at("workflows").at(0);
  const auto id = first.at("workflow").get<std::string>();
  BOOST_TEST(first.at("name") == "told");
  BOOST_TEST(first.at("latest") == 1);
  BOOST_TEST(first.at("steps").at("open") == 1);
  const auto second = all.at("workflows").at(1);
  BOOST_TEST(second.at("workflow") == core::to_string(job));
  BOOST_TEST(second.at("steps").at("paused") == 1);
  BOOST_TEST(second.at("job_revision") == 0);

  const auto page = printed({"workflow", "list", "--limit", "1"});
  BOOST_TEST(contains(page, id), page);
  BOOST_TEST(contains(page, "  told\n"), page);
  BOOST_TEST(!contains(page, "to launch"), page);
  BOOST_TEST(contains(page, "there are more; go on with --after " + id + "\n"), page);
  const auto rest = printed({"workflow", "list", "--after", id});
  BOOST_TEST(!contains(rest, id), rest);
  BOOST_TEST(contains(rest, "to launch  job\n"), rest);
  BOOST_TEST(!contains(rest, "there are more"), rest);
  BOOST_TEST(holdfast({"workflow", "list", "--after", "a-workflow"}).code == 2);
  BOOST_TEST(holdfast({"workflow", "list", "--limit", "0"}).code == 2);
}

// A1, A3, A69: from the definition to the results
BOOST_AUTO_TEST_CASE(a_workflow_is_run_from_the_command_line) {
  const auto files = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(files);
  const auto definition = (files->path() / "workflow.json").string();
  std::ofstream{definition} << R"({"name": "by hand", "steps": [
    {"key": "only", "judgments_per_unit": 1}]})";
  const auto id = core::to_string(core::workflow_id{ids.next()});
  const auto made = json::parse(printed({"workflow", "create", definition, "--id", id, "--json"}));
  BOOST_TEST(made.at("workflow") == id);
  BOOST_TEST(json::parse(printed({"workflow", "create", definition, "--id", id, "--json"}))
             == made);
  const auto another = printed({"workflow", "create", definition});
  BOOST_TEST(!contains(another, id), another);
  BOOST_TEST(contains(another, "  only  "), another);
  const auto step = made.at("steps").at(0).at("step").get<std::string>();

  const auto rows = (files->path() / "rows.ndjson").string();
  std::ofstream{rows} << "{\"photo\": \"a\", \"size\": 1.50}\n"
                         "\n"
                         "{\"photo\": 7}\r\n"
                         "{\"name\": \"b\"}\n"
                         "[\n";
  const auto added = holdfast({"step", "add", step, rows, "--key", "photo"});
  BOOST_TEST(added.code == 1);
  BOOST_TEST(added.out == "added 2, there already 0, refused 2\n");
  BOOST_TEST(contains(added.err, "line 4: payload_invalid: must be an object whose member 'photo'"),
             added.err);
  BOOST_TEST(contains(added.err, "line 5: payload_invalid: "), added.err);
  // More rows than one request takes, and those from before.
  {
    std::ofstream more{rows};
    for (int i = 0; i < 1200; ++i)
      more << R"({"photo": )" << i << "}\n";
  }
  const auto again = json::parse(printed({"step", "add", step, rows, "--key", "photo", "--json"}));
  BOOST_TEST(again == json::parse(R"({"added": 1199, "already_there": 1, "refused": 0})"));

  BOOST_TEST(contains(printed({"step", "pause", step}), "Paused"));
  BOOST_TEST(contains(printed({"step", "resume", step}), "Open"));
  BOOST_TEST(json::parse(printed({"step", "seal", step, "--json"})).at("sealed") == true);
  const auto parsed_id = core::parse_uuid(step);
  BOOST_REQUIRE(parsed_id);
  judge(core::step_id{*parsed_id});
  std::istringstream lines{printed({"step", "results", step})};
  std::vector<json> results;
  for (std::string line; std::getline(lines, line);)
    results.push_back(json::parse(line));
  BOOST_REQUIRE(results.size() == 1201U);
  BOOST_TEST(results[0].at("key") == "a");
  BOOST_TEST(results[1].at("key") == "7");
  BOOST_TEST(results[1].at("result").is_null());

  // A9: who said what, for any other method.
  const auto judgments = (files->path() / "judgments" / "of step").string();
  BOOST_TEST(printed({"step", "export", step, judgments})
             == "1 judgments of 1 units are in " + judgments + "/answers.csv\n");
  std::ifstream answers{judgments + "/answers.csv"};
  std::string line;
  BOOST_REQUIRE(std::getline(answers, line));
  BOOST_TEST(line == "worker,task,label,submitted_at,trust");
  BOOST_REQUIRE(std::getline(answers, line));
  BOOST_TEST(line.substr(0, 12) == "ana,a,yes,20", line);
  BOOST_TEST(!std::getline(answers, line));
  const auto report = test::run_program(
      HOLDFAST_BINARY, {"aggregate", "--data", judgments, "--method", "majority", "--json"}, 60s);
  BOOST_REQUIRE_MESSAGE(report.code == 0, report.err);
  BOOST_TEST(json::parse(report.out).at("judgments") == 1);

  BOOST_TEST(contains(printed({"step", "cancel", step}), "Canceled"));
  const auto over = holdfast({"step", "resume", step});
  BOOST_TEST(over.code == 1);
  BOOST_TEST(contains(over.err, "wrong_state"), over.err);
  BOOST_TEST(holdfast({"step", "seal", "a-step"}).code == 2);
  BOOST_TEST(holdfast({"step", "add", step, rows + ".not", "--key", "photo"}).code == 2);
  BOOST_TEST(holdfast({"workflow", "create", definition, "--id", "mine"}).code == 2);
}

// A3, A45: as a spreadsheet writes it, looked at first, loaded again, and corrected
BOOST_AUTO_TEST_CASE(a_file_of_rows_is_loaded_from_the_command_line) {
  const auto files = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(files);
  const auto created = ask(msg::create_workflow{
      {ids.next()}, R"({"name": "files", "steps": [{"key": "only", "judgments_per_unit": 1}]})"});
  const auto workflow = core::to_string(created.workflow);
  const auto rows = (files->path() / "photos.csv").string();
  std::ofstream{rows} << "\xef\xbb\xbfid,caption,width\r\n"
                         "a,\"two\r\nlines\",1.50\r\n"
                         "b,plain,wide\r\n"
                         "c,\"never closed,3\r\n"
                         "d,plain,4\r\n"
                         "e,short\r\n";
  const std::vector<std::string> load{"workflow", "add-data",
                                      workflow,   rows,
                                      "--key",    "id",
                                      "--map",    "input.text=caption",
                                      "--map",    "input.width=width:number"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), load.begin(), load.end());
    return holdfast(more);
  };
  const auto looked = with({"--dry-run"});
  BOOST_TEST(looked.code == 1);
  BOOST_TEST(contains(looked.out, "caption -> input.text"), looked.out);
  BOOST_TEST(contains(looked.out, "width -> input.width as number"), looked.out);
  BOOST_TEST(contains(looked.out, "nothing was changed; these rows would be: added 2"), looked.out);
  const auto added = with({"--json"});
  BOOST_TEST(added.code == 1);
  const auto told = json::parse(added.out);
  BOOST_TEST(told.at("rows") == 5);
  BOOST_TEST(told.at("added") == 2);
  BOOST_TEST(told.at("refused") == 3);
  for (const auto* line : {"line 4: payload_invalid: the column `width` must be a number",
                           "line 5: invalid_argument: a quotation mark is never closed",
                           "line 7: invalid_argument: the row has 2 fields"})
    BOOST_TEST(contains(added.err, line), added.err);

  std::ofstream{rows} << "id,caption,width\na,\"two\r\nlines\",1.5\nd,other,4\n";
  const auto again = with({});
  BOOST_TEST(again.code == 0);
  BOOST_TEST(again.out == "added 0, there already 1, changed 1 (replaced 0), refused 0\n");
  BOOST_TEST(contains(again.err, "line 4: changed: unit "), again.err);
  BOOST_TEST(with({"--on-change", "replace"}).out
             == "added 0, there already 1, changed 1 (replaced 1), refused 0\n");
  BOOST_TEST(with({}).out == "added 0, there already 2, changed 0 (replaced 0), refused 0\n");

  BOOST_TEST(holdfast({"workflow", "add-data", workflow, rows + ".not"}).code == 2);
  BOOST_TEST(holdfast({"workflow", "add-data", workflow, rows, "--map", "caption"}).code == 2);
  const auto missing = holdfast({"workflow", "add-data", workflow, rows, "--key", "di"});
  BOOST_TEST(missing.code == 1);
  BOOST_TEST(contains(missing.err, "there is no column `di`"), missing.err);
}

// A36: as whoever manages the job tells of it, once more, and in words
BOOST_AUTO_TEST_CASE(an_event_about_a_job_is_handed_on) {
  const core::workflow_id workflow{ids.next()};
  ask(msg::create_workflow{
      workflow, R"({"name": "job", "starts": "when_launched", "steps": [{"key": "only"}]})"});
  const auto events = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(events);
  const auto file = (events->path() / "event.json").string();
  std::ofstream{file} << json{{"type", "JobStatusChanged"},
                              {"workflow_id", core::to_string(workflow)},
                              {"revision", 7},
                              {"status", "launched"}};
  BOOST_TEST(printed({"workflow", "job", "--event", file}) == "applied  revision 7\n");
  BOOST_TEST(contains(printed({"workflow", "show", core::to_string(workflow)}), "Open"));
  const auto again = json::parse(printed({"workflow", "job", "--event", file, "--json"}));
  BOOST_TEST(again.at("workflow") == core::to_string(workflow));
  BOOST_TEST(again.at("revision") == 7);
  BOOST_TEST(again.at("applied") == false);
  BOOST_TEST(printed({"workflow", "job", core::to_string(workflow), "paused", "--revision", "8"})
             == "applied  revision 8\n");
}

// A27, A28: a test question that was wrong, on the command line.
BOOST_AUTO_TEST_CASE(a_test_question_is_forgiven_and_counts_again) {
  const auto created = ask(msg::create_workflow{{ids.next()},
                                                R"({"name": "tested", "steps": [{"key": "label",
          "test_questions": {"quiz": 1, "quiz_pass": 1}}]})"});
  const auto step = created.steps.front().step;
  ask(msg::add_source_data{step, {{"a", "{}", 1}}});
  ask(msg::add_test_questions{step, {{"test", "{}", R"({"answer":"yes"})"}}});
  const auto asked = ask(msg::ask_assignment{step, "eve", {ids.next()}});
  ask(msg::submit_judgment{
      step, asked.unit, "eve", asked.token, {ids.next()}, R"({"answer":"no"})"});
  const auto standing = [&] {
    return ask(msg::list_contributors{step, "", 10}).contributors.front().standing;
  };
  for (int i = 0; i < 10'000 && standing() != core::contributor_standing::removed; ++i)
    continue;

  const auto unit = core::to_string(asked.unit);
  const auto listed = json::parse(printed({"question", "list", text_of(step), "--json"}));
  BOOST_REQUIRE(listed.at("questions").size() == 1U);
  const auto question = listed.at("questions").at(0);
  BOOST_TEST(question.at("unit") == unit);
  BOOST_TEST(question.at("key") == "test");
  BOOST_TEST(question.at("truth") == json::parse(R"({"answer":"yes"})"));
  BOOST_TEST(question.at("answered") == 1);
  BOOST_TEST(question.at("right") == 0);
  BOOST_TEST(question.at("forgiven") == false);
  BOOST_TEST(listed.at("more") == false);
  BOOST_TEST(holdfast({"question", "list", "a-step"}).code == 2);

  const std::string forgiven = "forgiven: its answers say nothing\n";
  BOOST_TEST(printed({"question", "forgive", text_of(step), unit})
             == forgiven + "back at work: eve\n");
  const auto table = printed({"question", "list", text_of(step)});
  BOOST_TEST(contains(table, unit), table);
  BOOST_TEST(contains(table, "forgiven  test  {\"answer\":\"yes\"}  {}\n"), table);
  BOOST_TEST(printed({"question", "forgive", text_of(step), unit}) == forgiven);
  const auto again =
      json::parse(printed({"question", "count-again", text_of(step), unit, "--json"}));
  BOOST_TEST(again.at("forgiven") == false);
  BOOST_TEST(again.at("removed") == json::array({"eve"}));
  BOOST_TEST(holdfast({"question", "forgive", text_of(step), "a-unit"}).code == 2);
  const auto repaired =
      json::parse(printed({"question", "repair", text_of(step), unit, "--dry-run", "--json"}));
  BOOST_TEST(repaired.at("contributor") == "question:" + unit);
  BOOST_TEST(repaired.at("done") == true);
  BOOST_TEST(repaired.at("found") == 0);
  BOOST_TEST(contains(printed({"question", "repair", text_of(step), unit}), "repaired\n"));
  BOOST_TEST(holdfast({"question", "repair", text_of(step), "a-unit"}).code == 2);
}

// A27, A28, A129, G-7: test questions from a file, and what becomes of somebody who fails them
BOOST_AUTO_TEST_CASE(contributors_are_tested_removed_and_repaired_from_the_command_line) {
  const auto created = ask(msg::create_workflow{{ids.next()},
                                                R"({"name": "tested", "steps": [{"key": "label",
          "judgments_per_unit": 1,
          "test_questions": {"quiz": 1, "quiz_pass": 1, "every": 0}}]})"});
  const auto step = created.steps.front().step;
  const auto files = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(files);
  const auto file = (files->path() / "questions.ndjson").string();
  std::ofstream{file} << "{\"photo\": \"q\", \"gold\": \"yes\", \"size\": 1.50}\n"
                         "{\"photo\": \"r\"}\n"
                         "{\"gold\": \"yes\"}\n"
                         "{\"photo\": \"s\", \"gold\": {\"match\": \"sort\"}}\n";
  const std::vector<std::string> adding{"question", "add",   text_of(step), file,
                                        "--key",    "photo", "--truth",     "gold"};
  const auto added = holdfast(adding);
  BOOST_TEST(added.code == 1);
  BOOST_TEST(added.out == "added 1, there already 0, refused 3\n");
  BOOST_TEST(contains(added.err, "line 2: payload_invalid: must have the member 'gold'"),
             added.err);
  BOOST_TEST(contains(added.err, "line 3: payload_invalid: must be an object whose member 'photo'"),
             added.err);
  BOOST_TEST(contains(added.err, "line 4: payload_invalid: "), added.err);
  auto as_json = adding;
  as_json.emplace_back("--json");
  BOOST_TEST(json::parse(holdfast(as_json).out)
             == json::parse(R"({"added": 0, "already_there": 1, "refused": 3})"));
  auto shown = adding;
  shown.back() = "photo";
  BOOST_TEST(holdfast(shown).code == 2);

  // A contributor sees the line as it would be without its truth, in the spelling of all inputs.
  feed(step, 0, 3);
  const auto answer = [&](const std::string& who, const std::string& what) {
    const auto given = ask(msg::ask_assignment{step, who, {ids.next()}});
    ask(msg::submit_judgment{
        step, given.unit, who, given.token, {ids.next()}, R"({"answer":")" + what + "\"}"});
    return given;
  };
  BOOST_TEST(answer("eve", "no").input == R"({"photo":"q","size":1.5})");
  BOOST_TEST(answer("bob", "yes").input == R"({"photo":"q","size":1.5})");
  const auto judged = answer("bob", "yes").unit;
  const auto unit_state = [&] { return ask(msg::get_unit{step, judged}).state; };
  for (int i = 0; i < 10'000 && unit_state() != core::unit_state::finalized; ++i)
    continue;

  const auto listed = [&] {
    return json::parse(printed({"contributor", "list", text_of(step), "--json"}))
        .at("contributors");
  };
  for (int i = 0; i < 100 && listed().at(1).at("standing") != "Removed"; ++i)
    continue;
  const auto two = listed();
  BOOST_REQUIRE(two.size() == 2U);
  BOOST_TEST(two.at(0).at("contributor") == "bob");
  BOOST_TEST(two.at(0).at("reason").is_null());
  BOOST_TEST(two.at(0).at("right") == 1);
  BOOST_TEST(two.at(1).at("reason") == "QuizFailed");
  const auto table = printed({"contributor", "list", text_of(step)});
  BOOST_TEST(contains(table, "eve                       Removed   QuizFailed"), table);
  BOOST_TEST(contains(table, "  1 of 1  "), table);

  // Of somebody at work nothing is taken back that has the same answer today.
  const auto nothing =
      json::parse(printed({"contributor", "repair", text_of(step), "bob", "--json"}));
  BOOST_TEST(nothing.at("done") == true);
  BOOST_TEST(nothing.at("reopened") == 0);
  BOOST_TEST(printed({"contributor", "remove", text_of(step), "bob"}) == "removed: bob\n");
  BOOST_TEST(listed().at(0).at("reason") == "Requester");
  const auto would =
      json::parse(printed({"contributor", "repair", text_of(step), "bob", "--dry-run", "--json"}));
  BOOST_TEST(would.at("dry_run") == true);
  BOOST_TEST(would.at("done") == true);
  BOOST_TEST(would.at("reopened") == 1);
  BOOST_TEST((unit_state() == core::unit_state::finalized));
  const auto id = core::to_string(ids.next());
  const std::vector<std::string> repair{"contributor", "repair", text_of(step), "bob", "--id", id};
  const auto repaired = printed(repair);
  BOOST_TEST(contains(repaired, "repaired\n"), repaired);
  BOOST_TEST(contains(repaired, "reopened               1  others are asked\n"), repaired);
  BOOST_TEST(printed(repair) == repaired);
  BOOST_TEST((unit_state() == core::unit_state::judgable));
  auto other = repair;
  other.emplace_back("--dry-run");
  const auto taken = holdfast(other);
  BOOST_TEST(taken.code == 1);
  BOOST_TEST(contains(taken.err, "already_exists: "), taken.err);
  BOOST_TEST(holdfast({"contributor", "repair", text_of(step), "bob", "--id", "mine"}).code == 2);
  BOOST_TEST(holdfast({"contributor", "list", "a-step"}).code == 2);
}

// A4, A46, A92 (`get_unit`): one unit is seen and stopped on the command line
BOOST_AUTO_TEST_CASE(one_unit_is_paused_resumed_and_canceled_from_the_command_line) {
  const auto step = given_step();
  feed(step, 0, 1);
  const auto unit = ask(msg::list_results{step, 0, 1}).results.front().unit;
  const auto told = [&](const char* verb) {
    return printed({"unit", verb, text_of(step), text_of(unit)});
  };
  BOOST_TEST(contains(told("show"), "judgments    0 of 1\n"));
  BOOST_TEST(contains(told("show"), "result       none yet\n"));
  BOOST_TEST(told("pause") == text_of(unit) + "  Paused\n");
  BOOST_TEST(told("pause") == text_of(unit) + "  Paused\n");
  BOOST_TEST(
      json::parse(printed({"unit", "show", text_of(step), text_of(unit), "--json"})).at("state")
      == "Paused");
  BOOST_TEST(
      json::parse(printed({"unit", "resume", text_of(step), text_of(unit), "--json"})).at("state")
      == "Judgable");
  BOOST_TEST(told("cancel") == text_of(unit) + "  Canceled\n");
  const auto over = holdfast({"unit", "resume", text_of(step), text_of(unit)});
  BOOST_TEST(over.code == 1);
  BOOST_TEST(contains(over.err, "wrong_state: the unit is Canceled"), over.err);
  const auto nothing = holdfast({"unit", "pause", text_of(step), core::to_string(ids.next())});
  BOOST_TEST(nothing.code == 1);
  BOOST_TEST(contains(nothing.err, "not_found: "), nothing.err);
  BOOST_TEST(holdfast({"unit", "pause", text_of(step), "a-unit"}).code == 2);
  BOOST_TEST(holdfast({"unit", "stop", text_of(step), text_of(unit)}).code == 2);
}

// A94-A97: profiles on the command line, and the steps that are there by them.
BOOST_AUTO_TEST_CASE(profiles_and_offered_steps_of_contributors_can_be_printed) {
  ask(msg::create_workflow{{ids.next()},
                           R"({"name": "asking", "steps": [{"key": "names", "title": "Find names",
                               "priority": 7, "requirements": {"skills": ["ner"]}}]})"});
  const auto step = given_step();
  BOOST_TEST(contains(printed({"contributor", "show", "ana"}), "trust           not known\n"));
  const auto put = printed({"contributor", "put", "ana", "--skill", "sql", "--skill", "ner",
                            "--location", "DE-BY", "--trust", "0.9"});
  BOOST_TEST(contains(put, "skills          ner, sql\n"), put);
  BOOST_TEST(contains(put, "trust           0.90 as given\n"), put);
  BOOST_TEST(printed({"contributor", "show", "ana"}) == put);
  const auto known = json::parse(printed({"contributor", "show", "ana", "--json"}));
  BOOST_TEST(known.at("location") == "DE-BY");
  BOOST_TEST(known.at("channels").empty());

  // The index follows the events.
  for (int i = 0; i < 10'000 && ask(msg::find_steps{"ana", 20, 0, {}}).steps.size() < 2; ++i)
    continue;
  const auto found = json::parse(printed({"contributor", "steps", "ana", "--json"}));
  BOOST_TEST(found.at("complete") == true);
  BOOST_REQUIRE(found.at("steps").size() == 2U);
  BOOST_TEST(found.at("steps").at(0).at("key") == "names");
  BOOST_TEST(found.at("steps").at(0).at("priority") == 7);
  BOOST_TEST(found.at("steps").at(1).at("step") == text_of(step));
  BOOST_TEST(contains(printed({"contributor", "steps", "ana", "--limit", "1"}), "Find names"));
  BOOST_TEST(!contains(printed({"contributor", "steps", "bob"}), "Find names"));
  const auto rebuilt = json::parse(printed({"step", "rebuild-index", "--json"}));
  BOOST_TEST(rebuilt.at("nodes") == 1);
  BOOST_TEST(rebuilt.at("complete") == true);
  const auto steps_there = rebuilt.at("steps").get<int>();
  BOOST_TEST(steps_there >= 2);
  BOOST_TEST(printed({"step", "rebuild-index"})
             == std::to_string(steps_there) + " open steps were listed anew by 1 node\n");
  BOOST_TEST(json::parse(printed({"contributor", "steps", "ana", "--json"})) == found);
  BOOST_TEST(contains(printed({"explain", "contributor",
                               found.at("steps").at(0).at("step").get<std::string>(), "bob"}),
                      "not_eligible: bob may not work in the step: they lack skill 'ner'"));

  const auto wrong = holdfast({"contributor", "put", "ana", "--skill", "no spaces"});
  BOOST_TEST(wrong.code == 1);
  BOOST_TEST(contains(wrong.err, "payload_invalid: /skills/0"), wrong.err);
  BOOST_TEST(holdfast({"contributor", "put", "ana", "--trust", "2"}).code == 2);
  BOOST_TEST(holdfast({"contributor", "steps", "ana", "--limit", "0"}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
