#include "examples/record_linker/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace linker {

namespace {

constexpr const char* seed_variable = "LINKER_SEED";
constexpr const char* speed_variable = "LINKER_SPEED";
constexpr const char* directory_variable = "LINKER_DATA_DIR";

/// As for any service on the network; not scaled, so that several calls are under way at once.
constexpr auto answer_takes = std::chrono::milliseconds{10};

class api_on_a_line : public entity_api {
public:
  api_on_a_line(const simulation& which, std::shared_ptr<connection_pool> books)
      : api_(which.seed, which.speed), books_(std::move(books)) {}

  reply ask(const std::string& label, const std::string& credential, core::instant now) override {
    auto said = in_outage(*books_, now) ? reply{outage{}} : api_.ask(label, credential, now);
    log_call(*books_, {now, credential, label, said});
    std::this_thread::sleep_for(answer_takes);
    return said;
  }

private:
  simulated_api api_;
  const std::shared_ptr<connection_pool> books_;
};

} // namespace

simulation simulation_of_environment() {
  simulation read;
  if (const auto* seed = std::getenv(seed_variable))
    read.seed = std::strtoull(seed, nullptr, 10);
  if (const auto* speed = std::getenv(speed_variable))
    read.speed = std::max(1.0, std::strtod(speed, nullptr));
  if (const auto* directory = std::getenv(directory_variable))
    read.data_dir = directory;
  return read;
}

void set_environment(const simulation& which) {
  ::setenv(seed_variable, std::to_string(which.seed).c_str(), 1);
  ::setenv(speed_variable, std::to_string(which.speed).c_str(), 1);
  ::setenv(directory_variable, which.data_dir.c_str(), 1);
}

std::shared_ptr<connection_pool> tables_of(const simulation& which) {
  return examples::connections_to_node(which.data_dir);
}

std::shared_ptr<entity_api> api_of(const simulation& which,
                                   std::shared_ptr<connection_pool> books) {
  return std::make_shared<api_on_a_line>(which, std::move(books));
}

} // namespace linker
