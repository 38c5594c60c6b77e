#include "client/connection.hpp"

#include "client/way_to_node.hpp"
#include "core/supervision.hpp"

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
  dialer(std::vector<endpoint> nodes, const retry_policy& retry, std::uint64_t seed)
      : retry_(retry), random_(seed), next_(random_() % nodes.size()) {
    for (auto& node : nodes)
      ways_.push_back(std::make_unique<way_to_node>(std::move(node)));
  }

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
      auto& way = ways_[next_];
      // Also after a success: when one is dialed again, that one has been lost.
      next_ = (next_ + 1) % ways_.size();
      auto found = way->dial<msg::gateway_actor>(system);
      lock.lock();
      if (found) {
        reached_at = clock::now();
        caf::anon_send(courier, gateway_found{*found});
      } else {
        reached_at = {};
        ++failures;
        wanted_ = true;
        caf::anon_send(courier, gateway_unreachable{"cannot reach " + way->address() + ": "
                                                    + found.error().detail});
      }
    }
  }

  std::vector<std::unique_ptr<way_to_node>> ways_;
  const retry_policy retry_;
  std::mt19937_64 random_;
  std::size_t next_; ///< Of `ways_`.
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

connection::connection(caf::actor_system& system, std::vector<endpoint> nodes, retry_policy retry,
                       std::uint64_t seed)
    : connection(system, retry, seed, std::make_shared<dialer>(std::move(nodes), retry, seed)) {
  dialer_->start(system, courier_);
}

connection::connection(caf::actor_system& system, endpoint where, retry_policy retry,
                       std::uint64_t seed)
    : connection(system, std::vector<endpoint>{std::move(where)}, retry, seed) {}

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
