#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::test {

/// A thread for code that blocks, in a world of virtual time: it and the world take turns, so that
/// only one of them ever runs and a seed is still a run. Many of them are in the midst of something
/// at once, as real threads are.
///
///   idle ── start ──► running ── suspend ──► suspended ── resume ──► running ── the end ──► idle
class virtual_thread {
public:
  virtual_thread();
  /// Ends what is suspended, by an exception that nobody but us catches.
  ~virtual_thread();

  virtual_thread(const virtual_thread&) = delete;
  virtual_thread& operator=(const virtual_thread&) = delete;

  // By the world. Both return when the thread is suspended or idle.
  void start(std::function<void()> body);
  void resume();
  bool idle() const { return !body_; }

  /// By the thread itself: hands the turn to the world, until somebody resumes it. No time passes
  /// here but the world's.
  void suspend();

private:
  enum class turn { world, thread };
  struct torn_down {};

  void loop();
  void give(turn to);
  void await(turn whose, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  turn turn_ = turn::world;
  bool over_ = false;
  std::function<void()> body_;
  std::thread thread_; ///< Last: it uses all the others.
};

} // namespace holdfast::test
