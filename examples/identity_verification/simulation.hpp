#pragma once

#include "examples/identity_verification/service.hpp"

#include <cstdint>
#include <memory>

namespace identity {

/// Which of all simulated worlds this is. Processes of one story share it by their environment.
struct simulation {
  std::uint64_t seed = 1;
  double speed = 1; ///< How much faster than in the world everything happens.
};

/// `IDENTITY_SEED` and `IDENTITY_SPEED`; what is not set is as above.
simulation simulation_of_environment();

/// For the programs that are started from here on. Before any thread is made.
void set_environment(const simulation& which);

/// The service at the other end of a line on which every question takes its time.
std::shared_ptr<verification_service> service_of(const simulation& which);

} // namespace identity
