#include "client/connection.hpp"

#include "client/way_to_node.hpp"
#include "core/backoff.hpp"

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

/// Between two dials of a node that is not reached, while another one is.
constexpr core::duration side_pause_min = std::chrono::seconds{1};
constexpr core::duration side_pause_max = std::chrono::seconds{30};

/// Beyond the deadline of the courier: two local messages and its granularity.
constexpr auto courier_margin = std::chrono::seconds{2};

} // namespace

/// Dials on a thread of its own: `remote_actor` blocks, and inside an actor it would block a thread
/// of the scheduler along with it. While no node is reached it dials one after the other; while one
/// is, only when it is asked for the others.
class connection::dialer {
public:
  dialer(std::vector<endpoint> nodes, const retry_policy& retry, std::uint64_t seed)
      : retry_(retry), random_(seed), next_(random_() % nodes.size()), ways_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      ways_[i].to = std::make_unique<way_to_node>(std::move(nodes[i]));
  }

  bool has_several() const { return ways_.size() > 1; }

  void start(caf::actor_system& system, courier_actor courier) {
    thread_ = std::thread{[this, &system, courier] { run(system, courier); }};
  }

  void lost(way_number number) {
    {
      const std::lock_guard lock{mutex_};
      ways_[number].open = false;
    }
    changed_.notify_one();
  }

  /// Dials those that are not reached, each at most once.
  void open_others() {
    {
      const std::lock_guard lock{mutex_};
      others_wanted_ = true;
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

  struct way {
    std::unique_ptr<way_to_node> to;
    bool open = false;
    std::uint32_t failures = 0;     ///< In a row, of dials beside an open way.
    clock::time_point not_before{}; ///< The next of these.
  };

  bool nothing_open() const {
    return std::none_of(ways_.begin(), ways_.end(), [](const way& one) { return one.open; });
  }

  core::duration pause_after(std::uint32_t failures, core::duration min, core::duration max) {
    return core::full_jitter(failures, min, max, random_());
  }

  /// Dials without the lock, and tells the courier.
  bool dial(caf::actor_system& system, const courier_actor& courier, way_number number,
            std::unique_lock<std::mutex>& lock) {
    auto& at = ways_[number];
    lock.unlock();
    auto found = at.to->dial<msg::gateway_actor>(system);
    lock.lock();
    at.open = static_cast<bool>(found);
    if (found)
      caf::anon_send(courier, gateway_found{*found, number});
    else if (nothing_open()) // else requests have other reasons to fail
      caf::anon_send(courier, gateway_unreachable{"cannot reach " + at.to->address() + ": "
                                                  + found.error().detail});
    return at.open;
  }

  void run(caf::actor_system& system, const courier_actor& courier) {
    std::uint32_t failures = 0;
    clock::time_point reached_at{};
    std::unique_lock lock{mutex_};
    while (true) {
      changed_.wait(lock, [&] { return nothing_open() || others_wanted_ || stopping_; });
      if (!stopping_ && !nothing_open()) {
        others_wanted_ = false;
        dial_others(system, courier, lock);
        continue;
      }
      if (reached_at != clock::time_point{})
        failures = clock::now() - reached_at < settled_after ? failures + 1 : 0;
      if (failures > 0)
        changed_.wait_for(lock, pause_after(failures, retry_.backoff_min, retry_.backoff_max),
                          [&] { return stopping_; });
      if (stopping_)
        return;
      const auto number = next_;
      // Also after a success: when one is dialed again, that one has been lost.
      next_ = (next_ + 1) % ways_.size();
      if (dial(system, courier, number, lock)) {
        reached_at = clock::now();
      } else {
        reached_at = {};
        ++failures;
      }
    }
  }

  void dial_others(caf::actor_system& system, const courier_actor& courier,
                   std::unique_lock<std::mutex>& lock) {
    for (way_number number = 0; number < ways_.size(); ++number) {
      auto& at = ways_[number];
      if (stopping_ || nothing_open())
        return; // the first node matters more
      if (at.open || clock::now() < at.not_before)
        continue;
      at.failures = dial(system, courier, number, lock) ? 0 : at.failures + 1;
      at.not_before =
          clock::now() + pause_after(std::max(1U, at.failures), side_pause_min, side_pause_max);
    }
  }

  const retry_policy retry_;
  std::mt19937_64 random_;
  way_number next_;
  std::vector<way> ways_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool others_wanted_ = false;
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
                                [d = dialer_](way_number way) {
                                  if (d)
                                    d->lost(way);
                                },
                                [l = listeners_](const msg::tasks_lost& lost) { l->tell(lost); },
                                dialer_ && dialer_->has_several(),
                                [d = dialer_] {
                                  if (d)
                                    d->open_others();
                                },
                                clock_})),
      gateway_(courier_) {}

connection::~connection() {
  if (dialer_)
    dialer_->stop();
  close();
}

void connection::reach(const msg::gateway_actor& gateway) {
  caf::anon_send(courier_, gateway_found{gateway});
}

core::instant connection::now() const {
  const auto there = clock_->at(std::chrono::steady_clock::now());
  return there ? *there
               : std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

void connection::close() { caf::anon_send_exit(courier_, caf::exit_reason::user_shutdown); }

core::duration connection::request_timeout() const { return retry_.deadline + courier_margin; }

connection::subscription
connection::on_tasks_lost(std::function<void(const msg::tasks_lost&)> callback) {
  return listeners_->add(std::move(callback));
}

} // namespace holdfast::client
