#include "bench/pgbench.hpp"

#include "bench/results.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace holdfast::bench {

namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + '\'';
}

std::string run(const std::string& command) {
  std::string output;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe{popen((command + " 2>&1").c_str(), "r"), pclose};
  if (!pipe)
    throw std::runtime_error{"cannot run " + command};
  char buffer[4096];
  while (const auto read = std::fread(buffer, 1, sizeof buffer, pipe.get()))
    output.append(buffer, read);
  return output;
}

void psql(const std::string& conninfo, const fs::path& file) {
  const auto output =
      run("psql -X -q -v ON_ERROR_STOP=1 " + quoted(conninfo) + " -f " + quoted(file.string()));
  if (output.find("ERROR") != std::string::npos)
    throw std::runtime_error{"psql: " + output};
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
  char name[] = "/tmp/holdfast-bench-XXXXXX";
  if (mkdtemp(name) == nullptr)
    throw std::runtime_error{"cannot make a directory in /tmp"};
  const fs::path directory{name};
  struct remover {
    fs::path path;
    ~remover() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } const cleanup{directory};
  write(directory / "schema.sql", schema);
  psql(conninfo, directory / "schema.sql");
  write(directory / "work.sql", script);
  const auto output = run("cd " + quoted(directory.string()) + " && pgbench -n -M prepared -j 2 -c "
                          + std::to_string(clients) + " -T " + std::to_string(duration.count())
                          + " -l -f work.sql " + quoted(conninfo));
  const auto at = output.find("tps = ");
  if (at == std::string::npos)
    throw std::runtime_error{"pgbench: " + output};
  const auto millis = latencies(directory);
  return {std::strtod(output.c_str() + at + 6, nullptr), quantile(millis, 0.5),
          quantile(millis, 0.99)};
}

} // namespace holdfast::bench
