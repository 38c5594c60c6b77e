#include "link/loopback_user.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

namespace holdfast::link {

namespace {

/// An address of either family, as the kernel's tables have it.
struct table_end {
  std::array<std::uint32_t, 4> words{}; ///< Of IPv6, in memory as on the wire.
  std::uint16_t port = 0;

  bool is_v4() const { return words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff); }
  bool is_loopback() const {
    if (is_v4())
      return ntohl(words[3]) >> 24 == 127;
    return words[0] == 0 && words[1] == 0 && words[2] == 0 && words[3] == htonl(1);
  }
};

std::optional<table_end> end_of(const sockaddr_storage& address) {
  table_end end;
  if (address.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    end.words[2] = htonl(0xffff);
    end.words[3] = v4.sin_addr.s_addr;
    end.port = ntohs(v4.sin_port);
    return end;
  }
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    std::memcpy(end.words.data(), &v6.sin6_addr, sizeof v6.sin6_addr);
    end.port = ntohs(v6.sin6_port);
    return end;
  }
  return std::nullopt;
}

/// `0100007F:1F90`: the address in numbers of the machine, the port as a person writes it.
std::string in_table_v4(const table_end& end) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%08X:%04X", end.words[3], end.port);
  return text.data();
}
std::string in_table_v6(const table_end& end) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08X%08X%08X%08X:%04X", end.words[0], end.words[1],
                end.words[2], end.words[3], end.port);
  return text.data();
}

/// Of the row with these two ends, if it is of a connection that a process has open.
long user_in_row(const std::string& table, const std::string& ends) {
  constexpr std::string_view established = " 01 ";
  const auto wanted = ' ' + ends + std::string{established};
  const auto at = table.find(wanted);
  if (at == std::string::npos)
    return -1;
  // Then "tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …".
  unsigned long uid = 0;
  unsigned long inode = 0;
  if (std::sscanf(table.c_str() + at + wanted.size(), "%*X:%*X %*X:%*X %*X %lu %*u %lu", &uid,
                  &inode)
          != 2
      || inode == 0)
    return -1;
  return static_cast<long>(uid);
}

std::string whole_file(const char* path) {
  std::string text;
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return text;
  std::array<char, 65536> piece{};
  ssize_t got = 0;
  while ((got = ::read(file, piece.data(), piece.size())) > 0)
    text.append(piece.data(), static_cast<std::size_t>(got));
  ::close(file);
  return text;
}

/// Both ends of a connection, as the other one sees them.
bool ends_of(int connection, sockaddr_storage& its, sockaddr_storage& ours) {
  socklen_t size = sizeof its;
  if (::getpeername(connection, reinterpret_cast<sockaddr*>(&its), &size) != 0)
    return false;
  size = sizeof ours;
  return ::getsockname(connection, reinterpret_cast<sockaddr*>(&ours), &size) == 0;
}

} // namespace

local_users local_users::own() { return {false, {::geteuid()}}; }

long user_of_connection(const std::string& table, const sockaddr_storage& local,
                        const sockaddr_storage& remote) {
  const auto from = end_of(local);
  const auto to = end_of(remote);
  if (!from || !to)
    return -1;
  if (from->is_v4() && to->is_v4())
    if (const auto user = user_in_row(table, in_table_v4(*from) + ' ' + in_table_v4(*to));
        user >= 0)
      return user;
  return user_in_row(table, in_table_v6(*from) + ' ' + in_table_v6(*to)); // also IPv4 in IPv6
}

bool is_within_machine(int connection) {
  sockaddr_storage its{};
  sockaddr_storage ours{};
  if (!ends_of(connection, its, ours))
    return false;
  const auto from = end_of(its);
  const auto to = end_of(ours);
  return from && to && from->is_loopback() && to->is_loopback();
}

bool is_of(int connection, const local_users& allowed) {
  const auto user = user_of(connection);
  return user >= 0 && allowed.has(static_cast<uid_t>(user));
}

long user_of(int connection) {
  sockaddr_storage its{};
  sockaddr_storage ours{};
  if (!ends_of(connection, its, ours))
    return -1;
  char word = 0;
  if (::recv(connection, &word, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
    return -1; // it has hung up: nobody need look
  // A table that is read while others connect may lack a row that is there all the time.
  constexpr int looks = 3;
  for (int look = 0; look < looks; ++look)
    for (const auto* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
      const auto user = user_of_connection(whole_file(table), its, ours);
      if (user >= 0)
        return user;
    }
  return -1;
}

} // namespace holdfast::link
