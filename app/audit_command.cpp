#include "app/cluster_command.hpp"
#include "app/commands.hpp"
#include "app/page_loop.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "core/time_text.hpp"
#include "messages/audit_messages.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

/// As many as one answer holds; the gateway's number.
constexpr std::uint32_t entries_per_page = 1000;

struct audit_flags {
  cluster_flags cluster;
  msg::list_audit question;
  std::string since;
  std::uint32_t most = 100;
  bool json = false;
};

constexpr const char* audit_columns = "%-27s  %-24s  %-22s  %-21s  %s\n";

void print_entry(const msg::audit_entry& entry) {
  print_formatted(audit_columns, core::to_rfc3339(entry.at), entry.who, entry.operation,
                  entry.outcome, entry.item);
}

ordered_json json_of(const msg::audit_entry& entry) {
  return {{"number", entry.number}, {"at", core::to_rfc3339(entry.at)},
          {"who", entry.who},       {"operation", entry.operation},
          {"item", entry.item},     {"outcome", entry.outcome}};
}

exit_code list(const audit_flags& flags) {
  auto question = flags.question;
  if (!flags.since.empty()) {
    const auto since = core::parse_rfc3339(flags.since);
    if (!since)
      return refuse({core::errc::invalid_argument,
                     "--since must be a time such as 2024-12-24T12:00:00Z, and not " + flags.since},
                    exit_code::usage);
    question.since = *since;
  }
  return with_cluster(flags.cluster, [&](const client::connection& cluster) {
    auto all = ordered_json::array();
    const auto show = [&](const msg::audit_page& page, std::uint32_t before) {
      if (!flags.json && before == 0 && !page.entries.empty())
        print_formatted(audit_columns, "at", "who", "operation", "outcome", "item");
      for (const auto& entry : page.entries) {
        if (flags.json)
          all.push_back(json_of(entry));
        else
          print_entry(entry);
        question.before = entry.number;
      }
      return page.entries.size();
    };
    const auto read = read_pages(cluster, question, flags.most, entries_per_page, show);
    if (!read)
      return refused_by_node(read.error());
    if (flags.json)
      std::cout << pretty(
          {{"entries", std::move(all)}, {"last", question.before}, {"more", read->more}})
                << '\n';
    else if (read->more)
      std::cout << "there are more; go on with --before " << question.before << '\n';
    else if (read->items == 0)
      std::cout << "no entries\n";
    return exit_code::ok;
  });
}

} // namespace

void add_audit_command(CLI::App& cli, exit_code& result) {
  auto flags = std::make_shared<audit_flags>();
  auto* command = cli.add_subcommand(
      "audit", "List the administrative changes and who made them, the newest first");
  flags->cluster.add_to(*command);
  auto& question = flags->question;
  command->add_option("--since", flags->since, "Only those of this time or later")
      ->type_name("TIME");
  command->add_option("--who", question.who, "Only those of this principal, e.g. admin")
      ->type_name("PRINCIPAL");
  command->add_option("--operation", question.operation, "Only those by this operation")
      ->type_name("NAME");
  command->add_option("--item", question.item, "Only those of this item, e.g. 'queue mail'");
  command->add_option("--before", question.before, "Go on behind this entry")->type_name("NUMBER");
  command->add_option("--limit", flags->most, "At most so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = list(*flags); });
}

} // namespace holdfast::app
