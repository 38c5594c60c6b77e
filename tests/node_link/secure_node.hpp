#pragma once

#include "app/data_dir.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "link/authority.hpp"
#include "tests/link/sockets.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

/// A node of the real binary with TLS, on all addresses of the machine unless said otherwise; its
/// certificates are made by `holdfast certs`. One for all cases of a suite.
struct secure_node {
  secure_node() : secure_node("0.0.0.0") {}
  explicit secure_node(const std::string& listen_address) {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    directory.emplace(std::move(*made));
    certs({"init"});
    certs({"node", "--name", "n1", "--host", "127.0.0.1", "--host", "localhost"});
    for (const auto* name : {"ana", "bob", "eve"})
      certs({"peer", "--name", name});
    certs({"peer", "--name", "carl", "--role", "workers"});
    certs({"revoke", "--name", "eve"});
    const std::vector<std::string> arguments{"--set", "node.listen_address=" + listen_address,
                                             "--set", "link.certificate=" + file("n1.crt"),
                                             "--set", "link.key=" + file("n1.key"),
                                             "--set", "link.ca=" + file("ca.crt"),
                                             "--set", "link.crl=" + file("ca.crl"),
                                             "--set", "link.peers=ana, eve, past, workers",
                                             "--set", "link.handshake_deadline=1s"};
    process.emplace(HOLDFAST_BINARY, directory->path(), arguments);
    start();
    current_ = this;
  }
  secure_node(const secure_node&) = delete;
  secure_node& operator=(const secure_node&) = delete;
  ~secure_node() { current_ = nullptr; }

  /// That of the suite that runs.
  static secure_node& current() { return *current_; }

  void start() {
    const auto started = process->start(std::chrono::seconds{60});
    BOOST_REQUIRE_MESSAGE(started, process->log_tail());
  }

  /// `holdfast certs`, in the authority's directory.
  void certs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "certs");
    arguments.insert(arguments.begin() + 2, {"--dir", authority()});
    const auto end = run_program(HOLDFAST_BINARY, arguments, std::chrono::seconds{60});
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.err);
  }

  std::string place() const { return directory->path().string(); }
  std::string authority() const { return place() + "/ca"; }
  std::string file(const std::string& name) const { return authority() + '/' + name; }
  link::credentials of(const std::string& name) const {
    return {file(name + ".crt"), file(name + ".key"), file("ca.crt"), file("ca.crl")};
  }

  void signal(int number) const {
    const auto running = app::read_node_file(directory->path());
    BOOST_REQUIRE(running);
    BOOST_REQUIRE(::kill(running->pid, number) == 0);
  }

  /// `holdfast status` with the credentials of `who`; the pace of waits for the node's log.
  program_end status(const std::string& who, std::vector<std::string> more = {}) const {
    std::vector<std::string> words{"status",
                                   "--host",
                                   "127.0.0.1",
                                   "--port",
                                   std::to_string(process->port()),
                                   "--timeout",
                                   "2",
                                   "--set",
                                   "link.certificate=" + file(who + ".crt"),
                                   "--set",
                                   "link.key=" + file(who + ".key"),
                                   "--set",
                                   "link.ca=" + file("ca.crt")};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(HOLDFAST_BINARY, words, std::chrono::seconds{60});
  }

  /// Whether the node's log has all of `words` in one line, soon.
  bool logs(const std::vector<std::string>& words) const {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!has_line(words) && std::chrono::steady_clock::now() < until)
      status("ana");
    return has_line(words);
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<app::demo::node_process> process;

private:
  bool has_line(const std::vector<std::string>& words) const {
    std::ifstream log{directory->path() / "node.log"};
    for (std::string line; std::getline(log, line);) {
      bool all = true;
      for (const auto& word : words)
        all = all && line.find(word) != std::string::npos;
      if (all)
        return true;
    }
    return false;
  }

  static inline secure_node* current_ = nullptr;
};

} // namespace holdfast::test
