#include "app/contributor_removals.hpp"

#include "app/answer_json.hpp"
#include "app/cluster_command.hpp"
#include "app/printable.hpp"
#include "app/time_option.hpp"
#include "config/value_text.hpp"
#include "core/time_text.hpp"
#include "http/shapes/removal_shapes.hpp"
#include "messages/interfaces.hpp"

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::app {

namespace {

struct removal_flags {
  cluster_flags cluster;
  std::string contributor;
  std::string step;
  std::string workflow;
  bool everywhere = false;
  std::string until;
  std::string lasts;
  std::string reason;
  bool keep_judgments = false;
  bool json = false;
};

exit_code refuse_removal(const std::string& why) {
  return refuse({core::errc::invalid_argument, why}, exit_code::usage);
}

/// As `config::parse_duration`, and days: `7d`.
std::optional<core::duration> span_in(const std::string& text) {
  if (text.empty() || text.back() != 'd')
    return config::parse_duration(text);
  const auto hours = config::parse_duration(text.substr(0, text.size() - 1) + 'h');
  if (!hours || *hours > core::removal_time_max / 24)
    return std::nullopt;
  return *hours * 24;
}

/// Fills in where the removal is from. False, after saying so, when the flags do not say it.
template <class Request>
bool read_place(const removal_flags& flags, Request& into) {
  const auto named =
      (flags.step.empty() ? 0 : 1) + (flags.workflow.empty() ? 0 : 1) + (flags.everywhere ? 1 : 0);
  if (named != 1) {
    refuse_removal("say where: one of --step STEP, --workflow WORKFLOW and --everywhere");
    return false;
  }
  if (!flags.step.empty()) {
    const auto step = id_in<core::step_id>(flags.step, "--step");
    into.step = step.value_or(core::step_id{});
    return step.has_value();
  }
  if (!flags.workflow.empty()) {
    const auto workflow = id_in<core::workflow_id>(flags.workflow, "--workflow");
    into.workflow = workflow.value_or(core::workflow_id{});
    return workflow.has_value();
  }
  return true;
}

void print_removal(const msg::removal_view& one) {
  const auto where = one.step       ? "step " + core::to_string(one.step)
                     : one.workflow ? "workflow " + core::to_string(one.workflow)
                                    : std::string{"everywhere"};
  print_formatted("%-10s  %-45s  %-27s  %s%s%s\n", one.state, where,
                  one.until == core::instant{} ? "for good" : core::to_rfc3339(one.until),
                  one.reason.empty() ? "-" : one.reason,
                  one.by.empty() ? std::string{} : " (by " + one.by + ")",
                  std::string{one.keeps_judgments ? "; judgments count" : ""});
}

exit_code say(const removal_flags& flags, const client::connection& cluster,
              const core::outcome<msg::removal_view>& told) {
  if (!told)
    return refused_by_node(told.error());
  if (flags.json)
    std::cout << answer_in_json(*told, cluster.now()) << '\n';
  else
    print_removal(*told);
  return exit_code::ok;
}

exit_code remove_from(const removal_flags& flags) {
  msg::put_removal request;
  request.contributor = flags.contributor;
  request.reason = flags.reason;
  request.keep_judgments = flags.keep_judgments;
  if (!read_place(flags, request) || !read_time(flags.until, "--until", request.until))
    return exit_code::usage;
  if (!flags.until.empty() && !flags.lasts.empty())
    return refuse_removal("say when it ends by --until or by --for, not both");
  if (!flags.lasts.empty()) {
    const auto span = span_in(flags.lasts);
    if (!span || *span <= core::duration::zero())
      return refuse_removal("--for must be a time such as 12h or 7d, and not " + flags.lasts);
    request.lasts = *span;
  }
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(flags, cluster, cluster.ask<msg::removal_view>(request));
  });
}

exit_code reinstate(const removal_flags& flags) {
  msg::reinstate_contributor request;
  request.contributor = flags.contributor;
  if (!read_place(flags, request))
    return exit_code::usage;
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    return say(flags, cluster, cluster.ask<msg::removal_view>(request));
  });
}

exit_code show_removals(const removal_flags& flags) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto told = cluster.ask<msg::removal_page>(msg::list_removals{flags.contributor, 1000});
    if (!told)
      return refused_by_node(told.error());
    if (flags.json) {
      std::cout << answer_in_json(*told, cluster.now()) << '\n';
      return exit_code::ok;
    }
    if (told->removals.empty())
      print_formatted("%s was never removed by name\n", flags.contributor);
    for (const auto& one : told->removals)
      print_removal(one);
    return exit_code::ok;
  });
}

struct removal_subcommand {
  CLI::App* command;
  std::shared_ptr<removal_flags> flags;

  void add_place() const {
    command->add_option("--step", flags->step, "From this step")->type_name("STEP");
    command->add_option("--workflow", flags->workflow, "From all steps of this workflow")
        ->type_name("WORKFLOW");
    command->add_flag("--everywhere", flags->everywhere, "From all steps there are and will be");
  }
};

removal_subcommand add_about_removals(CLI::App& contributor, exit_code& result, const char* name,
                                      const char* about,
                                      const std::function<exit_code(const removal_flags&)>& what) {
  auto flags = std::make_shared<removal_flags>();
  auto* command = contributor.add_subcommand(name, about);
  flags->cluster.add_to(*command);
  command->add_option("contributor", flags->contributor, "Name of a contributor")
      ->type_name("CONTRIBUTOR")
      ->required();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, what, &result] { result = what(*flags); });
  return {command, flags};
}

} // namespace

void add_contributor_removals(CLI::App& contributor, exit_code& result) {
  const auto removing = add_about_removals(
      contributor, result, "remove-from",
      "Remove somebody from a step, a workflow or everywhere, for good or for a time", remove_from);
  removing.add_place();
  auto& flags = *removing.flags;
  removing.command->add_option("--until", flags.until, "Ends then, e.g. 2026-12-24T18:00:00Z")
      ->type_name("TIME");
  removing.command->add_option("--for", flags.lasts, "Ends after that, e.g. 12h or 7d")
      ->type_name("SPAN");
  removing.command
      ->add_option("--reason", flags.reason, "Why; for requesters and auditors, up to 512 bytes")
      ->type_name("TEXT");
  removing.command->add_flag("--keep-judgments", flags.keep_judgments,
                             "What they said goes on counting; else it counts no more in units "
                             "that are not finished, as long as the removal lasts");
  add_about_removals(contributor, result, "reinstate",
                     "End a removal: the same place as in remove-from", reinstate)
      .add_place();
  add_about_removals(contributor, result, "removals",
                     "List the removals of somebody, also those that are over", show_removals);
}

} // namespace holdfast::app
