#include "app/peer_node_dialer.hpp"

#include "client/way_to_node.hpp"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

using namespace std::chrono_literals;

/// For a connection to come about. Nodes of one cluster are near each other.
constexpr auto connect_timeout = 2s;

/// 0 when the connection came about, else the error.
int connect_within(const addrinfo& to, std::chrono::milliseconds timeout) {
  const int fd = ::socket(to.ai_family, to.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return errno;
  int error = ::connect(fd, to.ai_addr, to.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    pollfd ready{fd, POLLOUT, 0};
    const int events = ::poll(&ready, 1, static_cast<int>(timeout.count()));
    socklen_t size = sizeof error;
    if (events == 0)
      error = ETIMEDOUT;
    else if (events < 0 || ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
      error = errno;
  }
  ::close(fd);
  return error;
}

/// Whether somebody listens there.
actors::dial_result probe(const client::endpoint& at) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed =
          ::getaddrinfo(at.host.c_str(), std::to_string(at.port).c_str(), &wanted, &found);
      failed != 0)
    return {{}, false, std::string{"no such address: "} + ::gai_strerror(failed)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses{found, &::freeaddrinfo};
  bool all_refused = true;
  int last = 0;
  for (const auto* one = found; one != nullptr; one = one->ai_next) {
    last = connect_within(*one, connect_timeout);
    if (last == 0)
      return {};
    all_refused = all_refused && last == ECONNREFUSED;
  }
  return {{}, all_refused, std::strerror(last)};
}

} // namespace

struct peer_node_dialer::state {
  state(caf::actor_system& s, client::endpoint l) : system(&s), like(std::move(l)) {}

  /// One way to a node, for one attempt at a time.
  struct guarded_way {
    explicit guarded_way(client::endpoint where) : way(std::move(where)) {}
    std::mutex mutex;
    client::way_to_node way;
  };

  caf::actor_system* system;
  const client::endpoint like;
  std::mutex mutex;
  bool closed = false;
  std::list<std::thread> attempts;                          ///< Under way.
  std::list<std::thread> over;                              ///< To be joined.
  std::map<std::string, std::shared_ptr<guarded_way>> ways; ///< By address.

  std::shared_ptr<guarded_way> way_to(const std::string& address, const client::endpoint& found) {
    const std::lock_guard lock{mutex};
    auto& way = ways[address];
    if (!way) {
      auto at = like;
      at.host = found.host;
      at.port = found.port;
      way = std::make_shared<guarded_way>(std::move(at));
    }
    return way;
  }

  actors::dial_result reach(const std::string& address) {
    const auto at = client::endpoint_of(address);
    if (!at)
      return {{}, false, at.error().detail};
    if (auto met = probe(*at); !met.why.empty())
      return met;
    const auto guarded = way_to(address, *at);
    const std::lock_guard lock{guarded->mutex};
    const auto found = guarded->way.dial<msg::member_gateway_actor>(*system);
    if (!found)
      return {{}, false, found.error().detail};
    return {*found, false, {}, guarded->way.newest_protocol()};
  }

  /// Has `work` done on a thread of its own, unless it is too late for that.
  static void run(const std::shared_ptr<state>& shared, const std::function<void()>& work) {
    std::list<std::thread> over;
    const std::lock_guard lock{shared->mutex};
    if (shared->closed)
      return;
    over.splice(over.end(), shared->over);
    for (auto& attempt : over)
      attempt.join(); // each has said that it is at its end
    auto& slot = shared->attempts.emplace_back();
    const auto place = std::prev(shared->attempts.end());
    slot = std::thread{[=] {
      work();
      const std::lock_guard at_the_end{shared->mutex};
      if (!shared->closed)
        shared->over.splice(shared->over.end(), shared->attempts, place);
    }};
  }
};

peer_node_dialer::peer_node_dialer(caf::actor_system& system, client::endpoint like)
    : state_(std::make_shared<state>(system, std::move(like))) {}

peer_node_dialer::~peer_node_dialer() {
  std::list<std::thread> left;
  {
    const std::lock_guard lock{state_->mutex};
    state_->closed = true;
    left.splice(left.end(), state_->attempts);
    left.splice(left.end(), state_->over);
  }
  for (auto& attempt : left)
    attempt.join();
}

void peer_node_dialer::reload() {
  std::vector<std::shared_ptr<state::guarded_way>> ways;
  {
    const std::lock_guard lock{state_->mutex};
    for (const auto& [address, way] : state_->ways)
      ways.push_back(way);
  }
  for (const auto& guarded : ways)
    state::run(state_, [guarded] {
      const std::lock_guard lock{guarded->mutex};
      guarded->way.reload();
    });
}

actors::node_dialer peer_node_dialer::as_function() const {
  return [shared = state_](const std::string& address,
                           const std::function<void(const actors::dial_result&)>& done) {
    state::run(shared, [shared, address, done] { done(shared->reach(address)); });
  };
}

} // namespace holdfast::app
