#pragma once

#include "app/data_dir.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "link/authority.hpp"
#include "tests/link/sockets.hpp"
#include "tests/node_link/issued_certificates.hpp"
#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

/// Whether a log has all of `words` in one line.
inline bool has_line(const std::filesystem::path& file, const std::vector<std::string>& words) {
  std::ifstream log{file};
  for (std::string line; std::getline(log, line);) {
    bool all = true;
    for (const auto& word : words)
      all = all && line.find(word) != std::string::npos;
    if (all)
      return true;
  }
  return false;
}

/// A node of the real binary with TLS, on all addresses of the machine unless said otherwise; its
/// certificates are made by `holdfast certs`. One for all cases of a suite.
struct secure_node {
  secure_node() : secure_node("0.0.0.0") {}
  /// `more`: further options of the node.
  explicit secure_node(const std::string& listen_address,
                       const std::vector<std::string>& more = {}) {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    directory.emplace(std::move(*made));
    issued.emplace(place() + "/ca");
    certs({"node", "--name", "n1", "--host", "127.0.0.1", "--host", "localhost"});
    for (const auto* name : {"ana", "bob", "eve"})
      certs({"peer", "--name", name});
    certs({"peer", "--name", "carl", "--role", "workers"});
    certs({"revoke", "--name", "eve"});
    auto arguments = issued->options_of("n1");
    arguments.insert(arguments.end(),
                     {"--set", "node.listen_address=" + listen_address, "--set",
                      "link.crl=" + file("ca.crl"), "--set", "link.peers=ana, eve, past, workers",
                      "--set", "link.handshake_deadline=1s"});
    arguments.insert(arguments.end(), more.begin(), more.end());
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

  void certs(const std::vector<std::string>& arguments) const { issued->certs(arguments); }
  std::string place() const { return directory->path().string(); }
  std::string authority() const { return issued->directory(); }
  std::string file(const std::string& name) const { return issued->file(name); }
  link::credentials of(const std::string& name) const { return issued->of(name); }
  /// Where `who` reaches the node.
  client::endpoint endpoint_for(const std::string& who) const {
    return {"127.0.0.1", process->port(), of(who), "n1"};
  }

  /// `holdfast status` with the credentials of `who`; the pace of waits for the node's log.
  program_end status(const std::string& who, const std::vector<std::string>& more = {}) const {
    auto words = issued->options_of(who);
    words.insert(words.begin(), {"status", "--host", "127.0.0.1", "--port",
                                 std::to_string(process->port()), "--timeout", "2"});
    words.insert(words.end(), more.begin(), more.end());
    return run_program(HOLDFAST_BINARY, words, std::chrono::seconds{60});
  }

  /// Whether the node's log has all of `words` in one line, soon.
  bool logs(const std::vector<std::string>& words) const {
    return logs(words, [this] { status("ana"); });
  }
  /// The same for what is logged once in a while only: `again` has it happen once more.
  bool logs(const std::vector<std::string>& words, const std::function<void()>& again) const {
    const auto log = directory->path() / "node.log";
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!has_line(log, words) && std::chrono::steady_clock::now() < until)
      again();
    return has_line(log, words);
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<issued_certificates> issued;
  std::optional<app::demo::node_process> process;

private:
  static inline secure_node* current_ = nullptr;
};

} // namespace holdfast::test
