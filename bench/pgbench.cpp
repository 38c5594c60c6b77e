#include "bench/pgbench.hpp"

#include "bench/results.hpp"
#include "bench/shell.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace holdfast::bench {

namespace {

namespace fs = std::filesystem;

void psql(const std::string& conninfo, const fs::path& file) {
  const auto ran = run_shell("psql -X -q -v ON_ERROR_STOP=1 " + quoted(conninfo) + " -f "
                             + quoted(file.string()));
  if (ran.status != 0)
    throw std::runtime_error{"psql: " + ran.output};
}

void write(const fs::path& file, const std::string& text) { std::ofstream{file} << text; }

/// Milliseconds of each transaction, from pgbench's logs in `directory`.
std::vector<double> latencies(const fs::path& directory) {
  std::vector<double> millis;
  for (const auto& entry : fs::directory_iterator{directory}) {
    if (entry.path().filename().string().rfind("pgbench_log", 0) != 0)
      continue;
    std::ifstream log{entry.path()};
    for (std::string line; std::getline(log, line);) {
      std::istringstream columns{line}; // client, transaction, microseconds, …
      double client = 0;
      double transaction = 0;
      double micros = 0;
      if (columns >> client >> transaction >> micros)
        millis.push_back(micros / 1000);
    }
  }
  return millis;
}

} // namespace

pgbench_result run_pgbench(const std::string& conninfo, const std::string& schema,
                           const std::string& script, std::size_t clients,
                           std::chrono::seconds duration) {
  const scratch_directory scratch;
  const auto& directory = scratch.path();
  write(directory / "schema.sql", schema);
  psql(conninfo, directory / "schema.sql");
  write(directory / "work.sql", script);
  const auto output =
      run_shell("cd " + quoted(directory.string()) + " && pgbench -n -M prepared -j 2 -c "
                + std::to_string(clients) + " -T " + std::to_string(duration.count())
                + " -l -f work.sql " + quoted(conninfo))
          .output;
  const auto at = output.find("tps = ");
  if (at == std::string::npos)
    throw std::runtime_error{"pgbench: " + output};
  const auto millis = latencies(directory);
  return {std::strtod(output.c_str() + at + 6, nullptr), quantile(millis, 0.5),
          quantile(millis, 0.99)};
}

} // namespace holdfast::bench
