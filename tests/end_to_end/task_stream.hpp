#pragma once

#include "client/connection.hpp"
#include "core/uuid.hpp"
#include "messages/task_messages.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::test {

/// A load that loses nothing: one task after the other, into eight queues in turn, as fast as they
/// are taken in; it ends when told to, or when a request fails.
class task_stream {
public:
  static constexpr int queue_count = 8;

  /// Makes the queues.
  explicit task_stream(client::connection& node) : node_(node) {
    for (int i = 0; i < queue_count; ++i) {
      queues_.push_back("q" + std::to_string(i));
      ask(msg::put_queue{queues_.back(), "{}"});
    }
  }

  /// Runs `operations` beside the load, on this thread, and checks that no request failed and that
  /// each task is there once.
  template <class Operations>
  void under_load(Operations operations) {
    std::thread load{[this] { keep_enqueueing(); }};
    operations();
    over_ = true;
    load.join();
    BOOST_TEST(problem_ == "");
    BOOST_TEST_MESSAGE(
        made_ << " requests, the longest took "
              << std::chrono::duration_cast<std::chrono::milliseconds>(longest_).count() << " ms");
    std::uint64_t known = 0;
    for (const auto& queue : queues_) {
      const auto counts = ask(msg::get_queue_statistics{queue});
      known += counts.live + counts.completed;
    }
    BOOST_TEST(known == made_);
    over_ = false;
  }

  /// Returns when that many more requests have been answered, or the load is over.
  void await_requests(std::uint64_t more) {
    std::unique_lock lock{mutex_};
    const auto enough = made_ + more;
    answered_.wait(lock, [&] { return made_ >= enough || over_; });
  }

  template <class Request>
  msg::answer_to<Request> ask(const Request& request) {
    auto answer = node_.ask<msg::answer_to<Request>>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }

  const std::vector<core::queue_name>& queues() const { return queues_; }
  std::uint64_t made() const { return made_; }

private:
  using steady_clock = std::chrono::steady_clock;

  msg::task_request a_task() {
    msg::task_request task;
    task.task.value =
        ids_.next(std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now()));
    task.type = "work";
    task.body = "{}";
    return task;
  }

  void keep_enqueueing() {
    while (!over_) {
      const auto begun = steady_clock::now();
      const auto answer = node_.ask<msg::task_outcomes>(
          msg::enqueue_tasks{queues_[made_ % queues_.size()], {a_task()}});
      const std::lock_guard lock{mutex_};
      if (!answer || answer->outcomes.front().refusal != core::errc::none) {
        problem_ = answer ? answer->outcomes.front().detail : answer.error().detail;
        over_ = true;
      } else {
        longest_ = std::max(longest_, steady_clock::now() - begun);
        ++made_;
      }
      answered_.notify_one();
    }
  }

  client::connection& node_;
  core::uuid_source ids_{std::random_device{}()};
  std::vector<core::queue_name> queues_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  std::condition_variable answered_; ///< One more request has been, or the load is over.
  std::atomic<std::uint64_t> made_{0};
  std::string problem_;              ///< Of the load, once it is over.
  steady_clock::duration longest_{}; ///< That a request took.
};

} // namespace holdfast::test
