#include "link/io_thread.hpp"

#include "link/io_parts.hpp"

#include <boost/asio/post.hpp>

#include <pthread.h>
#include <time.h>

#include <future>
#include <utility>

namespace holdfast::link {

io_thread::io_thread() : parts_(std::make_unique<io_parts>()) {
  parts_->thread = std::thread{[p = parts_.get()] {
    while (p->io.run_one() > 0)
      p->wakeups.fetch_add(1, std::memory_order_relaxed);
  }};
}

io_thread::~io_thread() {
  parts_->work.reset();
  parts_->io.stop();
  parts_->thread.join();
}

void io_thread::call(const std::function<void()>& task) {
  std::promise<void> done;
  boost::asio::post(parts_->io, [&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

void io_thread::post(std::function<void()> task) { boost::asio::post(parts_->io, std::move(task)); }

std::uint64_t io_thread::wakeups() const { return parts_->wakeups; }

std::chrono::nanoseconds io_thread::processor_time() const {
  clockid_t clock{};
  timespec used{};
  if (::pthread_getcpuclockid(parts_->thread.native_handle(), &clock) != 0
      || ::clock_gettime(clock, &used) != 0)
    return std::chrono::nanoseconds{0};
  return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
}

} // namespace holdfast::link
