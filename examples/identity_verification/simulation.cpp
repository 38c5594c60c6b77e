#include "examples/identity_verification/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace identity {

namespace {

constexpr const char* seed_variable = "IDENTITY_SEED";
constexpr const char* speed_variable = "IDENTITY_SPEED";

/// As for any service on the network; not scaled, so that callbacks really find somebody at work.
constexpr auto answer_takes = std::chrono::milliseconds{20};

class service_on_a_line : public verification_service {
public:
  explicit service_on_a_line(const simulation& which) : service_(which.seed, which.speed) {}

  reply ask(check what, const core::task_id& who, core::instant now) override {
    std::this_thread::sleep_for(answer_takes);
    return service_.ask(what, who, now);
  }

  reply look(const std::string& tracking, core::instant now) override {
    std::this_thread::sleep_for(answer_takes);
    return service_.look(tracking, now);
  }

private:
  const simulated_service service_;
};

} // namespace

simulation simulation_of_environment() {
  simulation found;
  if (const auto* seed = std::getenv(seed_variable))
    found.seed = std::strtoull(seed, nullptr, 10);
  if (const auto* speed = std::getenv(speed_variable))
    found.speed = std::max(1.0, std::strtod(speed, nullptr));
  return found;
}

void set_environment(const simulation& which) {
  ::setenv(seed_variable, std::to_string(which.seed).c_str(), 1);
  ::setenv(speed_variable, std::to_string(which.speed).c_str(), 1);
}

std::shared_ptr<verification_service> service_of(const simulation& which) {
  return std::make_shared<service_on_a_line>(which);
}

} // namespace identity
