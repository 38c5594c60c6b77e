#include "bench/results.hpp"

#include <nlohmann/json.hpp>

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <thread>
#include <utility>

namespace holdfast::bench {

namespace {

std::string first_value(const char* file, const std::string& key) {
  std::ifstream in{file};
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, key.size(), key) == 0) {
      const auto at = line.find_first_not_of(" \t:", key.size());
      return at == std::string::npos ? std::string{} : line.substr(at);
    }
  return {};
}

/// Its numbers, without what the builder of the kernel added: 6.1.0.
std::string kernel_version() {
  utsname names{};
  uname(&names);
  const std::string release = names.release;
  return release.substr(0, release.find('-'));
}

std::string utc_now() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

} // namespace

void results::add(const std::string& name, double value, const std::string& unit,
                  std::optional<target> goal) {
  add({name, value, unit, command_, goal});
}

void results::add(figure measured) {
  const auto& goal = measured.goal;
  std::printf("%-52s %14.3f %s", measured.name.c_str(), measured.value, measured.unit.c_str());
  if (goal)
    std::printf(" (%s %g: %s)", goal->at_most ? "at most" : "at least", goal->bound,
                goal->reached_by(measured.value) ? "reached" : "MISSED");
  std::printf("\n");
  std::fflush(stdout);
  figures_.push_back(std::move(measured));
}

std::size_t results::missed() const {
  return static_cast<std::size_t>(
      std::count_if(figures_.begin(), figures_.end(),
                    [](const figure& f) { return f.goal && !f.goal->reached_by(f.value); }));
}

double results::value(const std::string& name) const {
  for (const auto& f : figures_)
    if (f.name == name)
      return f.value;
  return 0;
}

bool results::write(const std::string& path) const {
  nlohmann::ordered_json out;
  out["measured_at"] = utc_now();
  out["machine"] = {{"cores", std::thread::hardware_concurrency()},
                    {"cpu", first_value("/proc/cpuinfo", "model name")},
                    {"memory", first_value("/proc/meminfo", "MemTotal")},
                    {"kernel", kernel_version()}};
  out["figures"] = nlohmann::ordered_json::array();
  for (const auto& f : figures_) {
    nlohmann::ordered_json one{
        {"name", f.name}, {"value", f.value}, {"unit", f.unit}, {"command", f.command}};
    if (f.goal) {
      one["target"] = {{f.goal->at_most ? "at_most" : "at_least", f.goal->bound}};
      one["reached"] = f.goal->reached_by(f.value);
    }
    out["figures"].push_back(std::move(one));
  }
  std::ofstream file{path};
  file << out.dump(2) << '\n';
  if (!file) {
    std::cerr << "cannot write " << path << '\n';
    return false;
  }
  return true;
}

double quantile(std::vector<double> samples, double share) {
  if (samples.empty())
    return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), samples.begin() + at, samples.end());
  return samples[static_cast<std::size_t>(at)];
}

} // namespace holdfast::bench
