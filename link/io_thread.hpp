#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace holdfast::link {

struct io_parts;

/// A thread that waits for sockets. Inlets and outlets live on one; it must outlive them.
class io_thread {
public:
  io_thread();
  ~io_thread();

  io_thread(const io_thread&) = delete;
  io_thread& operator=(const io_thread&) = delete;

  /// Runs `task` there and returns when it has run. From any other thread.
  void call(const std::function<void()>& task);
  /// Has `task` run there. From any thread.
  void post(std::function<void()> task);

  /// How often it has been woken for work. Idle connections must not raise it.
  std::uint64_t wakeups() const;
  /// Time that it has used of a processor.
  std::chrono::nanoseconds processor_time() const;

  io_parts& inside() { return *parts_; }

private:
  std::unique_ptr<io_parts> parts_;
};

} // namespace holdfast::link
