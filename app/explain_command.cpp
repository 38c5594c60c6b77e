#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/printable.hpp"
#include "messages/interfaces.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct explain_flags {
  cluster_flags cluster;
  std::string where; ///< A step, or a queue.
  std::string what;
  std::string contributor;
  bool json = false;
};

void print(const std::vector<msg::reason>& reasons, const std::string& status, bool as_json) {
  if (!as_json) {
    for (const auto& why : reasons)
      std::cout << printable(why.code) << ": " << printable(why.text) << '\n';
    return;
  }
  auto list = ordered_json::array();
  for (const auto& why : reasons)
    list.push_back({{"code", why.code}, {"text", why.text}});
  ordered_json told;
  if (!status.empty())
    told["status"] = status;
  told["reasons"] = std::move(list);
  std::cout << told.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

/// Asks, and prints the reasons; `status_of` is told of the answer.
template <class Request, class StatusOf>
exit_code ask(const explain_flags& flags, const Request& request, StatusOf status_of) {
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    const auto told = cluster.ask<msg::answer_to<Request>>(request);
    if (!told)
      return refused_by_node(told.error());
    print(told->reasons, status_of(*told), flags.json);
    return exit_code::ok;
  });
}

exit_code explain_unit(const explain_flags& flags) {
  const auto step = id_in<core::step_id>(flags.where, "STEP");
  const auto unit = id_in<core::unit_id>(flags.what, "UNIT");
  if (!step || !unit)
    return exit_code::usage;
  return ask(flags, msg::explain_unit{*step, *unit, flags.contributor},
             [](const auto& told) { return std::string{core::to_string(told.state)}; });
}

exit_code explain_contributor(const explain_flags& flags) {
  const auto step = id_in<core::step_id>(flags.where, "STEP");
  if (!step)
    return exit_code::usage;
  return ask(flags, msg::explain_contributor{*step, flags.what},
             [](const auto&) { return std::string{}; });
}

exit_code explain_task(const explain_flags& flags) {
  const auto task = id_in<core::task_id>(flags.what, "TASK");
  if (!task)
    return exit_code::usage;
  return ask(flags, msg::explain_task{flags.where, *task},
             [](const auto& told) { return told.status; });
}

/// A subcommand with two words: where to look, and for what.
CLI::App* add_kind(CLI::App& command, const std::shared_ptr<explain_flags>& flags,
                   const std::string& kind, const std::string& help, const std::string& where,
                   const std::string& what, std::function<exit_code(const explain_flags&)> run,
                   exit_code& result) {
  auto* one = command.add_subcommand(kind, help);
  flags->cluster.add_to(*one);
  one->add_option(where, flags->where)->required();
  one->add_option(what, flags->what)->required();
  one->add_flag("--json", flags->json, "As a JSON document");
  one->callback([flags, &result, run = std::move(run)] { result = run(*flags); });
  return one;
}

} // namespace

void add_explain_command(CLI::App& cli, exit_code& result) {
  auto* command =
      cli.add_subcommand("explain", "Say why a unit, a contributor or a task does not move on");
  command->require_subcommand(1);
  auto flags = std::make_shared<explain_flags>();
  add_kind(*command, flags, "unit", "Why a unit does not move on", "STEP", "UNIT", explain_unit,
           result)
      ->add_option("--contributor", flags->contributor, "Also what keeps it from them")
      ->type_name("NAME");
  flags = std::make_shared<explain_flags>();
  add_kind(*command, flags, "contributor", "The unit that a contributor would get, or why none",
           "STEP", "NAME", explain_contributor, result);
  flags = std::make_shared<explain_flags>();
  add_kind(*command, flags, "task", "Why a task does not move on, or how it ended", "QUEUE", "TASK",
           explain_task, result);
}

} // namespace holdfast::app
