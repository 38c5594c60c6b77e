#pragma once

#include "app/admin_token.hpp"
#include "app/demo/node_process.hpp"
#include "app/demo/scratch_directory.hpp"
#include "app/listen_port.hpp"
#include "tests/support/http_client.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// One node of the real binary that listens for HTTP, with a private database, and a client with
/// the token of its administrator.
struct http_node {
  http_node() : http_node(std::vector<std::string>{}) {}
  /// `more`: further arguments of the node.
  explicit http_node(std::vector<std::string> more) {
    auto made = app::demo::scratch_directory::make();
    BOOST_REQUIRE(made);
    directory.emplace(std::move(*made));
    auto port = app::hold_port("127.0.0.1", 0);
    BOOST_REQUIRE(port);
    held.emplace(std::move(*port));
    more.insert(more.end(), {"--set", "http.port=" + std::to_string(held->number())});
    process.emplace(HOLDFAST_BINARY, directory->path(), std::move(more));
    start();
  }

  void start() {
    const auto started = process->start(std::chrono::seconds{60});
    BOOST_REQUIRE_MESSAGE(started, process->log_tail());
  }

  std::uint16_t port() const { return held->number(); }
  std::string token() const {
    const auto read = app::admin_token_in(directory->path());
    BOOST_REQUIRE(read);
    return *read;
  }
  http_client client() const { return http_client{port(), token()}; }

  std::optional<app::demo::scratch_directory> directory;
  std::optional<app::held_port> held;
  std::optional<app::demo::node_process> process;
};

/// The body of an answer that has this status.
inline nlohmann::json body_of(const http_answer& answer, unsigned status) {
  BOOST_REQUIRE_MESSAGE(answer.status == status, "status " << answer.status << ": " << answer.body);
  return answer.body.empty() ? nlohmann::json{} : nlohmann::json::parse(answer.body);
}

} // namespace holdfast::test
