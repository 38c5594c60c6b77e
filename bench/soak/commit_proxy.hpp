#pragma once

#include "bench/soak/commit_interruptions.hpp"

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <thread>

namespace holdfast::soak {

/// A socket that listens at an IP address, in the network namespace of the thread that asks for it.
/// Throws `std::runtime_error`.
int listen_at(const std::string& address, std::uint16_t port);
/// The same with the path of a socket.
int listen_at(const std::string& path);

/// Stands before a server. Passes everything on, except for what the interruptions say. Two threads
/// for each session, so that one side that reads nothing holds up no other session.
class commit_proxy {
public:
  /// Takes the socket that listens; `upstream` is the path of the server's socket.
  commit_proxy(int listener, std::string upstream, std::shared_ptr<commit_interruptions> commits);
  ~commit_proxy();
  commit_proxy(const commit_proxy&) = delete;
  commit_proxy& operator=(const commit_proxy&) = delete;

private:
  struct session;

  void run();
  void take_session();

  int listener_;
  int wake_;
  std::string upstream_;
  std::shared_ptr<commit_interruptions> commits_;
  std::list<std::unique_ptr<session>> sessions_;
  std::thread thread_;
};

} // namespace holdfast::soak
