#include "examples/bulk_actions/story.hpp"

#include "app/demo/node_process.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/task.hpp"
#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/csv.hpp"
#include "examples/bulk_actions/simulation.hpp"
#include "examples/bulk_actions/smtp_sink.hpp"
#include "examples/bulk_actions/story_world.hpp"
#include "examples/bulk_actions/visit.hpp"
#include "examples/shared/story.hpp"
#include "messages/task_messages.hpp"

#include <CLI/Validators.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bulk {

namespace {

using namespace std::chrono_literals;
using examples::broken_off;
using examples::need;

constexpr auto start_limit = 60s;
constexpr auto stop_limit = 30s;
/// What the node that is killed held is free after this.
constexpr auto ttl = 2s;
constexpr std::uint64_t story_seed = 1;

/// The node is killed when both tasks are at least so far.
constexpr std::uint32_t midway = 30;

constexpr auto retry_at_once = static_cast<std::uint8_t>(core::task_verb::retry);

constexpr const char* letter = "Your programme begins on Monday.\n.\nZoë from the registry";

class college_story : public visit {
public:
  college_story(const simulation& world, app::demo::node_process& node, client::connection& line,
                const smtp_sink& sink)
      : visit(world, story_seed), node_(node), line_(line), sink_(sink) {}

  /// What went wrong; empty when all is as promised.
  std::vector<std::string> run();

private:
  void prepare();
  void refuse_some();
  void ask_for_much();
  void ask_for_what_waits();
  void kill_midway();
  void see_it_through();
  void revoke_a_right();
  void enrol_and_unwatch();
  void change_units();

  void check_statuses();
  void check_export();
  void check_watches();
  void check_mails();
  void check_views();
  void check_fence();
  void check_what_is_forgotten();

  app::demo::node_process& node_;
  client::connection& line_;
  const smtp_sink& sink_;
  core::task_id export_, change_, watch_, mail_, revoked_;
};

std::vector<std::string> college_story::run() {
  try {
    prepare();
    refuse_some();
    ask_for_what_waits();
    ask_for_much();
    kill_midway();
    see_it_through();
    check_statuses();
    check_export();
    check_watches();
    check_mails();
    revoke_a_right();
    enrol_and_unwatch();
    change_units();
    check_views();
    check_fence();
    check_what_is_forgotten();
  } catch (const broken_off& end) {
    expect(false, end.why);
  } catch (const std::exception& end) {
    expect(false, std::string{"the database: "} + end.what());
  }
  return problems();
}

// --- what happens ---

void college_story::prepare() {
  need(line_.ask<msg::queue_view>(msg::put_queue{queue_name, queue_policy(ttl)}), "no queue");
  make_schema(*pool_);
  for (const auto& who : everybody_on_the_staff())
    put_staff(*pool_, who);
  add_people(*pool_, people_numbered(1, world_.people + 1));
  teller_.say("a node with a private database runs, the handlers inside it; the college has "
              + std::to_string(world_.people) + " people");
}

void college_story::refuse_some() {
  const by_query all;
  refused(college_->ask(as(intern), export_search{all}), error::not_allowed, "an intern's export");
  refused(college_->ask(as(coach, dean), change_program_status{all, program_status::withdrawn, ""}),
          error::not_allowed, "a coach who acts as the dean");
  refused(college_->ask(as(registrar), export_search{all}), error::too_many_targets,
          "an export of everybody");
  refused(college_->ask(as(registrar), send_mail{by_ids{}, "Hello", "you"}), error::request_invalid,
          "a mail to nobody");
  expect(number("SELECT count(*) FROM bulk.requests") == 0, "a refused request was written down");
  teller_.say(
      "four requests are refused at once: two without the right, one that reaches too many, "
      "one that reaches nobody");
}

/// The mail server is down: the task is tried again, and everybody else goes on. When it is up, an
/// operator need not wait for the next try.
void college_story::ask_for_what_waits() {
  by_ids some;
  for (person_id id = 121; id >= 1; --id)
    some.ids.push_back(id);
  mail_ = accepted(college_->ask(as(registrar), send_mail{some, "Wëlcome", letter}), "a mail");
  watch_until("the first try of the mail",
              [&] { return number("SELECT count(*) FROM report.tasks WHERE attempts > 0") == 1; });
  const auto view = seen(registrar, mail_);
  expect(view.status == "QUEUED" && view.error_code.empty(), "the mail is not tried again");
  teller_.say("121 mails wait: the mail server is down");
  sink_.open();
  need(line_.ask<msg::task_changed>(msg::change_task{queue_name, mail_, retry_at_once}),
       "not retried");
  watch_until("the first mails", [&] { return !sink_.mails().empty(); });
  teller_.say("it is up");
}

void college_story::ask_for_much() {
  const auto once = as(registrar);
  const export_search biologists{by_query{biology, std::nullopt}};
  const auto given = college_->ask(once, biologists);
  export_ = accepted(given, "an export");
  expect(accepted(college_->ask(once, biologists), "an export again") == export_,
         "asking again makes another task");
  change_ = accepted(
      college_->ask(as(registrar, dean),
                    change_program_status{by_query{history, program_status::active},
                                          program_status::on_leave, "the archive is closed"}),
      "a change of status");
  watch_ = accepted(college_->ask(as(coach), watch{by_query{}}), "a watch");
  teller_.say("accepted, to be done later: " + to_json(std::get<receipt>(given)));
  teller_.say("also " + std::to_string(world_.people / 2)
              + " changes of status, as the dean; and a coach watches all whom they see");
}

void college_story::kill_midway() {
  watch_until("the middle", [&] {
    return std::min(seen(registrar, export_).percent, seen(registrar, change_).percent) >= midway;
  });
  const auto rows = seen(registrar, export_).percent;
  const auto changes = seen(registrar, change_).percent;
  expect(rows < 100 && changes < 100, "the node was too fast to be killed midway");
  node_.kill();
  if (node_.ended_within(stop_limit) != 128 + SIGKILL)
    throw broken_off{"the node could not be killed"};
  const auto mails = sink_.mails().size();
  teller_.say("the node is killed, with " + std::to_string(rows) + " % of the rows, "
              + std::to_string(changes) + " % of the changes and " + std::to_string(mails)
              + " mails done");
  if (const auto started = node_.start(start_limit); !started)
    throw broken_off{started.error().detail};
  connect();
  teller_.say("it is back and goes on at the bookmarks");
}

void college_story::see_it_through() {
  for (const auto& [task, who] :
       {std::pair{export_, registrar}, {change_, registrar}, {watch_, coach}, {mail_, registrar}}) {
    const auto view = ended(who, task);
    teller_.say(view.action + ": " + view.status + ' ' + std::to_string(view.percent) + " % "
                + view.error_code + view.result);
    expect(task == mail_ ? view.error_code == error::recipients_refused
                         : view.status == "COMPLETED" && view.percent == 100,
           view.action + " ended as " + view.status + ' ' + view.error_code);
  }
  expect(number("SELECT count(DISTINCT task_id) FROM report.task_attempts WHERE ending IN "
                "('Expired', 'Lost')")
             > 0,
         "no task was taken over from the node that was killed");
}

/// Nobody is changed but under the rights of who was told to do it, and those are gone.
void college_story::revoke_a_right() {
  const auto pause = [&](bool paused) {
    need(line_.ask<msg::queue_view>(
             msg::pause_queue{queue_name, change_program_status::type, paused}),
         "not paused");
  };
  pause(true);
  const auto by = as(registrar, dean);
  const change_program_status mistake{by_query{biology, std::nullopt}, program_status::withdrawn,
                                      "by mistake"};
  revoked_ = accepted(college_->ask(by, mistake), "a change of status");
  put_staff(*pool_, {dean, "Dora Dean", {}, ""});
  pause(false);
  expect(accepted(college_->ask(by, mistake), "what was accepted, asked for again") == revoked_,
         "asking again after the right is gone makes another task");
  const auto view = ended(registrar, revoked_);
  expect(view.status == "FAILURE" && view.error_code == error::rights_revoked,
         "the right was withdrawn, and the task ended as " + view.status + ' ' + view.error_code);
  expect(number("SELECT count(*) FROM bulk.people WHERE status = 'WITHDRAWN'") == 0,
         "somebody was changed without the right");
  teller_.say("the dean loses the right before another change begins: " + to_json(view));
}

void college_story::enrol_and_unwatch() {
  enrol what{"chemistry", {}};
  for (const auto& who : people_numbered(world_.people + 1, world_.people + 451))
    what.people.push_back({who.name, who.email, who.campus});
  const auto made = accepted(college_->ask(as(registrar), what), "an enrolment");
  const auto gone = accepted(college_->ask(as(coach), unwatch{by_ids{{3, 6, 9}}}), "an unwatch");
  expect(ended(registrar, made).status == "COMPLETED", "the enrolment has failed");
  expect(ended(coach, gone).status == "COMPLETED", "the unwatch has failed");
  expect(number("SELECT count(*) FROM bulk.people WHERE program = 'chemistry'") == 450,
         "not each newcomer is enrolled once");
  expect(number("SELECT count(*) FROM bulk.watches WHERE person IN (3, 6, 9)") == 0,
         "somebody is still watched");
  teller_.say("450 newcomers are enrolled, and the coach watches three fewer");
  const auto at_once = college_->ask_now(as(coach), watch{by_ids{{3, 4, 9}}});
  const auto* done = std::get_if<applied>(&at_once);
  expect(done != nullptr && done->people == 2, "whom the coach sees of three is not watched");
  const newcomer wordy{std::string(line_bytes_max, 'n'), "n@campus.example",
                       std::string(line_bytes_max, 'c')};
  refused(college_->ask(as(registrar), enrol{"law", std::vector<newcomer>(newcomers_max, wordy)}),
          error::request_invalid, "an enrolment that no task can hold");
  refused(college_->ask_now(as(coach), watch{by_query{}}), error::too_many_targets,
          "a watch of a thousand while somebody waits");
}

/// Work that contributors do: its units belong to Holdfast, which changes them.
void college_story::change_units() {
  constexpr std::int64_t essays = 60;
  const auto step =
      need(line_.ask<msg::workflow_created>(msg::create_workflow{
               {as(registrar).request.value},
               R"({"name": "essays", "steps": [{"key": "read", "judgments_per_unit": 1}]})"}),
           "no workflow")
          .steps.front()
          .step;
  msg::add_source_data data{step, {}};
  for (std::int64_t i = 1; i <= essays; ++i)
    data.rows.push_back({"essay-" + std::to_string(i), R"({"page": 1})", 0});
  need(line_.ask<msg::source_data_added>(data), "no units");
  const change_unit_status pause{step, units_in_state{"Judgable"}, core::unit_verb::pause};
  refused(college_->ask(as(intern), pause), error::not_allowed, "an intern's pause of units");
  const auto task = accepted(college_->ask(as(registrar), pause), "a pause of units");
  const auto view = ended(registrar, task);
  expect(view.status == "COMPLETED" && view.percent == 100,
         "the pause of units ended as " + view.status + ' ' + view.error_code);
  const auto paused = [&] {
    return number("SELECT count(*) FROM report.units WHERE state = 'Paused' AND "
                  "workflow_step_id = '"
                  + core::to_string(step) + "'");
  };
  expect(paused() == essays, "units are not paused");
  units_by_ids some;
  for (const auto& unit : pool_->run<pqxx::nontransaction>(
           [&](auto& tx) { return next_units(tx, step, units_in_state{"Paused"}, 0, 3); }))
    some.ids.push_back(unit.id);
  const auto back = accepted(
      college_->ask(as(registrar), change_unit_status{step, some, core::unit_verb::resume}),
      "a resumption of units");
  expect(ended(registrar, back).status == "COMPLETED", "the resumption of units has failed");
  expect(paused() == essays - 3, "three units are not resumed");
  teller_.say("60 units of an annotation step are paused, and three of them go on");
}

// --- the checks ---

void college_story::check_statuses() {
  const auto half = static_cast<std::int64_t>(world_.people / 2);
  expect(number("SELECT count(*) FROM bulk.people WHERE program = 'history' AND status = "
                "'ON_LEAVE'")
             == half,
         "somebody's status is not changed");
  expect(number("SELECT count(*) FROM bulk.status_changes") == half,
         "a change of status was made twice, or not written down");
  expect(number("SELECT count(DISTINCT person) FROM bulk.status_changes WHERE changed_by = "
                + std::to_string(dean))
             == half,
         "changes are not in the name of the dean");
}

/// The same as of an export that nobody interrupts, and as the tables have it.
void college_story::check_export() {
  const auto survived = exported(registrar, export_);
  const auto again = accepted(
      college_->ask(as(registrar), export_search{by_query{biology, std::nullopt}}), "an export");
  expect(ended(registrar, again).status == "COMPLETED", "the second export has failed");
  expect(survived == exported(registrar, again),
         "the killed export has other bytes than one that was not");
  expect(survived == csv_header() + csv_rows(people_of(*pool_, biology)),
         "the export is not what is in the tables");
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator{exports_of(world_)})
    files += file.is_regular_file() ? 1U : 0U;
  expect(files == 2, "exports have left something behind");
  teller_.say("the export that was killed has the same " + std::to_string(survived.size())
              + " bytes as one that was not");
}

void college_story::check_watches() {
  expect(number("SELECT count(*) FROM bulk.watches WHERE watcher = 2")
             == number("SELECT count(*) FROM bulk.people WHERE campus = 'north'"),
         "the coach does not watch whom they see");
  expect(number("SELECT count(*) FROM bulk.watches w JOIN bulk.people p ON p.id = w.person "
                "WHERE p.campus <> 'north'")
             == 0,
         "the coach watches somebody whom they do not see");
}

void college_story::check_mails() {
  std::set<std::string> ids;
  std::size_t repeated = 0;
  for (const auto& got : sink_.mails()) {
    repeated += ids.insert(got.id).second ? 0U : 1U;
    expect(got.subject == "Wëlcome" && got.text == letter, "a mail has another text: " + got.to);
  }
  const auto gone = number("SELECT count(*) FROM bulk.mails WHERE refusal <> ''");
  expect(gone == 3, std::to_string(gone) + " recipients are noted as refused, and not 3");
  expect(ids.size() == 118, std::to_string(ids.size()) + " people have the mail, and not 118");
  expect(repeated <= 1, "more than the mail under way was sent again");
  expect(number("SELECT count(*) FROM bulk.mails_put_off") == 0, "a mail is put off for ever");
  teller_.say(std::to_string(ids.size()) + " people have their mail, 3 mailboxes are gone; "
              + std::to_string(repeated) + " was sent again, under its own Message-ID");
}

/// What people see has no place for a bookmark or a description, and is for who asked alone.
void college_story::check_views() {
  expect(!college_->look(coach, export_), "somebody sees the task of another");
  expect(std::holds_alternative<refusal>(college_->exported(coach, export_)),
         "somebody gets the file of another");
  const auto views = college_->latest(registrar, 10);
  expect(views.size() == 8, "the registrar does not see their eight requests");
  for (const auto& view : views)
    for (const auto* hidden : {"execution_state", "workflow_status_desc", "position", "detail"})
      expect(to_json(view).find(hidden) == std::string::npos,
             std::string{hidden} + " is in what a requester sees");
}

/// The node that was killed comes back as a ghost, with the lease that it had.
void college_story::check_fence() {
  const job ghost{export_, 1, registrar, registrar};
  expect(!pg_store{pool_}.transact(ghost, [](transaction& tx) { tx.move_to({}); }),
         "an older lease can still change something");
}

/// What Holdfast has forgotten is not taken for something that waits.
void college_story::check_what_is_forgotten() {
  expect(number("WITH gone AS (DELETE FROM holdfast.finished_tasks RETURNING task_id) "
                "SELECT count(*) FROM gone")
             > 0,
         "nothing was there to be forgotten");
  const auto done = seen(registrar, export_);
  expect(done.status == "COMPLETED" && done.percent == 100 && !exported(registrar, export_).empty(),
         "an export is lost with its task");
  std::filesystem::remove(std::get<std::filesystem::path>(college_->exported(registrar, export_)));
  refused(college_->exported(registrar, export_), error::not_kept, "an export without its file");
  const auto mail = seen(registrar, mail_);
  expect(mail.status == "FAILURE" && mail.error_code == error::recipients_refused,
         "a mail that not all have is " + mail.status + " when its task is forgotten");
  const auto other = seen(registrar, revoked_);
  expect(other.status == "FORGOTTEN" && other.error_code == error::not_kept,
         "what is not known any more is " + other.status);
}

// --- the program ---

std::vector<std::string> tell(const simulation& world, app::demo::node_process& node,
                              const smtp_sink& sink) {
  if (const auto started = node.start(start_limit); !started)
    return {started.error().detail};
  std::vector<std::string> problems;
  {
    client::peer_system configuration{client::peer_settings{}};
    caf::actor_system system{configuration};
    client::connection line{system, {"127.0.0.1", node.port()}, {}, story_seed};
    problems = college_story{world, node, line, sink}.run();
  }
  if (node.stop(stop_limit) != 0)
    problems.emplace_back("the node did not stop as it should");
  return problems;
}

} // namespace

void add_story_command(CLI::App& cli, app::exit_code& result) {
  auto world = std::make_shared<simulation>();
  const auto options = [world](CLI::App& command) {
    command.add_option("--people", world->people, "How many the college looks after")
        ->check(CLI::Range(1'000, 60'000))
        ->capture_default_str();
  };
  const auto play = [world](app::demo::node_process& node,
                            const std::filesystem::path& data_dir) -> std::vector<std::string> {
    const auto sink = smtp_sink::start(data_dir);
    if (!sink)
      return {sink.error().detail};
    world->data_dir = data_dir.string();
    world->smtp_port = sink->port();
    set_environment(*world);
    return tell(*world, node, *sink);
  };
  examples::add_story_command(
      cli, result,
      "Do some things to many people at once through a node that is killed meanwhile, and check "
      "that each happens once",
      options, [play] {
        // Leases are short here, so extensions must not be gathered for long.
        return examples::story{{"--set", "task.extension_delay=100ms"},
                               "each happened once, save at most the mail that was under way, and "
                               "nobody was told more than they may know.",
                               play};
      });
}

} // namespace bulk
