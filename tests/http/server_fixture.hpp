#pragma once

#include "http/call.hpp"
#include "http/server.hpp"
#include "tests/http/raw_client.hpp"

#include <boost/test/unit_test.hpp>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// Requests that have reached the handler and wait for the test. Safe to use from several threads.
class call_inbox {
public:
  void put(http::call_ptr one) {
    const std::lock_guard lock{mutex_};
    waiting_.push_back(std::move(one));
    arrived_.notify_one();
  }
  /// The next one; null when none comes within `most`.
  http::call_ptr take(std::chrono::milliseconds most = http_patience) {
    std::unique_lock lock{mutex_};
    if (!arrived_.wait_for(lock, most, [this] { return !waiting_.empty(); }))
      return nullptr;
    auto one = std::move(waiting_.front());
    waiting_.pop_front();
    return one;
  }
  bool empty() const {
    const std::lock_guard lock{mutex_};
    return waiting_.empty();
  }
  void clear() {
    std::deque<http::call_ptr> dropped;
    const std::lock_guard lock{mutex_};
    dropped.swap(waiting_);
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<http::call_ptr> waiting_;
};

/// Waits, in turns of a millisecond, until `wanted` holds.
inline bool comes_true(const std::function<bool()>& wanted) {
  const auto until = std::chrono::steady_clock::now() + http_patience;
  while (!wanted() && std::chrono::steady_clock::now() < until)
    ::poll(nullptr, 0, 1);
  return wanted();
}

inline http::response text_answer(std::string body, unsigned status = 200) {
  http::response made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

/// `GET path` with a Host, and further lines of the header, each ended by CRLF.
inline std::string get(const std::string& path, const std::string& lines = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: here\r\n" + lines + "\r\n";
}
inline std::string post(const std::string& path, const std::string& body,
                        const std::string& lines = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: here\r\n" + lines
         + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// How many descriptors this process may have; as it was before, at the end.
class descriptor_limit {
public:
  explicit descriptor_limit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    auto now = before_;
    now.rlim_cur = std::min(most, before_.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~descriptor_limit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  descriptor_limit(const descriptor_limit&) = delete;
  descriptor_limit& operator=(const descriptor_limit&) = delete;

private:
  rlimit before_{};
};

/// A server on loopback. Its requests wait in `calls` unless a test opens it with a handler.
struct server_fixture {
  using refusal = http::server_refusal;

  ~server_fixture() {
    server.reset();
    calls.clear();
  }

  void open() {
    open([this](http::call_ptr one) { calls.put(std::move(one)); });
  }
  void open(std::function<void(http::call_ptr)> serve) {
    options.log = [this](const http::server_event& event) {
      const std::lock_guard lock{mutex};
      lines.push_back(std::string{event.name} + " reason=" + std::string{event.reason}
                      + " peer=" + event.peer + " what=" + event.detail);
    };
    auto opened = http::server::open(options, std::move(serve));
    BOOST_REQUIRE_MESSAGE(opened, "the port opens");
    server = std::move(*opened);
  }
  /// Answers each request with its method, target and body.
  void open_echo() {
    open([](const http::call_ptr& one) {
      const auto& asked = one->asked();
      one->answer(text_answer(asked.method + ' ' + asked.target + ' ' + asked.body));
    });
  }

  raw_client connect() const { return raw_client{server->port()}; }
  const http::server_counters& counters() const { return server->counters(); }
  bool refused(refusal why, std::uint64_t times = 1) const {
    return comes_true([&] { return counters().refused_for(why) == times; });
  }
  std::size_t lines_with(const std::string& text) {
    const std::lock_guard lock{mutex};
    return static_cast<std::size_t>(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
          return line.find(text) != std::string::npos;
        }));
  }

  call_inbox calls;
  std::mutex mutex;
  std::vector<std::string> lines; ///< Of the log.
  http::server_options options;
  std::unique_ptr<http::server> server; ///< Last: its threads use the others.
};

} // namespace holdfast::test
