#include "bench/soak/commit_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace holdfast::soak {

namespace {

constexpr std::size_t piece_bytes = 65536;
constexpr int waiting_max = 128;

/// Over all proxies: a standby that becomes the server has one of its own.
std::atomic<std::uint64_t> sessions_so_far{0};

sockaddr_un address_of_path(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::runtime_error{"the path is too long for a socket: " + path};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

template <class Address>
int listening(int family, const Address& address, const std::string& name) {
  const int made = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0
      || ::listen(made, waiting_max) != 0) {
    const std::string why = std::strerror(errno);
    ::close(made);
    throw std::runtime_error{"cannot listen at " + name + ": " + why};
  }
  return made;
}

bool send_all(int socket, const std::string& bytes) {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto count = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0)
      return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

/// As the server does it for those who come to it: a node that is cut off is noticed.
void notice_silence(int socket) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 4000);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

} // namespace

int listen_at(const std::string& address, std::uint16_t port) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &where.sin_addr) != 1)
    throw std::runtime_error{address + " is no IP address"};
  return listening(AF_INET, where, address);
}

int listen_at(const std::string& path) {
  ::unlink(path.c_str());
  return listening(AF_UNIX, address_of_path(path), path);
}

struct commit_proxy::session {
  session(int client_socket, int server_socket, commit_interruptions& all)
      : number(++sessions_so_far),
        client(client_socket),
        server(server_socket),
        commits(all),
        up([this] { from_client(); }),
        down([this] { from_server(); }) {}
  ~session() {
    hang_up();
    up.join();
    down.join();
    ::close(client);
    ::close(server);
  }

  void hang_up() {
    ::shutdown(client, SHUT_RDWR);
    ::shutdown(server, SHUT_RDWR);
  }

  void from_client() {
    postgres_messages messages;
    char piece[piece_bytes];
    bool started = false;
    bool open = true;
    while (open) {
      const auto count = ::recv(client, piece, sizeof piece, 0);
      if (count <= 0)
        break;
      messages.add({piece, static_cast<std::size_t>(count)});
      std::string passed;
      for (auto message = messages.next(started); open && !message.empty();
           message = messages.next(started)) {
        if (started) {
          open = may_pass(message);
        } else if (asks_for_encryption(message)) {
          open = send_all(client, "N");
          continue;
        } else {
          const std::lock_guard lock{mutex};
          name = start_parameter(message, "application_name");
          started = true;
        }
        passed += message;
      }
      open = open && send_all(server, passed);
    }
    hang_up();
    commits.on_closed(number);
    over = true;
  }

  /// False when the session is to be cut instead.
  bool may_pass(const std::string& message) {
    if (!binds_commit(message))
      return true;
    const std::lock_guard lock{mutex};
    committing = true;
    return !failure.empty()
           || commits.on_commit(number, name, clock::now()) != commit_fate::cut_before;
  }

  void from_server() {
    postgres_messages messages;
    char piece[piece_bytes];
    bool silent = false;
    for (bool open = true; open;) {
      const auto count = ::recv(server, piece, sizeof piece, 0);
      if (count <= 0)
        break;
      messages.add({piece, static_cast<std::size_t>(count)});
      std::string passed;
      for (auto message = messages.next(true); open && !message.empty();
           message = messages.next(true)) {
        const auto fate = judge(message);
        open = fate != commit_fate::cut_after;
        silent = silent || fate == commit_fate::silenced;
        if (open && !silent)
          passed += message;
      }
      open = open && send_all(client, passed);
    }
    hang_up();
  }

  /// What becomes of what the server says.
  commit_fate judge(const std::string& message) {
    const std::lock_guard lock{mutex};
    if (committing && says_committed(message))
      return commits.on_committed(number, name, clock::now());
    if (auto state = sqlstate_of(message); !state.empty())
      failure = std::move(state);
    if (message[0] != 'Z') // it is ready for the next batch
      return commit_fate::passes;
    if (committing && !failure.empty())
      commits.on_refused(number, name, failure, clock::now());
    committing = false;
    failure.clear();
    return commit_fate::passes;
  }

  const std::uint64_t number;
  const int client;
  const int server;
  commit_interruptions& commits;
  std::mutex mutex;
  std::string name;        ///< Of the program, as it says itself.
  bool committing = false; ///< A batch has come to its commit.
  std::string failure;     ///< In this batch.
  std::atomic<bool> over{false};
  std::thread up;
  std::thread down;
};

commit_proxy::commit_proxy(int listener, std::string upstream,
                           std::shared_ptr<commit_interruptions> commits)
    : listener_(listener),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      upstream_(std::move(upstream)),
      commits_(std::move(commits)),
      thread_([this] { run(); }) {}

commit_proxy::~commit_proxy() {
  const std::uint64_t one = 1;
  if (::write(wake_, &one, sizeof one) == sizeof one)
    thread_.join();
  sessions_.clear();
  ::close(listener_);
  ::close(wake_);
}

void commit_proxy::run() {
  for (;;) {
    pollfd waits[] = {{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0)
      continue;
    if (waits[0].revents != 0)
      return;
    sessions_.remove_if([](const auto& one) { return one->over.load(); });
    take_session();
  }
}

void commit_proxy::take_session() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0)
    return;
  notice_silence(client);
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto address = address_of_path(upstream_);
  if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client); // the server is away
    ::close(server);
    return;
  }
  sessions_.push_back(std::make_unique<session>(client, server, *commits_));
}

} // namespace holdfast::soak
