#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/page_loop.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/repair_passage.hpp"
#include "app/row_intake.hpp"
#include "documents/raw_member.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
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

struct question_flags {
  cluster_flags cluster;
  std::string step;
  std::string unit;
  bool json = false;
  repair_flags repair; ///< Of what is finished.
};

void print_text(const msg::question_forgiven& told) {
  std::cout << (told.forgiven ? "forgiven: its answers say nothing\n"
                              : "its answers count again\n");
  const auto list = [](const char* what, const std::vector<core::contributor_id>& names) {
    for (const auto& name : names)
      std::cout << what << ' ' << printable(name) << '\n';
  };
  list("back at work:", told.reinstated);
  list("removed:", told.removed);
}

void print_json(const msg::question_forgiven& told) {
  const ordered_json all{{"step", core::to_string(told.step)},
                         {"unit", core::to_string(told.unit)},
                         {"forgiven", told.forgiven},
                         {"reinstated", told.reinstated},
                         {"removed", told.removed}};
  std::cout << all.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

// --- adding ---

struct question_file_flags {
  cluster_flags cluster;
  std::string step;
  std::string file;
  std::string key_member;   ///< Of each line: what names it.
  std::string truth_member; ///< Of each line: what is right; no part of the input.
  bool json = false;
};

/// The question on a line. Its input is the line without its truth; the node spells it as it spells
/// the lines of `step add`, or everybody could tell it from other units.
core::outcome<msg::test_question> question_on(const std::string& line,
                                              const question_file_flags& flags) {
  auto key = key_in_line(line, flags.key_member);
  if (!key)
    return key.error();
  const std::string truth{documents::raw_member(line, flags.truth_member)};
  if (truth.empty())
    return core::failure{core::errc::payload_invalid, "must have the member '" + flags.truth_member
                                                          + "', which says what is"
                                                            " right"};
  return msg::test_question{std::move(*key), documents::without_member(line, flags.truth_member),
                            truth.front() == '{' ? truth : R"({"answer":)" + truth + '}'};
}

exit_code add_questions(const question_file_flags& flags) {
  const auto step = id_in<core::step_id>(flags.step, "STEP");
  if (!step)
    return exit_code::usage;
  if (flags.key_member == flags.truth_member)
    return refuse({core::errc::invalid_argument,
                   "--key and --truth must be different members: what names a question is shown"},
                  exit_code::usage);
  return add_rows<msg::add_test_questions>(
      flags.cluster, *step, flags.file, flags.json,
      [&](const std::string& line) { return question_on(line, flags); });
}

void add_adding(CLI::App& question, exit_code& result) {
  auto flags = std::make_shared<question_file_flags>();
  auto* command = question.add_subcommand(
      "add", "Add test questions, a JSON object on each line; what is there already stays");
  flags->cluster.add_to(*command);
  command->add_option("step", flags->step, "Id of a step whose definition has test_questions")
      ->type_name("STEP")
      ->required();
  command->add_option("file", flags->file, "The lines; - reads them from the standard input")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--key", flags->key_member,
                   "The member of each that names it, and no other of the step")
      ->type_name("MEMBER")
      ->required();
  command
      ->add_option("--truth", flags->truth_member,
                   "The member of each that says what is right, and that nobody is shown: the "
                   "answer, or an object that says how to compare, see docs/API.md")
      ->type_name("MEMBER")
      ->required();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = add_questions(*flags); });
}

// --- listing ---

/// As many as one answer holds; the gateway's number.
constexpr std::uint32_t questions_per_page = 500;

struct question_list_flags {
  cluster_flags cluster;
  std::string step;
  std::uint64_t after = 0;
  std::uint32_t most = 100;
  bool json = false;
};

void print_question(const msg::test_question_summary& q) {
  if (q.truth.empty()) {
    print_formatted("%-36s  damaged: the database does not give it back; see holdfast verify\n",
                    core::to_string(q.unit));
    return;
  }
  print_formatted("%-36s  %8llu  %8llu  %-9s  %-8s  %s  %s  %s\n", core::to_string(q.unit),
                  static_cast<unsigned long long>(q.answered),
                  static_cast<unsigned long long>(q.right), std::string{core::to_string(q.state)},
                  q.forgiven ? "forgiven" : "-", q.key, q.truth, q.input);
}

ordered_json to_json(const msg::test_question_summary& q) {
  if (q.truth.empty())
    return {{"unit", core::to_string(q.unit)}, {"ordinal", q.ordinal}, {"damaged", true}};
  return {{"unit", core::to_string(q.unit)},
          {"ordinal", q.ordinal},
          {"damaged", false},
          {"key", q.key},
          {"state", core::to_string(q.state)},
          {"forgiven", q.forgiven},
          {"answered", q.answered},
          {"right", q.right},
          {"truth", stored_json(q.truth)},
          {"input_begins", q.input}};
}

exit_code list_questions(const question_list_flags& flags) {
  const auto step = id_in<core::step_id>(flags.step, "STEP");
  if (!step)
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    msg::list_test_questions request{*step, flags.after, 0};
    auto all = ordered_json::array();
    const auto show = [&](const msg::test_question_page& page, std::uint32_t before) {
      if (!flags.json && before == 0)
        print_formatted("%-36s  %8s  %8s  %-9s  %-8s  %s\n", "unit", "answered", "right", "state",
                        "forgiven", "key, truth, beginning of the input");
      for (const auto& one : page.questions) {
        request.after = one.ordinal;
        if (flags.json)
          all.push_back(to_json(one));
        else
          print_question(one);
      }
      return page.questions.size();
    };
    const auto read = read_pages(cluster, request, flags.most, questions_per_page, show);
    if (!read)
      return refused_by_node(read.error());
    if (flags.json)
      std::cout << pretty(
          {{"questions", std::move(all)}, {"last", request.after}, {"more", read->more}})
                << '\n';
    else if (read->more)
      std::cout << "there are more; go on with --after " << request.after << '\n';
    return exit_code::ok;
  });
}

void add_question_list(CLI::App& question, exit_code& result) {
  auto flags = std::make_shared<question_list_flags>();
  auto* command = question.add_subcommand(
      "list", "Show those of a step, with what is right and how many were right about it");
  flags->cluster.add_to(*command);
  command->add_option("STEP", flags->step)->required();
  command->add_option("--after", flags->after, "Go on behind the question of this ordinal")
      ->type_name("N");
  command->add_option("--limit", flags->most, "At most so many")
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = list_questions(*flags); });
}

// --- forgiving ---

using question_deed = std::function<exit_code(const question_flags&, const client::connection&,
                                              core::step_id, core::unit_id)>;

question_deed forgive(bool count_again) {
  return [count_again](const question_flags& flags, const client::connection& cluster,
                       core::step_id step, core::unit_id unit) {
    const auto told =
        cluster.ask<msg::question_forgiven>(msg::forgive_question{step, unit, count_again});
    if (!told)
      return refused_by_node(told.error());
    if (flags.json)
      print_json(*told);
    else
      print_text(*told);
    return exit_code::ok;
  };
}

exit_code repair_after(const question_flags& flags, const client::connection& cluster,
                       core::step_id step, core::unit_id unit) {
  return see_through(flags.repair, flags.json, [&](const core::repair_id& id) {
    return cluster.ask<msg::repair_progress>(
        msg::repair_question{step, id, unit, flags.repair.dry_run});
  });
}

struct question_subcommand {
  CLI::App* command;
  std::shared_ptr<question_flags> flags;
};

question_subcommand add_for_question(CLI::App& question, exit_code& result, const char* name,
                                     const char* about, const question_deed& what) {
  auto flags = std::make_shared<question_flags>();
  auto* command = question.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("STEP", flags->step)->required();
  command->add_option("UNIT", flags->unit)->required();
  command->add_flag("--json", flags->json, "As one JSON document");
  command->callback([flags, what, &result] {
    const auto step = id_in<core::step_id>(flags->step, "STEP");
    const auto unit = step ? id_in<core::unit_id>(flags->unit, "UNIT") : std::nullopt;
    result = unit ? with_cluster(flags->cluster,
                                 [&](const client::connection& cluster) {
                                   return what(*flags, cluster, *step, *unit);
                                 })
                  : exit_code::usage;
  });
  return {command, flags};
}

} // namespace

void add_question_command(CLI::App& cli, exit_code& result) {
  auto* question = cli.add_subcommand("question", "Add, list, forgive and repair test questions");
  question->require_subcommand(1);
  add_adding(*question, result);
  add_question_list(*question, result);
  add_for_question(*question, result, "forgive",
                   "No answer to it counts; whoever was removed for nothing else is back at work",
                   forgive(false));
  add_for_question(*question, result, "count-again", "The reverse: the answers to it count again",
                   forgive(true));
  const auto repairing = add_for_question(
      *question, result, "repair",
      "Afterwards: take back what is finished and would have another answer, by what is known "
      "today of all who answered it",
      repair_after);
  repairing.flags->repair.add_to(*repairing.command);
}

} // namespace holdfast::app
