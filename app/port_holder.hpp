#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

namespace holdfast::app {

/// A process that listens on a port of this machine.
struct port_holder {
  pid_t pid = 0; ///< 0: the system does not show it to this user.
  std::string program;
  uid_t user = 0;
};

/// None when nobody listens there.
std::optional<port_holder> holder_of(std::uint16_t port);

} // namespace holdfast::app
