#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/page_loop.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/read_input.hpp"
#include "app/step_table.hpp"

#include "app/workflow_data.hpp"
#include "app/workflow_results_command.hpp"

#include "client/id_source.hpp"
#include "core/time_text.hpp"
#include "core/uuid.hpp"
#include "core/workflow_versions.hpp"
#include "documents/job_status_document.hpp"
#include "documents/limits.hpp"
#include "documents/workflow_check.hpp"
#include "documents/workflow_difference.hpp"
#include "documents/workflow_document.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct workflow_flags {
  cluster_flags cluster;
  std::string workflow;
  std::string file;          ///< Of a definition, or an event.
  std::uint32_t version = 0; ///< 0: the latest.
  std::string job_status;
  std::uint64_t job_revision = 0;
  bool json = false;
};

// --- as text ---

std::string line_of(const msg::definition_difference& one) {
  if (one.before.empty())
    return "+ " + one.place + ' ' + one.after;
  if (one.after.empty())
    return "- " + one.place;
  return "  " + one.place + ": " + one.before + " -> " + one.after;
}

void print(const std::vector<msg::definition_difference>& differences) {
  if (differences.empty())
    std::cout << "nothing differs\n";
  for (const auto& one : differences)
    print_formatted("%s\n", line_of(one));
  if (differences.size() >= documents::definition_differences_max)
    print_formatted("these are the first %zu; there may be more\n", differences.size());
}

void print_text(const msg::workflow_view& seen) {
  print_formatted("%s  version %u of %u\n\n", seen.name, seen.version, seen.latest);
  print_steps(seen.steps);
}

void print_text(const msg::workflow_updated& updated) {
  print(updated.differences);
  if (updated.dry_run)
    return;
  print_formatted("\nversion %u\n\n", updated.version);
  print_steps(updated.steps);
}

void print_text(const msg::workflow_created& made) {
  print_formatted("%s\n\n", core::to_string(made.workflow));
  print_steps(made.steps);
}

void print_text(const msg::job_status_noted& noted) {
  print_formatted("%s  revision %llu\n", noted.applied ? "applied" : "known already, or older",
                  static_cast<unsigned long long>(noted.revision));
}

// --- as JSON ---

ordered_json parsed_definition(const std::string& text) { return stored_json(text); }

ordered_json to_json(const msg::workflow_view& seen) {
  return {{"workflow", core::to_string(seen.workflow)},
          {"name", seen.name},
          {"version", seen.version},
          {"latest", seen.latest},
          {"steps", steps_to_json(seen.steps)},
          {"definition", parsed_definition(seen.definition)}};
}

ordered_json to_json(const msg::workflow_updated& updated) {
  auto differences = ordered_json::array();
  for (const auto& one : updated.differences) {
    // What was not there has no member; null would be a value.
    ordered_json difference{{"place", one.place}};
    if (!one.before.empty())
      difference["before"] = parsed_definition(one.before);
    if (!one.after.empty())
      difference["after"] = parsed_definition(one.after);
    differences.push_back(std::move(difference));
  }
  return {{"workflow", core::to_string(updated.workflow)},
          {"version", updated.version},
          {"dry_run", updated.dry_run},
          {"differences", std::move(differences)},
          {"steps", steps_to_json(updated.steps)}};
}

ordered_json to_json(const msg::workflow_created& made) {
  return {{"workflow", core::to_string(made.workflow)}, {"steps", steps_to_json(made.steps)}};
}

ordered_json to_json(const msg::job_status_noted& noted) {
  return {{"workflow", core::to_string(noted.workflow)},
          {"revision", noted.revision},
          {"applied", noted.applied}};
}

template <class Answer>
exit_code say(const workflow_flags& flags, const core::outcome<Answer>& told) {
  if (!told)
    return refused_by_node(told.error());
  if (flags.json)
    std::cout << pretty(to_json(*told)) << '\n';
  else
    print_text(*told);
  return exit_code::ok;
}

/// Of a definition that the node has taken.
void warn_of(const std::string& definition) {
  if (const auto read = documents::parse_workflow(definition, documents::json_limits{}))
    for (const auto& warning : documents::all_warnings_of(*read))
      std::cerr << "holdfast: warning: " << printable(warning.place) << ' '
                << printable(warning.what) << " (" << core::code_of(warning.about) << ")\n";
}

// --- what is asked ---

exit_code show(const workflow_flags& flags, core::workflow_id workflow) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(flags, cluster.ask<msg::workflow_view>(msg::get_workflow{workflow, flags.version}));
  });
}

exit_code create(const workflow_flags& flags) {
  const auto definition = read_input(flags.file);
  if (!definition)
    return refuse(definition.error(), exit_code::usage);
  std::optional<core::workflow_id> id{core::workflow_id{client::id_source{}.next()}};
  if (!flags.workflow.empty())
    id = id_in<core::workflow_id>(flags.workflow, "--id");
  if (!id)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto made = cluster.ask<msg::workflow_created>(msg::create_workflow{*id, *definition});
    if (!made && core::describe(made.error().code).retryable)
      std::cerr << "it may be there all the same: ask again with --id " << core::to_string(*id)
                << '\n';
    if (made)
      warn_of(*definition);
    return say(flags, made);
  });
}

exit_code update(const workflow_flags& flags, core::workflow_id workflow, bool dry_run) {
  const auto definition = read_input(flags.file);
  if (!definition)
    return refuse(definition.error(), exit_code::usage);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    // The first step decides, and it is the same in all versions.
    const auto seen = cluster.ask<msg::workflow_view>(msg::get_workflow{workflow, 0});
    if (!seen)
      return refused_by_node(seen.error());
    const auto version = flags.version == 0 ? seen->latest : flags.version;
    const auto updated = cluster.ask<msg::workflow_updated>(
        msg::update_workflow{seen->steps.front().step, version, *definition, dry_run});
    if (updated)
      warn_of(*definition);
    return say(flags, updated);
  });
}

exit_code tell(const workflow_flags& flags, const documents::told_job& job) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(flags,
               cluster.ask<msg::job_status_noted>(msg::job_status_changed{
                   job.workflow, job.news.revision, static_cast<std::uint8_t>(job.news.status)}));
  });
}

exit_code tell_of_job(const workflow_flags& flags, core::workflow_id workflow) {
  const auto status = core::job_status_named(flags.job_status);
  if (!status)
    return refuse({core::errc::invalid_argument, "STATUS must be launched, paused, finished or"
                                                 " canceled, and not "
                                                     + flags.job_status},
                  exit_code::usage);
  return tell(flags, {workflow, {flags.job_revision, *status}});
}

exit_code hand_on_event(const workflow_flags& flags) {
  const auto event = read_input(flags.file);
  if (!event)
    return refuse(event.error(), exit_code::usage);
  const auto told = documents::parse_job_status_changed(*event);
  return told ? tell(flags, *told) : refuse(told.error(), exit_code::failed_check);
}

// --- listing ---

/// As many as one answer holds; the gateway's number.
constexpr std::uint32_t workflows_per_page = 1000;

struct workflow_list_flags {
  cluster_flags cluster;
  std::string after;
  std::uint32_t most = 100;
  bool json = false;
};

std::string job_of(const msg::workflow_summary& w) {
  const auto status = static_cast<core::job_status>(w.job_status);
  if (w.job_revision > 0)
    return std::string{core::to_string(status)};
  return status == core::job_status::paused ? "to launch" : "-";
}

void print_summary(const msg::workflow_summary& w) {
  if (w.latest == 0) {
    print_formatted("%-36s  damaged: the database does not give it back; see holdfast verify\n",
                    core::to_string(w.workflow));
    return;
  }
  print_formatted("%-36s  %-27s  %7u  %6u  %6u  %9u  %8u  %-9s  %s\n", core::to_string(w.workflow),
                  core::to_rfc3339(w.created_at), w.latest, w.open, w.paused, w.completed,
                  w.canceled, job_of(w), w.name);
}

ordered_json to_json(const msg::workflow_summary& w) {
  if (w.latest == 0)
    return {{"workflow", core::to_string(w.workflow)}, {"damaged", true}};
  return {{"workflow", core::to_string(w.workflow)},
          {"damaged", false},
          {"name", w.name},
          {"created_at", core::to_rfc3339(w.created_at)},
          {"latest", w.latest},
          {"steps",
           {{"open", w.open},
            {"paused", w.paused},
            {"completed", w.completed},
            {"canceled", w.canceled}}},
          {"job_status", core::to_string(static_cast<core::job_status>(w.job_status))},
          {"job_revision", w.job_revision}};
}

exit_code list_them(const workflow_list_flags& flags) {
  msg::list_workflows first;
  if (!flags.after.empty()) {
    const auto id = id_in<core::workflow_id>(flags.after, "--after");
    if (!id)
      return exit_code::usage;
    first.after = *id;
  }
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    auto request = first; // from the start each time with --watch
    auto all = ordered_json::array();
    if (!flags.json)
      print_formatted("%-36s  %-27s  %7s  %6s  %6s  %9s  %8s  %-9s  %s\n", "workflow", "created",
                      "version", "open", "paused", "completed", "canceled", "job", "name");
    const auto show = [&](const msg::workflow_page& page, std::uint32_t) {
      for (const auto& one : page.workflows) {
        request.after = one.workflow;
        if (flags.json)
          all.push_back(to_json(one));
        else
          print_summary(one);
      }
      return page.workflows.size();
    };
    const auto read = read_pages(cluster, request, flags.most, workflows_per_page, show);
    if (!read)
      return refused_by_node(read.error());
    const auto last = core::to_string(request.after);
    if (flags.json)
      std::cout << pretty({{"workflows", std::move(all)}, {"last", last}, {"more", read->more}})
                << '\n';
    else if (read->more)
      std::cout << "there are more; go on with --after " << last << '\n';
    return exit_code::ok;
  });
}

void add_workflow_list(CLI::App& workflow, exit_code& result) {
  const auto flags = std::make_shared<workflow_list_flags>();
  auto* command = workflow.add_subcommand(
      "list", "Show them by id, with how many of their steps are open, paused, completed and "
              "canceled");
  flags->cluster.add_to(*command);
  command->add_option("--after", flags->after, "Go on behind this workflow")->type_name("WORKFLOW");
  command->add_option("--limit", flags->most, "At most so many")
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print one JSON object");
  flags->cluster.add_watch_to(*command);
  command->callback([flags, &result] { result = list_them(*flags); });
}

// --- the command line ---

constexpr const char* definition_file =
    "Its definition in JSON, see docs/API.md; - reads it from the standard input";

struct workflow_subcommand {
  CLI::App* command;
  std::shared_ptr<workflow_flags> flags;
  CLI::Option* id; ///< That of the workflow.

  void add_file() const {
    command->add_option("file", flags->file, definition_file)->type_name("FILE")->required();
  }
  void add_version(const char* about) const {
    command->add_option("--version", flags->version, about)
        ->type_name("N")
        ->check(CLI::Range(1U, core::workflow_versions_max));
  }
};

using question = std::function<exit_code(const workflow_flags&, core::workflow_id workflow)>;

exit_code about_workflow(const workflow_flags& flags, const question& what) {
  const auto id = core::parse_uuid(flags.workflow);
  return id ? what(flags, {*id})
            : refuse({core::errc::invalid_argument,
                      "WORKFLOW must be the id of a workflow, and not " + flags.workflow},
                     exit_code::usage);
}

workflow_subcommand begin(CLI::App& workflow, const char* name, const char* about) {
  auto flags = std::make_shared<workflow_flags>();
  auto* command = workflow.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  auto* id =
      command->add_option("workflow", flags->workflow, "Id of a workflow")->type_name("WORKFLOW");
  command->add_flag("--json", flags->json, "Print one JSON object");
  return {command, flags, id};
}

workflow_subcommand add_for_workflow(CLI::App& workflow, exit_code& result, const char* name,
                                     const char* about, const question& what) {
  auto begun = begin(workflow, name, about);
  begun.id->required();
  begun.command->callback(
      [flags = begun.flags, what, &result] { result = about_workflow(*flags, what); });
  return begun;
}

void add_create(CLI::App& workflow, exit_code& result) {
  const auto flags = std::make_shared<workflow_flags>();
  auto* command = workflow.add_subcommand("create", "Make a workflow");
  flags->cluster.add_to(*command);
  command->add_option("file", flags->file, definition_file)->type_name("FILE")->required();
  command
      ->add_option("--id", flags->workflow,
                   "Its id, under which the same is made only once; else a new one")
      ->type_name("WORKFLOW");
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = create(*flags); });
}

/// Tells of a job in words, or hands on the event of whoever manages it.
void add_job(CLI::App& workflow, exit_code& result) {
  const auto job = begin(workflow, "job", "Say what has become of the job that the workflow is");
  const auto flags = job.flags;
  auto* status = job.command
                     ->add_option("status", flags->job_status,
                                  "Where the job stands: launched, paused, finished or canceled")
                     ->type_name("STATUS");
  auto* revision =
      job.command
          ->add_option("--revision", flags->job_revision,
                       "Of the job where it is managed; one that is not newer changes nothing")
          ->type_name("N");
  auto* event = job.command
                    ->add_option("--event", flags->file,
                                 "Says all that: a JobStatusChanged in JSON, see holdfast schemas "
                                 "events/v1/JobStatusChanged.json; - reads the standard input")
                    ->type_name("FILE");
  const std::vector<CLI::Option*> words{job.id, status, revision};
  for (auto* word : words)
    event->excludes(word);
  job.command->callback([flags, words, event, &result] {
    if (!event->empty()) {
      result = hand_on_event(*flags);
      return;
    }
    for (const auto* word : words)
      if (word->empty())
        throw CLI::RequiredError("WORKFLOW with STATUS and --revision, or --event");
    result = about_workflow(*flags, tell_of_job);
  });
}

} // namespace

void add_workflow_command(CLI::App& cli, exit_code& result) {
  auto* workflow = cli.add_subcommand(
      "workflow", "Create, list, show, update and launch workflows; take their results away");
  workflow->require_subcommand(1);

  add_create(*workflow, result);
  add_workflow_list(*workflow, result);
  add_workflow_results(*workflow, result);

  add_for_workflow(*workflow, result, "show",
                   "Print how its steps are, and with --json its definition", show)
      .add_version("This version; else the latest");

  add_for_workflow(
      *workflow, result, "diff", "Say what an update would change, and change nothing",
      [](const workflow_flags& flags, core::workflow_id id) { return update(flags, id, true); })
      .add_file();

  const auto updating = add_for_workflow(
      *workflow, result, "update",
      "Let it go on in another form; what has begun goes on as it began",
      [](const workflow_flags& flags, core::workflow_id id) { return update(flags, id, false); });
  updating.add_file();
  updating.add_version("The version that is changed, refused if it is not the latest; else the "
                       "latest, whatever it is");

  add_job(*workflow, result);
  add_workflow_data(*workflow, result);
}

} // namespace holdfast::app
