#include "link/loopback_user.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace holdfast::link {

long user_of_connection(const char* table, std::uint16_t local_port, std::uint16_t remote_port) {
  // "  sl  local_address rem_address   st tx_queue:rx_queue tr:tm->when retrnsmt   uid ...", the
  // addresses as they are in memory: 127.0.0.1 is 0100007F on a little-endian machine.
  std::istringstream lines{table};
  std::string line;
  while (std::getline(lines, line)) {
    unsigned local_address = 0;
    unsigned local = 0;
    unsigned remote_address = 0;
    unsigned remote = 0;
    unsigned long uid = 0;
    if (std::sscanf(line.c_str(), " %*u: %8X:%4X %8X:%4X %*X %*X:%*X %*X:%*X %*X %lu",
                    &local_address, &local, &remote_address, &remote, &uid)
        != 5)
      continue;
    if (local == local_port && remote == remote_port && local_address == remote_address)
      return static_cast<long>(uid);
  }
  return -1;
}

bool is_of_this_user(std::uint16_t peer_port, std::uint16_t own_port) {
  std::ifstream file{"/proc/net/tcp"};
  const std::string table{std::istreambuf_iterator<char>{file}, {}};
  const auto user = user_of_connection(table.c_str(), peer_port, own_port);
  return user == 0 || user == static_cast<long>(::geteuid());
}

} // namespace holdfast::link
