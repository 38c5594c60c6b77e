#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::test {

/// How long a test waits for what must come.
inline constexpr std::chrono::seconds http_patience{20};

/// One answer as it came.
struct raw_reply {
  int status = 0;
  std::map<std::string, std::string> headers; ///< By name in lower case.
  std::string body;
  std::string head;    ///< As it came.
  bool is_cut = false; ///< The connection ended before the last chunk of the body.

  bool has(const std::string& name) const { return headers.count(name) > 0; }
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

/// A TCP connection to a server on loopback that sends any bytes and reads answers of HTTP. An
/// answer comes within `http_patience`, or an exception says that it did not.
class raw_client {
public:
  /// `from`: the last number of the own address, 127.0.0.x; 0 for any. `room`: the receive buffer
  /// in bytes; 0 for the system's.
  explicit raw_client(std::uint16_t port, int from = 0, int room = 0)
      : raw_client(own{from, room}) {
    connect(port);
  }
  raw_client(raw_client&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), unread_(std::move(other.unread_)) {}
  raw_client& operator=(raw_client&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(unread_, other.unread_);
    return *this;
  }
  ~raw_client() { close(); }

  /// A client that has its descriptor and connects later.
  static raw_client unconnected() { return raw_client{own{}}; }
  void connect(std::uint16_t port) {
    auto where = loopback(1);
    where.sin_port = htons(port);
    if (::connect(descriptor_, generic(where), sizeof where) != 0)
      throw std::runtime_error("nobody listens on port " + std::to_string(port));
  }
  /// Whether a server listens.
  static bool is_open(std::uint16_t port) {
    auto tried = unconnected();
    auto where = loopback(1);
    where.sin_port = htons(port);
    return ::connect(tried.descriptor_, generic(where), sizeof where) == 0;
  }

  /// False when the other side has hung up.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0)
        return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// The next answer. `without_body`: the answer to HEAD.
  raw_reply read(bool without_body = false) {
    auto reply = read_head();
    const bool has_body =
        !without_body && reply.status >= 200 && reply.status != 204 && reply.status != 304;
    if (has_body && reply.header("transfer-encoding") == "chunked") {
      for (auto chunk = read_chunk(); !chunk.empty(); chunk = read_chunk())
        reply.body += chunk;
      reply.is_cut = is_cut_;
      return reply;
    }
    const auto length = has_body ? std::stoul(reply.header("content-length")) : 0;
    if (!fill(length))
      throw std::runtime_error("the server has hung up within a body");
    reply.body = take(length);
    return reply;
  }
  /// The head of the next answer, whose body is read otherwise.
  raw_reply read_head() {
    raw_reply reply;
    auto end = unread_.find("\r\n\r\n");
    for (; end == std::string::npos; end = unread_.find("\r\n\r\n"))
      if (!read_some())
        throw std::runtime_error("the server has hung up, after: " + unread_);
    reply.head = take(end + 4);
    parse_head(reply);
    return reply;
  }
  /// The next chunk of a body; empty at the end, and where the server hangs up before.
  std::string read_chunk() {
    auto end = unread_.find("\r\n");
    for (; end == std::string::npos; end = unread_.find("\r\n"))
      if (!read_some()) {
        is_cut_ = true;
        return {};
      }
    const auto size = std::stoul(take(end + 2), nullptr, 16);
    if (!fill(size + 2)) {
      is_cut_ = true;
      return {};
    }
    auto chunk = take(size);
    take(2);
    return chunk;
  }
  /// Whether the server hung up within the chunks of a body.
  bool is_cut() const { return is_cut_; }
  /// Whether the server has hung up by RST, so far as it was noticed.
  bool is_reset() const { return is_reset_; }
  /// Waits for the other side to hang up, by FIN or RST. False when something comes instead.
  bool is_closed() { return unread_.empty() && !read_some(); }
  /// Reads and forgets about so many bytes; how many it were. 0: the other side has hung up.
  std::size_t read_bytes(std::size_t most) {
    std::size_t bytes = 0;
    while (bytes < most && (!unread_.empty() || read_some()))
      bytes += std::exchange(unread_, {}).size();
    return bytes;
  }
  /// Reads until the other side hangs up; how many bytes came.
  std::size_t read_to_end() { return read_bytes(static_cast<std::size_t>(-1)); }
  /// Whether nothing comes for so long.
  bool is_silent_for(std::chrono::milliseconds span) const {
    return unread_.empty() && !is_ready(span);
  }

  /// Says that nothing more will be sent.
  void finish() { ::shutdown(descriptor_, SHUT_WR); }
  void close() {
    if (descriptor_ >= 0)
      ::close(std::exchange(descriptor_, -1));
  }
  /// Hangs up with RST.
  void reset() {
    const linger at_once{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }

private:
  struct own {
    int address = 0;
    int room = 0;
  };

  explicit raw_client(own with) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (descriptor_ < 0)
      throw std::runtime_error("no socket");
    if (with.room > 0)
      ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &with.room, sizeof with.room);
    const int at_once = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    auto where = loopback(with.address);
    if (with.address > 0 && ::bind(descriptor_, generic(where), sizeof where) != 0)
      throw std::runtime_error("cannot connect from this address");
    const timeval most{http_patience.count(), 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  }

  static sockaddr_in loopback(int last) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(0x7f000000U + static_cast<std::uint32_t>(last));
    return where;
  }
  static sockaddr* generic(sockaddr_in& where) { return reinterpret_cast<sockaddr*>(&where); }

  /// False where the other side hangs up before so many bytes are there.
  bool fill(std::size_t bytes) {
    while (unread_.size() < bytes)
      if (!read_some())
        return false;
    return true;
  }
  std::string take(std::size_t bytes) {
    auto taken = unread_.substr(0, bytes);
    unread_.erase(0, bytes);
    return taken;
  }
  bool is_ready(std::chrono::milliseconds most) const {
    pollfd wanted{descriptor_, POLLIN, 0};
    return ::poll(&wanted, 1, static_cast<int>(most.count())) > 0;
  }
  /// False at the end of the connection.
  bool read_some() {
    if (!is_ready(http_patience))
      throw std::runtime_error("nothing came, after: " + unread_);
    std::array<char, 65536> bytes{};
    const auto count = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (count <= 0) {
      is_reset_ = count < 0 && errno == ECONNRESET;
      return false;
    }
    unread_.append(bytes.data(), static_cast<std::size_t>(count));
    return true;
  }
  static void parse_head(raw_reply& reply) {
    reply.status = std::stoi(reply.head.substr(reply.head.find(' ') + 1));
    std::size_t begin = reply.head.find("\r\n") + 2;
    for (auto end = reply.head.find("\r\n", begin); end != begin;
         begin = end + 2, end = reply.head.find("\r\n", begin)) {
      const auto line = reply.head.substr(begin, end - begin);
      const auto colon = line.find(": ");
      auto name = line.substr(0, colon);
      for (auto& c : name)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      if (!reply.headers.emplace(name, line.substr(colon + 2)).second)
        throw std::runtime_error("an answer has two fields " + name);
    }
  }

  int descriptor_ = -1;
  std::string unread_;
  bool is_cut_ = false;
  bool is_reset_ = false;
};

} // namespace holdfast::test
