#include "app/commands.hpp"
#include "app/configuration.hpp"
#include "app/data_dir.hpp"
#include "app/http_entrance.hpp"
#include "app/listen_port.hpp"
#include "app/node_endpoint.hpp"
#include "app/node_link.hpp"
#include "app/port_holder.hpp"
#include "app/pretty_json.hpp"
#include "app/printable.hpp"
#include "app/reach.hpp"
#include "app/wiring.hpp"
#include "core/time_text.hpp"
#include "files/private_file.hpp"
#include "persistence/database_state.hpp"
#include "persistence/migrate.hpp"
#include "persistence/preconditions.hpp"

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using nlohmann::ordered_json;

enum class severity { good, warning, failure };

/// Text of several lines on one.
std::string on_one(const std::string& text) {
  std::string line;
  for (const char c : text)
    if (c != '\n' && c != '\t')
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

/// The finding of one check, with advice.
struct diagnosis {
  severity how;
  const char* subject;
  std::string text;
  std::string advice; ///< Empty where there is nothing to do.
};

using findings = std::vector<diagnosis>;

struct doctor_flags {
  configuration_flags configuration;
  bool json = false;
};

constexpr std::chrono::milliseconds reply_patience{1500};

// --- settings and files ---

void check_settings(const config::loaded& loaded, findings& found) {
  for (const auto& problem : loaded.problems)
    found.push_back({severity::failure, "settings", problem.text,
                     "correct it; `holdfast config --reference` tells what each option takes"});
  if (loaded.usable())
    found.push_back({severity::good,
                     "settings",
                     std::to_string(std::count_if(loaded.origins.begin(), loaded.origins.end(),
                                                  [](const auto& one) {
                                                    return one.second.from
                                                           != config::origin::kind::built_in;
                                                  }))
                         + " options differ from their defaults",
                     {}});
}

void check_data_dir(const std::filesystem::path& directory, findings& found) {
  const auto shown = std::filesystem::absolute(directory).lexically_normal().string();
  struct stat facts {};
  if (::stat(directory.c_str(), &facts) != 0) {
    found.push_back({severity::warning, "data directory", shown + " is not there",
                     "the first start of a node makes it; name another with --data-dir"});
    return;
  }
  const auto checked = files::check_directory(directory.string());
  if (!checked)
    found.push_back({severity::failure, "data directory", checked.error().detail,
                     "a node refuses to start there"});
  else if (::access(directory.c_str(), R_OK | W_OK | X_OK) != 0)
    found.push_back({severity::failure, "data directory", shown + " cannot be written",
                     "chmod u+rwx it, or mount its file system for writing"});
  else
    found.push_back({severity::good, "data directory", shown + " belongs to this user alone", {}});
}

/// The directory, or the one above it that is there.
std::filesystem::path nearest_existing(std::filesystem::path directory) {
  directory = std::filesystem::absolute(directory).lexically_normal();
  std::error_code ignored;
  while (!std::filesystem::exists(directory, ignored) && directory.has_relative_path())
    directory = directory.parent_path();
  return directory;
}

void check_disk(const std::filesystem::path& directory, findings& found) {
  constexpr std::uint64_t mebibyte = 1024U * 1024U;
  constexpr std::uint64_t too_little = 256 * mebibyte;
  constexpr std::uint64_t little = 2048 * mebibyte;
  const auto place = nearest_existing(directory);
  struct statvfs room {};
  if (::statvfs(place.c_str(), &room) != 0)
    return;
  const auto left = std::uint64_t{room.f_bavail} * room.f_frsize;
  const auto text =
      std::to_string(left / mebibyte) + " MiB are free where " + place.string() + " is";
  if (left < too_little)
    found.push_back({severity::failure, "disk", text,
                     "make room: a database whose disk is full commits nothing"});
  else if (left < little)
    found.push_back({severity::warning, "disk", text, "make room before it is used up"});
  else
    found.push_back({severity::good, "disk", text, {}});
}

void check_open_files(const config::settings& settings, findings& found) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  constexpr std::uint64_t for_the_rest = 256;
  const auto wanted =
      for_the_rest + (has_http(settings) ? std::uint64_t{settings.http.connections_max} : 0);
  const auto text = "this user's processes may open " + std::to_string(limit.rlim_cur) + " files";
  if (limit.rlim_cur < wanted)
    found.push_back({severity::warning, "open files", text,
                     "raise the limit to " + std::to_string(wanted)
                         + " (ulimit -n, LimitNOFILE= of systemd), or lower "
                           "http.connections_max"});
  else
    found.push_back({severity::good, "open files", text, {}});
}

// --- the node and its ports ---

/// The node that runs on the data directory, if one does.
std::optional<node_file> check_node(const config::settings& settings, findings& found) {
  auto running = read_node_file(settings.node.data_dir);
  if (!running && running.error().code != core::errc::not_found) {
    found.push_back(
        {severity::failure, "node", running.error().detail, "run this as the user of the node"});
    return std::nullopt;
  }
  if (!running) {
    found.push_back({severity::warning, "node", "no node runs on this data directory",
                     "start one with `holdfast node`, or name its --data-dir"});
    return std::nullopt;
  }
  if (!running->alive()) {
    found.push_back({severity::warning, "node",
                     "the node of this data directory was killed: its process "
                         + std::to_string(running->pid) + " is gone",
                     "start it again; what it had acknowledged is in the database"});
    return std::nullopt;
  }
  found.push_back({severity::good,
                   "node",
                   "process " + std::to_string(running->pid) + " runs at " + running->address + ':'
                       + std::to_string(running->port),
                   {}});
  return std::move(*running);
}

void check_port(const char* subject, const std::string& address, std::uint16_t port,
                const char* option, const std::optional<node_file>& running, findings& found) {
  if (port == 0)
    return; // any free one
  const auto free = listenable_port(address, port);
  const auto place = address + ':' + std::to_string(port);
  if (free) {
    found.push_back({running ? severity::warning : severity::good, subject, place + " is free",
                     running ? "the node that runs does not listen there: it was started with "
                               "another configuration"
                             : ""});
    return;
  }
  if (free.error().code != core::errc::already_exists) {
    found.push_back({severity::failure, subject, free.error().detail,
                     std::string{"choose another "} + option + ", or another address"});
    return;
  }
  const auto holder = holder_of(port);
  if (holder && running && holder->pid == running->pid) {
    found.push_back({severity::good, subject, place + " is held by the node", {}});
    return;
  }
  auto text = place + " is held by ";
  if (!holder || holder->pid == 0)
    text += holder ? "a process of user " + std::to_string(holder->user) : "another process";
  else
    text += holder->program + " (process " + std::to_string(holder->pid) + ')';
  found.push_back(
      {severity::failure, subject, text, std::string{"stop it, or choose another "} + option});
}

void check_reach(const config::loaded& loaded, const std::optional<node_file>& running,
                 findings& found) {
  if (!running)
    return;
  const auto where = own_endpoint(loaded);
  const auto why = where ? why_unreachable({*where}, reply_patience) : where.error().detail;
  if (!why.empty())
    found.push_back({severity::failure, "peers", why, "look at the log of the node"});
  else
    found.push_back({severity::good, "peers", "the node takes connections", {}});
  const auto& http = loaded.values.http;
  if (!has_http(loaded.values) || http.port == 0)
    return;
  const auto host = address_to_reach(http.listen_address);
  const auto place = "http://" + host + ':' + std::to_string(http.port) + "/readyz";
  const auto reply =
      http_get(host, static_cast<std::uint16_t>(http.port), "/readyz", reply_patience);
  if (reply.status == 200)
    found.push_back({severity::good, "http", place + " answers 200", {}});
  else if (reply.status != 0)
    found.push_back({severity::failure, "http", place + " answers " + std::to_string(reply.status),
                     "the node is not ready: look at its log and at its database"});
  else
    found.push_back({severity::failure, "http", place + ": " + reply.reason,
                     "look at the log of the node; was it started with this http.port?"});
}

void check_link(const config::settings& settings, findings& found) {
  if (!has_link(settings))
    return;
  if (const auto checked = node_link::check(settings); !checked)
    found.push_back({severity::failure, "certificates", checked.error().detail,
                     "see Certificates in docs/OPERATIONS.md"});
  else
    found.push_back({severity::good, "certificates", "certificate, key and authorities fit", {}});
}

// --- the database ---

void check_schema(const persistence::database_state& state, findings& found) {
  const auto own = persistence::embedded_migrations().size();
  const auto text = "the schema is at migration " + std::to_string(state.schema_version)
                    + ", and this program knows " + std::to_string(own);
  if (state.schema_version == own)
    found.push_back({severity::good, "schema", text, {}});
  else if (state.schema_version < own)
    found.push_back({severity::warning, "schema", text,
                     "the next start of a node brings it up to date, or `holdfast migrate`"});
  else
    found.push_back({severity::warning, "schema", text,
                     "a newer program has brought it up to date: upgrade this one"});
}

void check_clock(const persistence::database_state& state, core::instant asked,
                 core::instant answered, findings& found) {
  const auto here = asked + (answered - asked) / 2;
  const auto apart = std::chrono::duration<double>(state.now - here).count();
  char text[96];
  std::snprintf(text, sizeof text, "the database's clock is %.1f s %s that of this machine",
                apart < 0 ? -apart : apart, apart < 0 ? "behind" : "ahead of");
  constexpr double much = 2;
  if (apart > much || apart < -much)
    found.push_back({severity::warning, "clock", text,
                     "synchronize both (chrony, systemd-timesyncd): logs, certificates and tokens "
                     "go by this machine's"});
  else
    found.push_back({severity::good, "clock", text, {}});
}

void check_database(const config::settings& settings, const std::optional<node_file>& running,
                    findings& found) {
  const bool own = static_cast<bool>(settings.database.url);
  if (!own && !running) {
    found.push_back({severity::warning, "database",
                     "the private PostgreSQL runs only while its node does",
                     "start the node and look again"});
    return;
  }
  const auto conninfo = own ? conninfo_of(settings) : running->database;
  const auto facts = persistence::read_database_facts(conninfo);
  if (!facts) {
    found.push_back({severity::failure, "database", on_one(facts.error().detail),
                     "start the server, and check database.url, its password and pg_hba.conf"});
    return;
  }
  // A node that runs has its connections already.
  const auto report =
      persistence::check_preconditions(*facts, running ? 0 : connections_of(settings));
  for (const auto& text : report.refused)
    found.push_back({severity::failure, "database", text, "a node does not start on it"});
  for (const auto& text : report.warned)
    found.push_back({severity::warning, "database", text, "see docs/OPERATIONS.md"});
  if (report.refused.empty())
    found.push_back(
        {severity::good,
         "database",
         "PostgreSQL " + facts->server_version_text + ", database \"" + facts->database + '"',
         {}});
  const auto now = [] {
    return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  };
  const auto asked = now();
  const auto state = persistence::read_database_state(conninfo);
  if (!state) {
    found.push_back({severity::failure, "schema", on_one(state.error().detail),
                     "the role needs the rights that docs/OPERATIONS.md lists under Two roles"});
    return;
  }
  check_clock(*state, asked, now(), found);
  check_schema(*state, found);
}

// --- the report ---

const char* word_of(severity how) {
  return how == severity::good ? "ok" : how == severity::warning ? "warning" : "failed";
}

void print_report(const findings& found) {
  for (const auto& one : found) {
    print_formatted("%-8s  %-15s %s\n", word_of(one.how), one.subject, one.text);
    if (!one.advice.empty())
      print_formatted("%-8s  %-15s -> %s\n", "", "", one.advice);
  }
}

ordered_json findings_in_json(const findings& found) {
  auto list = ordered_json::array();
  for (const auto& one : found)
    list.push_back({{"verdict", word_of(one.how)},
                    {"subject", one.subject},
                    {"finding", one.text},
                    {"advice", one.advice.empty() ? ordered_json{} : ordered_json(one.advice)}});
  return {{"findings", std::move(list)}};
}

exit_code examine(const doctor_flags& flags) {
  const auto loaded = flags.configuration.load();
  findings found;
  check_settings(loaded, found);
  if (loaded.usable()) {
    const auto& settings = loaded.values;
    check_data_dir(settings.node.data_dir, found);
    check_disk(settings.node.data_dir, found);
    check_open_files(settings, found);
    const auto running = check_node(settings, found);
    check_link(settings, found);
    const auto port = running ? running->port : static_cast<std::uint16_t>(settings.node.port);
    check_port("port", settings.node.listen_address, port, "node.port", running, found);
    if (has_http(settings))
      check_port("http port", settings.http.listen_address,
                 static_cast<std::uint16_t>(settings.http.port), "http.port", running, found);
    check_database(settings, running, found);
    check_reach(loaded, running, found);
  }
  if (flags.json)
    std::cout << pretty(findings_in_json(found)) << '\n';
  else
    print_report(found);
  const bool failed = std::any_of(found.begin(), found.end(), [](const diagnosis& one) {
    return one.how == severity::failure;
  });
  return failed ? exit_code::failed_check : exit_code::ok;
}

} // namespace

void add_doctor_command(CLI::App& cli, exit_code& result) {
  const auto flags = std::make_shared<doctor_flags>();
  auto* command = cli.add_subcommand(
      "doctor", "Look for what keeps a node from working: settings, files, ports, database");
  flags->configuration.add_to(*command);
  command->add_flag("--json", flags->json, "Print one JSON object");
  command->callback([flags, &result] { result = examine(*flags); });
}

} // namespace holdfast::app
