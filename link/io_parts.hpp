#pragma once

// For the files of this folder alone: whoever includes it pays for all of Boost.Asio.

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace holdfast::link {

/// Accepting failed because no descriptor is free, or the like: a try a tenth of a second later
/// costs nothing.
inline constexpr auto accept_error_pause = std::chrono::milliseconds{100};

/// All of an `io_thread`.
struct io_parts {
  boost::asio::io_context io{1}; // one thread: no locks
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::atomic<std::uint64_t> wakeups{0};
  std::thread thread;
};

} // namespace holdfast::link
