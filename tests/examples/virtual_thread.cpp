#include "tests/examples/virtual_thread.hpp"

#include <utility>

namespace holdfast::test {

virtual_thread::virtual_thread() : thread_([this] { loop(); }) {}

virtual_thread::~virtual_thread() {
  over_ = true; // read by the other only after its turn came
  resume();
  thread_.join();
}

void virtual_thread::start(std::function<void()> body) {
  body_ = std::move(body);
  resume();
}

void virtual_thread::resume() { give(turn::thread); }

void virtual_thread::suspend() {
  give(turn::world);
  if (over_)
    throw torn_down{};
}

/// Hands the turn over and waits until it is back.
void virtual_thread::give(turn to) {
  std::unique_lock lock{mutex_};
  const auto mine = turn_;
  turn_ = to;
  changed_.notify_all();
  await(mine, lock);
}

void virtual_thread::await(turn whose, std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [&] { return turn_ == whose; });
}

void virtual_thread::loop() {
  {
    std::unique_lock lock{mutex_};
    await(turn::thread, lock);
  }
  while (!over_) {
    try {
      body_();
    } catch (const torn_down&) {
      break;
    }
    body_ = nullptr;
    give(turn::world);
  }
  const std::lock_guard lock{mutex_};
  turn_ = turn::world;
  changed_.notify_all();
}

} // namespace holdfast::test
