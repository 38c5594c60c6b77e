#pragma once

#include "core/time.hpp"
#include "link/fault_injector.hpp"
#include "link/open_requests.hpp"
#include "link/published_actors.hpp"
#include "link/report.hpp"
#include "link/tls.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace holdfast::link {

struct outlet_options {
  std::string host; ///< Name or IP address of the remote machine.
  std::uint16_t port = 0;
  /// The name that the remote certificate must have; without one, that it is for `host`.
  std::string expected_name;
  credentials tls;
  core::duration dial_deadline = std::chrono::seconds{5}; ///< For the connection and handshake.
  core::duration greeting_deadline = std::chrono::seconds{3};
  core::duration stall_deadline = std::chrono::seconds{10};
  std::uint32_t connections_max = 8; ///< CAF needs one; a second while that one breaks.
  /// The actors and requests of this process.
  published_actors* published = &published_actors::of_process();
  open_requests* open = &open_requests::of_process();
  logger log;
  std::shared_ptr<fault_injector> faults; ///< For tests: nothing that is configured leads here.
};

} // namespace holdfast::link
