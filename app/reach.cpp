#include "app/reach.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace holdfast::app {

namespace {

using dial_clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds pause_between_dials{100};

/// A socket that is closed with its owner.
class own_socket {
public:
  explicit own_socket(int descriptor) : descriptor_(descriptor) {}
  own_socket(own_socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  own_socket& operator=(own_socket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~own_socket() {
    if (descriptor_ >= 0)
      ::close(descriptor_);
  }
  own_socket(const own_socket&) = delete;
  own_socket& operator=(const own_socket&) = delete;

  int number() const { return descriptor_; }

private:
  int descriptor_;
};

bool ready(int socket, short events, dial_clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - dial_clock::now()).count();
  pollfd wanted{socket, events, 0};
  return left > 0 && ::poll(&wanted, 1, static_cast<int>(left)) == 1;
}

/// A connection, or why there is none.
struct dialed {
  own_socket socket{-1};
  std::string reason;
  bool no_such_host = false;
};

dialed dial(const std::string& host, std::uint16_t port, dial_clock::time_point until) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
      code != 0)
    return {own_socket{-1}, ::gai_strerror(code), true};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses{found, &::freeaddrinfo};
  std::string reason;
  for (const auto* one = found; one != nullptr; one = one->ai_next) {
    own_socket socket{::socket(one->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    int error = socket.number() < 0 ? errno : 0;
    if (error == 0 && ::connect(socket.number(), one->ai_addr, one->ai_addrlen) != 0)
      error = errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!ready(socket.number(), POLLOUT, until))
        error = ETIMEDOUT;
      else
        ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0)
      return {std::move(socket), {}, false};
    reason = std::strerror(error);
  }
  return {own_socket{-1}, reason, false};
}

std::string address_of(const client::endpoint& node) {
  return node.host + ':' + std::to_string(node.port);
}

/// One endpoint, tried once.
struct attempt {
  std::string problem; ///< Empty: a node is there.
  bool for_good = false;
};

attempt try_once(const client::endpoint& node, dial_clock::time_point until) {
  const auto at = address_of(node);
  // A node counts each connection to its TLS port that proves nothing, and logs it: such a node is
  // dialed by the connection alone, which says what is wrong with it.
  if (node.tls)
    return {};
  auto line = dial(node.host, node.port, until);
  if (line.no_such_host)
    return {"there is no host " + node.host + " (" + line.reason + "): check --node", true};
  if (line.socket.number() < 0)
    return {"no node answers at " + at + " (" + line.reason
                + "): start one with `holdfast node`, or name another with --node HOST:PORT",
            false};
  // A node greets first: the first byte of its greeting is 0.
  char first = 1;
  if (!ready(line.socket.number(), POLLIN, until))
    return {"no node answers at " + at
                + ": a program listens there and does not greet as a node does; it is another "
                  "port's number, such as that of HTTP, or the node wants a certificate",
            false};
  const auto bytes = ::recv(line.socket.number(), &first, 1, 0);
  if (bytes <= 0)
    return {"the program at " + at
                + " hangs up at once: a node without certificates takes only programs of its own "
                  "user and of root",
            false};
  if (first != 0)
    return {"no node answers at " + at + ": a program of another kind listens there", true};
  return {};
}

} // namespace

std::string why_unreachable(const std::vector<client::endpoint>& nodes,
                            std::chrono::milliseconds patience) {
  const auto end = dial_clock::now() + patience;
  for (;;) {
    std::string problem;
    bool for_good = true;
    for (const auto& node : nodes) {
      // Each gets its share, so that one which is silent does not keep the others from being tried.
      const auto share = (end - dial_clock::now()) / static_cast<long>(nodes.size());
      const auto tried = try_once(node, dial_clock::now() + share);
      if (tried.problem.empty())
        return {};
      problem = tried.problem;
      for_good = for_good && tried.for_good;
    }
    if (for_good || dial_clock::now() + pause_between_dials >= end)
      return nodes.size() == 1 ? problem
                               : "none of the " + std::to_string(nodes.size())
                                     + " nodes answers; of the last: " + problem;
    std::this_thread::sleep_for(pause_between_dials);
  }
}

http_reply http_get(const std::string& host, std::uint16_t port, const std::string& path,
                    std::chrono::milliseconds patience) {
  const auto end = dial_clock::now() + patience;
  auto line = dial(host, port, end);
  if (line.socket.number() < 0)
    return {0, line.reason};
  const auto request =
      "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  if (::send(line.socket.number(), request.data(), request.size(), MSG_NOSIGNAL)
      != static_cast<ssize_t>(request.size()))
    return {0, std::strerror(errno)};
  // The status line: `HTTP/1.1 200 OK`.
  std::string head;
  constexpr std::size_t status_ends = 12;
  while (head.size() < status_ends) {
    char bytes[64];
    if (!ready(line.socket.number(), POLLIN, end))
      return {0, "no answer in time"};
    const auto got = ::recv(line.socket.number(), bytes, sizeof bytes, 0);
    if (got <= 0)
      return {0, "the connection ended without an answer"};
    head.append(bytes, static_cast<std::size_t>(got));
  }
  if (head.rfind("HTTP/1.", 0) != 0)
    return {0, "the answer is not HTTP"};
  return {std::atoi(head.substr(9, 3).c_str()), {}};
}

} // namespace holdfast::app
