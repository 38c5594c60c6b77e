#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/judgment_export.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/row_intake.hpp"
#include "app/step_table.hpp"
#include "core/unit.hpp"
#include "files/output_file.hpp"
#include "http/shapes/workflow_shapes.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct step_flags {
  cluster_flags cluster;
  std::string step;
  std::string file;
  std::string key_member; ///< Of each row: what names it.
  std::string directory;
  std::uint32_t judgments = 0;
  bool guard_formulas = true; ///< In what is exported.
  bool json = false;
};

void print_line(const ordered_json& one) { std::cout << on_one_line(one) << '\n'; }

// --- how it stands ---

exit_code say(const step_flags& flags, const core::outcome<msg::step_view>& told) {
  if (!told)
    return refused_by_node(told.error());
  if (flags.json)
    print_line(steps_to_json({*told}).front());
  else
    print_steps({*told});
  return exit_code::ok;
}

exit_code show_step(const step_flags& flags, core::step_id step) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto told = cluster.ask<msg::step_statistics>(msg::get_step_statistics{step});
    if (!told)
      return refused_by_node(told.error());
    if (flags.json) {
      std::cout << answer_in_json(*told, cluster.now()) << '\n';
      return exit_code::ok;
    }
    print_steps({told->step});
    const auto line = [](const char* name, std::uint64_t count) {
      print_formatted("%-15s %s\n", name, std::to_string(count));
    };
    std::cout << '\n';
    line("units open", told->judgable);
    line("units paused", told->paused);
    line("units finalized", told->finalized);
    line("units canceled", told->canceled);
    line("judgments", told->judgments);
    line("leases", told->active_leases);
    line("leases expired", told->expired_leases);
    return exit_code::ok;
  });
}

exit_code seal(const step_flags& flags, core::step_id step) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(flags, cluster.ask<msg::step_view>(msg::seal_step{step}));
  });
}

exit_code change(const step_flags& flags, core::step_id step, core::unit_verb verb) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(flags, cluster.ask<msg::step_view>(
                          msg::change_step{step, static_cast<std::uint8_t>(verb)}));
  });
}

// --- source data ---

exit_code add(const step_flags& flags, core::step_id step) {
  return add_rows<msg::add_source_data>(
      flags.cluster, step, flags.file, flags.json,
      [&](const std::string& line) -> core::outcome<msg::source_row> {
        auto key = key_in_line(line, flags.key_member);
        if (!key)
          return key.error();
        return msg::source_row{std::move(*key), line, flags.judgments};
      });
}

// --- results ---

exit_code print_results(const step_flags& flags, core::step_id step) {
  constexpr std::uint32_t page = 1000;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    for (std::uint64_t after = 0;;) {
      const auto told = cluster.ask<msg::result_page>(msg::list_results{step, after, page});
      if (!told)
        return refused_by_node(told.error());
      if (told->results.empty())
        return exit_code::ok;
      for (const auto& one : told->results)
        print_line({{"unit", core::to_string(one.unit)},
                    {"key", one.source_key},
                    {"state", core::to_string(one.state)},
                    {"judgments", one.judgments},
                    {"result", stored_json(one.result)}});
      after = told->last;
    }
  });
}

// --- judgments ---

exit_code export_to_file(const step_flags& flags, core::step_id step) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto directory = files::output_directory(flags.directory);
    if (!directory)
      return refuse(directory.error(), exit_code::usage);
    const auto name = (std::filesystem::path{*directory} / "answers.csv").string();
    auto file = files::output_file::create(name);
    if (!file)
      return refuse(file.error(), exit_code::usage);
    const auto formulas = flags.guard_formulas ? documents::csv_formulas::guarded
                                               : documents::csv_formulas::as_they_are;
    const export_listener listener{
        [](const exported& so_far) {
          std::cerr << so_far.judgments << " judgments of " << so_far.units << " units\n";
        },
        [](const std::string& what) { std::cerr << "holdfast: " << printable(what) << '\n'; }};
    const auto done = export_judgments(cluster, step, file->stream(), formulas, listener);
    if (!done)
      return refused_by_node(done.error());
    if (const auto written = file->finish(); !written)
      return refuse(written.error(), exit_code::failed_check);
    if (flags.json)
      print_line({{"file", name},
                  {"units", done->units},
                  {"judgments", done->judgments},
                  {"unreadable", done->unreadable}});
    else
      std::cout << done->judgments << " judgments of " << done->units << " units are in "
                << printable(name) << '\n';
    if (done->unreadable == 0)
      return exit_code::ok;
    std::cerr << "holdfast: the file is not complete: " << done->unreadable
              << " judgments cannot be read; restore their rows and export again\n";
    return exit_code::incomplete;
  });
}

// --- the index ---

exit_code rebuild_index(const step_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto told = cluster.ask<msg::step_index_rebuilt>(msg::rebuild_step_index{});
    if (!told)
      return refused_by_node(told.error());
    if (flags.json)
      print_line({{"nodes", told->nodes}, {"steps", told->steps}, {"complete", told->complete}});
    else
      std::cout << told->steps << " open steps were listed anew by " << told->nodes
                << (told->nodes == 1 ? " node\n" : " nodes\n");
    if (told->complete)
      return exit_code::ok;
    std::cerr << "holdfast: not all nodes are done yet; they go on by themselves, and "
                 "`holdfast contributor steps` says while something is missing\n";
    return exit_code::failed_check;
  });
}

// --- the command line ---

using deed = std::function<exit_code(const step_flags&, core::step_id)>;

struct step_subcommand {
  CLI::App* command;
  std::shared_ptr<step_flags> flags;

  void add_json() const { command->add_flag("--json", flags->json, "Print one JSON object"); }
};

step_subcommand add_for_step(CLI::App& step, exit_code& result, const char* name, const char* about,
                             const deed& what) {
  auto flags = std::make_shared<step_flags>();
  auto* command = step.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("step", flags->step, "Id of a step")->type_name("STEP")->required();
  command->callback([flags, what, &result] {
    const auto id = id_in<core::step_id>(flags->step, "STEP");
    result = id ? what(*flags, *id) : exit_code::usage;
  });
  return {command, flags};
}

void add_rebuilding(CLI::App& step, exit_code& result) {
  auto flags = std::make_shared<step_flags>();
  auto* command = step.add_subcommand("rebuild-index",
                                      "Have all nodes list anew the steps that contributors find");
  flags->cluster.add_to(*command);
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = rebuild_index(*flags); });
}

void add_change(CLI::App& step, exit_code& result, const char* name, const char* about,
                core::unit_verb verb) {
  add_for_step(step, result, name, about, [verb](const step_flags& flags, core::step_id id) {
    return change(flags, id, verb);
  }).add_json();
}

} // namespace

void add_step_command(CLI::App& cli, exit_code& result) {
  auto* step = cli.add_subcommand(
      "step", "Show a step, add source data, seal, pause, cancel; results and export");
  step->require_subcommand(1);

  const auto showing = add_for_step(*step, result, "show", "Show it with its counts", show_step);
  showing.add_json();
  showing.flags->cluster.add_watch_to(*showing.command);

  const auto adding =
      add_for_step(*step, result, "add",
                   "Add source data, a JSON object on each line; what is there already stays", add);
  adding.command
      ->add_option("file", adding.flags->file, "The lines; - reads them from the standard input")
      ->type_name("FILE")
      ->required();
  adding.command
      ->add_option("--key", adding.flags->key_member,
                   "The member of each that names it, and no other of the step")
      ->type_name("MEMBER")
      ->required();
  adding.command
      ->add_option("--judgments", adding.flags->judgments,
                   "Judgments of each; else as many as the step says")
      ->type_name("N");
  adding.add_json();

  add_for_step(*step, result, "seal", "Say that no more source data will come", seal).add_json();
  add_change(*step, result, "pause", "Let nobody begin anything more in it",
             core::unit_verb::pause);
  add_change(*step, result, "resume", "Let it go on", core::unit_verb::resume);
  add_change(*step, result, "cancel", "End it for good", core::unit_verb::cancel);
  add_for_step(*step, result, "results",
               "Print its units and their results, one JSON object on "
               "each line",
               print_results);
  const auto exporting = add_for_step(
      *step, result, "export",
      "Write all its judgments that count to DIRECTORY/answers.csv, which `holdfast aggregate` "
      "reads",
      export_to_file);
  exporting.command->add_option("directory", exporting.flags->directory, "Made where there is none")
      ->type_name("DIRECTORY")
      ->required();
  exporting.command->add_flag("--guard-formulas,!--no-guard-formulas",
                              exporting.flags->guard_formulas, formula_guard_help);
  exporting.add_json();
  add_rebuilding(*step, result);
}

} // namespace holdfast::app
