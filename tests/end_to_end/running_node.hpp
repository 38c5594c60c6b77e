#pragma once

#include "app/data_dir.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::test {

/// Fixture of a suite: one node of the real binary, with a private database, for all of its cases.
struct running_node {
  running_node() {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    directory.emplace(std::move(*made));
    process.emplace(HOLDFAST_BINARY, directory->path(), std::vector<std::string>{});
    start();
    current_ = this;
  }
  running_node(const running_node&) = delete;
  running_node& operator=(const running_node&) = delete;
  ~running_node() { current_ = nullptr; }

  /// That of the suite that runs.
  static running_node& current() { return *current_; }

  void start() {
    const auto started = process->start(std::chrono::seconds{60});
    BOOST_REQUIRE_MESSAGE(started, process->log_tail());
  }

  std::string place() const { return directory->path().string(); }

  /// Of its database.
  std::string conninfo() const {
    const auto running = app::read_node_file(directory->path());
    BOOST_REQUIRE(running);
    return running->database;
  }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<app::demo::node_process> process;

private:
  static inline running_node* current_ = nullptr;
};

} // namespace holdfast::test
