#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/guard_report.hpp"
#include "app/node_endpoint.hpp"
#include "app/node_link.hpp"
#include "app/printable.hpp"
#include "app/reach.hpp"
#include "app/step_table.hpp"
#include "app/wiring.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/time_text.hpp"

#include <caf/actor_system.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

struct status_flags {
  configuration_flags configuration;
  std::string node;
  std::string host;
  std::string expected_name;
  double timeout_seconds = 3;
  std::string watch; ///< The seconds of `--watch`; empty: once.
  const CLI::Option* timeout = nullptr;
  bool json = false;
};

/// The node that is asked: the one of this configuration, or one elsewhere.
core::outcome<client::endpoint> endpoint_of(const config::loaded& loaded,
                                            const status_flags& flags) {
  if (!flags.node.empty()) {
    auto named = client::endpoint_of(flags.node);
    if (named) {
      use_link(*named, loaded.values);
      named->expected_name = flags.expected_name;
    }
    return named;
  }
  auto where = own_endpoint(loaded);
  if (!where)
    return where;
  if (!flags.host.empty()) {
    where->host = flags.host;
    where->port = static_cast<std::uint16_t>(loaded.values.node.port);
    where->expected_name = flags.expected_name;
  } else if (!flags.expected_name.empty()) {
    where->expected_name = flags.expected_name;
  }
  return where;
}

std::string span_text(core::duration span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  char text[48];
  std::snprintf(text, sizeof text, "%lldd %02lld:%02lld:%02lld",
                static_cast<long long>(seconds / 86400),
                static_cast<long long>(seconds / 3600 % 24),
                static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60));
  return text;
}

std::string refusals_text(const msg::link_status& link) {
  std::string text;
  for (const auto& one : link.refusals)
    text += (text.empty() ? "" : ", ") + std::to_string(one.connections) + ' ' + one.reason;
  return text.empty() ? "none" : text;
}

std::string audits_text(const msg::audit_status& audits) {
  std::string text =
      std::to_string(audits.done) + " done, " + std::to_string(audits.failed) + " failed";
  if (audits.done != 0)
    text += ", last " + core::to_rfc3339(audits.last_at) + "; violations: ";
  for (const auto& one : audits.findings)
    text += (&one == &audits.findings.front() ? "" : ", ") + std::to_string(one.violations) + ' '
            + one.invariant;
  return text + (audits.done != 0 && audits.findings.empty() ? "none" : "");
}

/// The outage of the node's database: without the database the node cannot say the rest.
struct database_outage {
  std::optional<core::instant> since; ///< None while the node's lease has not run out.
  std::string why;
};

std::string outage_text(const database_outage& outage) {
  return "AWAY"
         + (outage.since ? " since before " + core::to_rfc3339(*outage.since)
                         : std::string{", for less than the node's lease lasts"})
         + ": " + outage.why;
}

void print_text(const msg::node_status& node, const msg::link_status& link,
                const msg::audit_status& audits, const std::optional<msg::guard_status>& guards,
                const std::optional<database_outage>& outage,
                const std::vector<msg::step_view>& steps) {
  const auto line = [](const char* name, const std::string& value) {
    print_formatted("%-12s %s\n", name, value);
  };
  line("node", node.name + (node.draining ? " (draining)" : ""));
  line("incarnation", core::to_string(node.incarnation));
  line("version", node.version);
  line("started",
       core::to_rfc3339(node.started_at) + ", up " + span_text(node.now - node.started_at));
  line("shards", std::to_string(node.shards_hosted) + " of " + std::to_string(node.shards_total));
  line("writers", std::to_string(node.commits) + " commits, " + std::to_string(node.changes)
                      + " changes, " + std::to_string(node.queued) + " queued, "
                      + std::to_string(node.refused) + " refused");
  line("turned away", std::to_string(node.overloaded));
  if (guards)
    for (const auto& [name, value] : guard_lines(*guards))
      line(name.c_str(), value);
  line("live units", std::to_string(node.live_units));
  line("sessions", std::to_string(node.sessions));
  line("audits", audits_text(audits));
  if (link.secured) {
    line("link", std::to_string(link.open) + " open, " + std::to_string(link.established) + " of "
                     + std::to_string(link.accepted) + " let in, " + std::to_string(link.frames)
                     + " frames, " + std::to_string(link.reloads) + " reloads");
    line("link refused", refusals_text(link));
  }
  if (outage) {
    line("database", outage_text(*outage));
    std::printf("\nthe steps are not known without it\n");
    return;
  }
  if (steps.empty()) {
    std::printf("\nno steps\n");
    return;
  }
  std::printf("\n");
  print_steps(steps);
}

void print_json(const msg::node_status& node, const msg::link_status& link,
                const msg::audit_status& audits, const std::optional<msg::guard_status>& guards,
                const std::optional<database_outage>& outage,
                const std::vector<msg::step_view>& steps) {
  ordered_json object{{"name", node.name},
                      {"incarnation", core::to_string(node.incarnation)},
                      {"version", node.version},
                      {"started_at", core::to_rfc3339(node.started_at)},
                      {"now", core::to_rfc3339(node.now)},
                      {"draining", node.draining},
                      {"shards_hosted", node.shards_hosted},
                      {"shards_total", node.shards_total},
                      {"commits", node.commits},
                      {"changes", node.changes},
                      {"queued", node.queued},
                      {"refused", node.refused},
                      {"overloaded", node.overloaded},
                      {"live_units", node.live_units},
                      {"sessions", node.sessions}};
  if (link.secured) {
    auto refused = ordered_json::object();
    for (const auto& one : link.refusals)
      refused[one.reason] = one.connections;
    object["link"] = {{"accepted", link.accepted}, {"established", link.established},
                      {"open", link.open},         {"frames", link.frames},
                      {"bytes_in", link.bytes_in}, {"bytes_out", link.bytes_out},
                      {"reloads", link.reloads},   {"refused", std::move(refused)}};
  }
  auto violations = ordered_json::object();
  for (const auto& one : audits.findings)
    violations[one.invariant] = one.violations;
  object["audits"] = {{"done", audits.done},
                      {"failed", audits.failed},
                      {"last_at", audits.done == 0
                                      ? ordered_json{}
                                      : ordered_json(core::to_rfc3339(audits.last_at))},
                      {"invariant_violations", std::move(violations)}};
  if (guards)
    object["guards"] = guards_to_json(*guards);
  object["steps"] = outage ? ordered_json{} : steps_to_json(steps);
  if (outage)
    object["database"] = {
        {"away", true},
        {"since", outage->since ? ordered_json(core::to_rfc3339(*outage->since)) : ordered_json{}},
        {"why", outage->why}};
  std::cout << object.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

/// All steps, page by page.
core::outcome<std::vector<msg::step_view>> list_steps(const client::connection& node) {
  constexpr std::uint32_t page = 1000;
  std::vector<msg::step_view> steps;
  core::step_id after;
  while (true) {
    auto listed = node.ask<msg::step_list>(msg::list_steps{after, page});
    if (!listed)
      return listed.error();
    std::move(listed->steps.begin(), listed->steps.end(), std::back_inserter(steps));
    if (listed->steps.size() < page)
      return steps;
    after = steps.back().step;
  }
}

exit_code unreachable(const core::failure& why) {
  std::cerr << "holdfast: " << core::to_string(why.code) << ": " << printable_lines(why.detail)
            << '\n';
  return exit_code::unreachable;
}

/// By what the node has told meanwhile about its lease, which it renews in the database.
database_outage outage_of(const core::failure& why,
                          const core::outcome<msg::guard_status>& guards) {
  if (guards && guards->fenced)
    return {guards->fenced_since, guards->why};
  return {std::nullopt, why.detail};
}

exit_code show_status(const status_flags& flags, const client::connection& node) {
  const auto status = node.ask<msg::node_status>(msg::get_node_status{});
  if (!status)
    return unreachable(status.error());
  const auto link = node.ask<msg::link_status>(msg::get_link_status{});
  if (!link)
    return unreachable(link.error());
  auto audits = node.ask<msg::audit_status>(msg::get_audit_status{});
  if (!audits && audits.error().code == core::errc::invalid_argument)
    audits = msg::audit_status{}; // a node of the version before does not know the question
  if (!audits)
    return unreachable(audits.error());
  const auto asked = node.ask<msg::guard_status>(msg::get_guard_status{});
  // A node of the version before does not know the question.
  const auto guards = asked ? std::optional{*asked} : std::nullopt;
  // The only question for which the node needs its database.
  const auto steps = list_steps(node);
  std::optional<database_outage> outage;
  if (!steps) {
    if (const auto still_there = node.ask<msg::node_status>(msg::get_node_status{}); !still_there)
      return unreachable(steps.error());
    outage = outage_of(steps.error(), node.ask<msg::guard_status>(msg::get_guard_status{}));
  }
  const auto known = steps ? *steps : std::vector<msg::step_view>{};
  if (flags.json)
    print_json(*status, *link, *audits, guards, outage, known);
  else
    print_text(*status, *link, *audits, guards, outage, known);
  return outage ? exit_code::database : exit_code::ok;
}

exit_code run(const status_flags& flags) {
  const auto loaded = flags.configuration.load();
  if (!loaded.usable()) {
    print_problems(loaded);
    return exit_code::configuration;
  }
  const auto where = endpoint_of(loaded, flags);
  if (!where) {
    std::cerr << "holdfast: " << printable_lines(where.error().detail) << '\n';
    return exit_code::configuration;
  }
  const std::chrono::milliseconds timeout{static_cast<std::int64_t>(flags.timeout_seconds * 1e3)};
  // A wrong address is told at once, unless it was said how long to wait.
  constexpr std::chrono::milliseconds at_once{1800};
  if (const auto why = why_unreachable({*where}, flags.timeout->empty() ? at_once : timeout);
      !why.empty()) {
    std::cerr << "holdfast: " << printable_lines(why) << '\n';
    return exit_code::unreachable;
  }
  client::peer_system configuration{peer_settings_of(loaded.values)};
  caf::actor_system system{configuration};
  client::retry_policy retry;
  retry.deadline = timeout;
  const client::connection node{system, *where, retry, std::random_device{}()};
  auto result = show_status(flags, node);
  while (!flags.watch.empty() && result == exit_code::ok) {
    watch_pause(flags.watch);
    result = show_status(flags, node);
  }
  return result;
}

} // namespace

void add_status_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<status_flags>();
  auto* command = cli.add_subcommand("status", "Show the state of a running node and its steps");
  flags->configuration.add_to(*command);
  command->add_option("--node", flags->node, "A node elsewhere, in place of --host and --port")
      ->type_name("HOST:PORT");
  command
      ->add_option("--host", flags->host,
                   "Name or address of a node elsewhere, with --port; its certificate must be for "
                   "it, unless --name is given")
      ->type_name("HOST");
  command
      ->add_option("--name", flags->expected_name, "The name that the node's certificate must have")
      ->type_name("NAME");
  flags->timeout =
      command->add_option("--timeout", flags->timeout_seconds, "Seconds to wait for the node")
          ->type_name("SECONDS")
          ->check(CLI::Range(0.1, 3600.0))
          ->capture_default_str();
  add_watch_option(*command, flags->watch);
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = run(*flags); });
}

} // namespace holdfast::app
