#include "client/connection.hpp"

#include "core/supervision.hpp"
#include "link/outlet.hpp"

#include <caf/exit_reason.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace holdfast::client {

namespace {

/// A connection that broke sooner than this counts as a failed dial, so that a gateway that dies at
/// every greeting is not dialed in a tight loop.
constexpr auto settled_after = std::chrono::seconds{1};

/// Beyond the deadline of the courier: two local messages and its granularity.
constexpr auto courier_margin = std::chrono::seconds{2};

} // namespace

/// Dials on a thread of its own: `remote_actor` blocks, and inside an actor it would block a thread
/// of the scheduler along with it.
class connection::dialer {
public:
  dialer(endpoint where, const retry_policy& retry, std::uint64_t seed)
      : where_(std::move(where)), retry_(retry), random_(seed) {}

  void start(caf::actor_system& system, courier_actor courier) {
    thread_ = std::thread{[this, &system, courier] { run(system, courier); }};
  }

  void lost() {
    {
      const std::lock_guard lock{mutex_};
      wanted_ = true;
    }
    changed_.notify_one();
  }

  void stop() {
    {
      const std::lock_guard lock{mutex_};
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

private:
  using clock = std::chrono::steady_clock;

  void run(caf::actor_system& system, const courier_actor& courier) {
    std::uint32_t failures = 0;
    clock::time_point reached_at{};
    std::unique_lock lock{mutex_};
    while (true) {
      changed_.wait(lock, [&] { return wanted_ || stopping_; });
      if (reached_at != clock::time_point{})
        failures = clock::now() - reached_at < settled_after ? failures + 1 : 0;
      if (failures > 0) {
        const auto random = std::uniform_real_distribution<double>{}(random_);
        const auto pause = core::backoff(failures, retry_.backoff_min, retry_.backoff_max, random);
        changed_.wait_for(lock, pause, [&] { return stopping_; });
      }
      if (stopping_)
        return;
      wanted_ = false;
      lock.unlock();
      auto found = dial(system);
      lock.lock();
      if (found) {
        reached_at = clock::now();
        caf::anon_send(courier, gateway_found{*found});
      } else {
        reached_at = {};
        ++failures;
        wanted_ = true;
        caf::anon_send(courier, gateway_unreachable{"cannot reach " + where_.host + ':'
                                                    + std::to_string(where_.port) + ": "
                                                    + found.error().detail});
      }
    }
  }

  /// Through TLS, CAF dials a port of loopback behind which the node is waiting already.
  core::outcome<msg::gateway_actor> dial(caf::actor_system& system) {
    auto host = where_.host;
    auto port = where_.port;
    if (where_.tls) {
      if (const auto ready = prepare_outlet(); !ready)
        return ready.error();
      host = "127.0.0.1";
      port = outlet_->port();
    }
    auto found = system.middleman().remote_actor<msg::gateway_actor>(host, port);
    if (found)
      return *found;
    const auto why = outlet_ ? outlet_->last_failure() : std::string{};
    return core::failure{core::errc::unavailable, why.empty() ? system.render(found.error()) : why};
  }

  core::outcome<bool> prepare_outlet() {
    if (!outlet_) {
      if (!outlet_thread_)
        outlet_thread_ = std::make_unique<link::io_thread>();
      link::outlet_options options;
      options.host = where_.host;
      options.port = where_.port;
      options.expected_name = where_.expected_name;
      options.tls = *where_.tls;
      auto opened = link::outlet::open(*outlet_thread_, std::move(options));
      if (!opened)
        return opened.error();
      outlet_ = std::move(*opened);
    }
    return outlet_->prepare();
  }

  const endpoint where_;
  const retry_policy retry_;
  std::mt19937_64 random_;
  std::unique_ptr<link::io_thread> outlet_thread_; ///< Null without TLS; before what lives on it.
  std::unique_ptr<link::outlet> outlet_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = true;
  bool stopping_ = false;
};

/// Who wants to hear of lost leases. Shared with the courier, which may outlive the connection by
/// the message it is working on.
class connection::lost_listeners {
public:
  using callback = std::function<void(const msg::tasks_lost&)>;

  subscription add(callback called) {
    auto kept = std::make_shared<callback>(std::move(called));
    const std::lock_guard lock{mutex_};
    listeners_.erase(std::remove_if(listeners_.begin(), listeners_.end(),
                                    [](const auto& listener) { return listener.expired(); }),
                     listeners_.end());
    listeners_.push_back(kept);
    return kept;
  }

  void tell(const msg::tasks_lost& lost) {
    std::vector<std::shared_ptr<callback>> present;
    {
      const std::lock_guard lock{mutex_};
      for (const auto& listener : listeners_)
        if (auto called = listener.lock())
          present.push_back(std::move(called));
    }
    for (const auto& called : present) // unlocked: it may subscribe in turn
      (*called)(lost);
  }

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<callback>> listeners_;
};

connection::connection(caf::actor_system& system, endpoint where, retry_policy retry,
                       std::uint64_t seed)
    : connection(system, retry, seed, std::make_shared<dialer>(std::move(where), retry, seed)) {
  dialer_->start(system, courier_);
}

connection::connection(caf::actor_system& system, retry_policy retry, std::uint64_t seed)
    : connection(system, retry, seed, nullptr) {}

connection::connection(caf::actor_system& system, retry_policy retry, std::uint64_t seed,
                       std::shared_ptr<dialer> dials)
    : system_(system),
      retry_(retry),
      dialer_(std::move(dials)),
      listeners_(std::make_shared<lost_listeners>()),
      courier_(system.spawn(
          courier, courier_deps{retry, seed,
                                [d = dialer_] {
                                  if (d)
                                    d->lost();
                                },
                                [l = listeners_](const msg::tasks_lost& lost) { l->tell(lost); }})),
      gateway_(courier_) {}

connection::~connection() {
  if (dialer_)
    dialer_->stop();
  close();
}

void connection::reach(const msg::gateway_actor& gateway) {
  caf::anon_send(courier_, gateway_found{gateway});
}

void connection::close() { caf::anon_send_exit(courier_, caf::exit_reason::user_shutdown); }

core::duration connection::request_timeout() const { return retry_.deadline + courier_margin; }

connection::subscription
connection::on_tasks_lost(std::function<void(const msg::tasks_lost&)> callback) {
  return listeners_->add(std::move(callback));
}

} // namespace holdfast::client
