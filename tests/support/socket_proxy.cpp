#include "tests/support/socket_proxy.hpp"

#include <cstdint>
#include <cstring>
#include <list>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace holdfast::test {

namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::runtime_error("the path is too long for a socket: " + path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

const sockaddr* plain(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

void write_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto count = send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0)
      return; // the other side is gone; its end will be read as well
    sent += static_cast<std::size_t>(count);
  }
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Takes the first whole message off `buffer`; empty while it is incomplete. The first message of a
/// client has no type byte.
std::string take_message(std::string& buffer, bool typed) {
  const std::size_t type_size = typed ? 1 : 0;
  if (buffer.size() < type_size + 4)
    return {};
  const auto size = type_size + big_endian(buffer, type_size);
  if (buffer.size() < size)
    return {};
  auto message = buffer.substr(0, size);
  buffer.erase(0, size);
  return message;
}

/// Whether a message binds the prepared statement with which a batch ends.
bool binds_commit(const std::string& message) {
  if (message[0] != 'B')
    return false;
  const auto portal_end = message.find('\0', 5);
  return message.compare(portal_end + 1, 7, std::string{"commit\0", 7}) == 0;
}

} // namespace

struct socket_proxy::link {
  int client = -1;
  int server = -1;
  std::string from_client;
  std::string from_server;
  std::string held; ///< What `commit_cut::held` keeps back.
  bool started = false;
  bool holding = false;
  bool cut_at_completion = false;
  bool silent_from_completion = false;
  bool mute = false;

  link(int c, int s) : client(c), server(s) {}
  link(const link&) = delete;
  link& operator=(const link&) = delete;
  ~link() {
    close_client();
    close_server();
  }
  void close_client() {
    if (client >= 0)
      close(client);
    client = -1;
  }
  void close_server() {
    if (server >= 0)
      close(server);
    server = -1;
  }
  bool over() const { return server < 0 || (client < 0 && !holding); }
};

struct socket_proxy::links {
  std::list<link> list;
};

socket_proxy::socket_proxy(const std::string& directory, const std::string& upstream_directory)
    : upstream_(upstream_directory + "/.s.PGSQL.5432"), path_(directory + "/.s.PGSQL.5432") {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  wake_ = eventfd(0, EFD_CLOEXEC);
  const auto address = address_of(path_);
  if (listener_ < 0 || wake_ < 0 || bind(listener_, plain(address), sizeof address) != 0
      || listen(listener_, 16) != 0)
    throw std::runtime_error("cannot listen at " + path_);
  thread_ = std::thread{[this] { run(); }};
}

socket_proxy::~socket_proxy() {
  {
    const std::lock_guard lock{mutex_};
    stopping_ = true;
  }
  const std::uint64_t one = 1;
  if (write(wake_, &one, sizeof one) == sizeof one)
    thread_.join();
  close(listener_);
  close(wake_);
  unlink(path_.c_str());
}

void socket_proxy::arm(commit_cut how) {
  const std::lock_guard lock{mutex_};
  armed_ = how;
}

int socket_proxy::cuts() const {
  const std::lock_guard lock{mutex_};
  return cuts_;
}

bool socket_proxy::take_armed(commit_cut how) {
  const std::lock_guard lock{mutex_};
  if (armed_ != how)
    return false;
  armed_ = commit_cut::none;
  ++cuts_;
  return true;
}

void socket_proxy::run() {
  links all;
  for (;;) {
    std::vector<pollfd> waits{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    std::vector<link*> order;
    for (auto& one : all.list) {
      order.push_back(&one);
      // poll ignores descriptors that are -1, i.e. closed
      waits.push_back({one.client, POLLIN, 0});
      waits.push_back({one.server, POLLIN, 0});
    }
    if (poll(waits.data(), waits.size(), -1) < 0)
      continue;
    if (waits[0].revents != 0)
      return;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (waits[2 + 2 * i].revents != 0)
        from_client(*order[i], all);
      if (waits[3 + 2 * i].revents != 0 && order[i]->server >= 0)
        from_server(*order[i]);
    }
    if (waits[1].revents != 0)
      accept_client(all);
    all.list.remove_if([](const link& one) { return one.over(); });
  }
}

void socket_proxy::accept_client(links& all) {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = address_of(upstream_);
  if (connect(server, plain(address), sizeof address) != 0) {
    close(client);
    close(server);
    return;
  }
  all.list.emplace_back(client, server);
}

void socket_proxy::from_client(link& one, links& all) {
  char bytes[65536];
  const auto count = recv(one.client, bytes, sizeof bytes, 0);
  if (count <= 0) {
    one.close_client();
    if (!one.holding)
      one.close_server();
    return;
  }
  one.from_client.append(bytes, static_cast<std::size_t>(count));
  for (;;) {
    const auto message = take_message(one.from_client, one.started);
    if (message.empty() || one.over())
      return;
    if (one.started)
      message_from_client(one, all, message);
    else
      write_all(one.server, message);
    one.started = true;
  }
}

void socket_proxy::message_from_client(link& one, links& all, const std::string& message) {
  if (one.holding) {
    one.held += message;
    if (message[0] == 'S')
      one.close_client();
    return;
  }
  if (binds_commit(message)) {
    if (take_armed(commit_cut::before)) {
      one.close_client();
      one.close_server();
      return;
    }
    if (take_armed(commit_cut::held)) {
      one.holding = true;
      one.held = message;
      return;
    }
    one.cut_at_completion = take_armed(commit_cut::after);
    one.silent_from_completion = take_armed(commit_cut::silent);
  }
  write_all(one.server, message);
  if (message[0] != 'S')
    return;
  for (auto& other : all.list)
    if (other.holding && other.client < 0) {
      write_all(other.server, other.held);
      other.held.clear();
    }
}

void socket_proxy::from_server(link& one) {
  char bytes[65536];
  const auto count = recv(one.server, bytes, sizeof bytes, 0);
  if (count <= 0) {
    one.close_server();
    one.close_client();
    return;
  }
  one.from_server.append(bytes, static_cast<std::size_t>(count));
  for (auto message = take_message(one.from_server, true); !message.empty();
       message = take_message(one.from_server, true)) {
    const bool committed = message[0] == 'C' && message.compare(5, 6, "COMMIT") == 0;
    if (committed && one.cut_at_completion) {
      one.close_client();
      one.close_server();
      return;
    }
    one.mute = one.mute || (committed && one.silent_from_completion);
    if (!one.mute && one.client >= 0)
      write_all(one.client, message);
    // A held COMMIT has been answered: nothing more to wait for.
    if (one.holding && one.client < 0 && one.held.empty() && message[0] == 'Z') {
      one.close_server();
      return;
    }
  }
}

} // namespace holdfast::test
