#include "bench/peers.hpp"

#include "bench/shell.hpp"

#include <libpq-fe.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace holdfast::bench {

namespace {

namespace fs = std::filesystem;

/// The packages, installed; again only when what is wanted has changed.
fs::path installed() {
  const fs::path from = fs::path{HOLDFAST_SOURCE_DIR} / "bench/peers";
  const fs::path folder = HOLDFAST_PEERS_DIR;
  const auto ran = run_shell(
      "mkdir -p " + quoted(folder.string()) + " && cd " + quoted(folder.string()) + " && cp "
      + quoted(from.string()) + "/*.mjs . && { cmp -s " + quoted(from.string())
      + "/package.json installed.json || { cp " + quoted(from.string())
      + "/package.json . && npm install --no-package-lock --no-audit --no-fund && "
        "cp package.json installed.json; }; }");
  if (ran.status != 0)
    throw std::runtime_error{"npm: " + ran.output};
  return folder;
}

/// `conninfo` in the variables that everything on libpq's model understands.
std::string environment_of(const std::string& conninfo) {
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options{
      PQconninfoParse(conninfo.c_str(), nullptr), &PQconninfoFree};
  std::string out;
  for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr;
       ++option)
    if (option->val != nullptr && option->envvar != nullptr)
      out += std::string{option->envvar} + '=' + quoted(option->val) + ' ';
  return out;
}

void run_script(const fs::path& folder, const std::string& script, const std::string& conninfo,
                int seconds, results& out) {
  const auto ran = run_shell("cd " + quoted(folder.string()) + " && " + environment_of(conninfo)
                             + "timeout 300 node " + script + ' ' + std::to_string(seconds)
                             + " 2>errors.log" + " || { cat errors.log; exit 1; }");
  if (ran.status != 0)
    throw std::runtime_error{script + ": " + ran.output};
  std::istringstream lines{ran.output};
  for (std::string line; std::getline(lines, line);) {
    const auto figure = nlohmann::json::parse(line);
    out.add(figure.at("name"), figure.at("value"), figure.at("unit"));
  }
}

} // namespace

void measure_peers(const std::string& graphile_worker, const std::string& pg_boss, int seconds,
                   results& out) {
  if (run_shell("command -v node npm").status != 0) {
    std::cerr << "peers: not measured, for want of Node.js and npm\n";
    return;
  }
  const auto folder = installed();
  run_script(folder, "graphile_worker.mjs", graphile_worker, seconds, out);
  run_script(folder, "pg_boss.mjs", pg_boss, seconds, out);
  const auto compare = [&](const std::string& figure, const std::string& mine, double theirs,
                           double least) {
    if (const auto value = out.value(mine); value > 0 && theirs > 0)
      out.add(figure, value / theirs, "x", at_least(least));
  };
  compare("tasks.ratio_vs_graphile_worker", "tasks.batch_1000.8.lives",
          out.value("peers.graphile_worker.batch_1000.8.lives"), 1);
  compare("tasks.ratio_vs_pg_boss", "tasks.batch_1000.8.lives",
          out.value("peers.pg_boss.batch_1000.8.lives"), 1);
  compare("tasks.processed_one_by_one_vs_graphile_worker", "tasks.processed_one_by_one.16.lives",
          out.value("peers.graphile_worker.one_by_one.16.lives"), 10);
  compare("tasks.one_by_one_vs_pg_boss", "tasks.one_by_one.16.lives",
          out.value("peers.pg_boss.one_by_one.16.lives"), 1);
}

} // namespace holdfast::bench
