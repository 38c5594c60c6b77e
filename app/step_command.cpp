#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/step_table.hpp"
#include "core/unit.hpp"
#include "documents/judgment_document.hpp"
#include "documents/parse.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct step_flags {
  cluster_flags cluster;
  std::string step;
  std::string file;
  std::string key_member; ///< Of each row: what names it.
  std::uint32_t judgments = 0;
  bool json = false;
};

void print_line(const ordered_json& one) {
  std::cout << one.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

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

/// Of one request: a frame holds more of both, whatever each row says about itself.
constexpr std::size_t rows_max = 500;
constexpr std::size_t bytes_max = std::size_t{4} * 1024 * 1024;

struct intake_figures {
  std::uint64_t added = 0;
  std::uint64_t already_there = 0;
  std::uint64_t refused = 0;
};

/// Adds rows, some at a time.
class row_sender {
public:
  row_sender(const client::connection& cluster, core::step_id step)
      : cluster_(cluster), request_{step, {}} {}

  /// What became of the rows so far.
  const intake_figures& figures() const { return figures_; }

  void refuse_line(std::uint64_t line, core::errc code, const std::string& detail) {
    ++figures_.refused;
    std::cerr << "line " << line << ": " << core::to_string(code) << ": " << detail << '\n';
  }

  core::failure add(std::uint64_t line, msg::source_row row) {
    bytes_ += row.input.size() + row.key.size();
    request_.rows.push_back(std::move(row));
    lines_.push_back(line);
    return lines_.size() < rows_max && bytes_ < bytes_max ? core::failure{} : send();
  }

  /// To be repeated without harm: what is there already is left as it is.
  core::failure send() {
    if (lines_.empty())
      return {};
    const auto told = cluster_.ask<msg::source_data_added>(request_);
    if (!told)
      return told.error();
    figures_.added += told->added;
    figures_.already_there += told->already_there;
    for (const auto& problem : told->problems)
      refuse_line(lines_[problem.row], static_cast<core::errc>(problem.code), problem.detail);
    request_.rows.clear();
    lines_.clear();
    bytes_ = 0;
    return {};
  }

private:
  const client::connection& cluster_;
  msg::add_source_data request_;
  std::vector<std::uint64_t> lines_; ///< From which the rows of the request come.
  std::size_t bytes_ = 0;
  intake_figures figures_;
};

/// The name of a row, or what is wrong with its line.
core::outcome<std::string> key_in(const std::string& line, const std::string& member) {
  constexpr std::size_t depth_max = 1000; // the node has a bound of its own
  const auto row =
      documents::parse_json(line, {std::numeric_limits<std::size_t>::max(), depth_max});
  if (!row)
    return row.error();
  const auto key = row->is_object() ? row->find(member) : row->end();
  if (key == row->end() || key->is_structured() || key->is_null())
    return core::failure{core::errc::payload_invalid,
                         "must be an object whose member '" + member + "' names it"};
  return documents::answer_text(*key);
}

core::failure add_lines(const step_flags& flags, std::istream& lines, row_sender& sender) {
  std::string line;
  for (std::uint64_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    auto key = key_in(line, flags.key_member);
    if (!key) {
      sender.refuse_line(number, key.error().code, key.error().detail);
      continue;
    }
    if (auto why = sender.add(number, {std::move(*key), line, flags.judgments});
        why.code != core::errc::none)
      return why;
  }
  return sender.send();
}

exit_code add(const step_flags& flags, core::step_id step) {
  std::ifstream file;
  if (flags.file != "-") {
    file.open(flags.file, std::ios::binary);
    if (!file)
      return refuse({core::errc::not_found, flags.file + " cannot be read"}, exit_code::usage);
  }
  auto& lines = flags.file == "-" ? std::cin : static_cast<std::istream&>(file);
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    row_sender sender{cluster, step};
    const auto why = add_lines(flags, lines, sender);
    const auto& all = sender.figures();
    if (flags.json)
      print_line(
          {{"added", all.added}, {"already_there", all.already_there}, {"refused", all.refused}});
    else
      std::cout << "added " << all.added << ", there already " << all.already_there << ", refused "
                << all.refused << '\n';
    if (why.code != core::errc::none)
      return refused_by_node(why);
    return all.refused == 0 ? exit_code::ok : exit_code::failed_check;
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
        print_line(
            {{"unit", core::to_string(one.unit)},
             {"key", one.source_key},
             {"state", core::to_string(one.state)},
             {"judgments", one.judgments},
             {"result", one.result.empty() ? ordered_json{}
                                           : ordered_json::parse(one.result, nullptr, false)}});
      after = told->last;
    }
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

void add_change(CLI::App& step, exit_code& result, const char* name, const char* about,
                core::unit_verb verb) {
  add_for_step(step, result, name, about, [verb](const step_flags& flags, core::step_id id) {
    return change(flags, id, verb);
  }).add_json();
}

} // namespace

void add_step_command(CLI::App& cli, exit_code& result) {
  auto* step = cli.add_subcommand(
      "step", "Give a step source data, say when that is all, stop it, and print its results");
  step->require_subcommand(1);

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
}

} // namespace holdfast::app
