#pragma once

// For the files of this folder alone: whoever includes it pays for all of Boost.Asio.

#include "link/io_thread.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

namespace holdfast::link {

struct io_thread::parts {
  boost::asio::io_context io{1}; // one thread: no locks
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::atomic<std::uint64_t> wakeups{0};
  std::thread thread;
};

} // namespace holdfast::link
