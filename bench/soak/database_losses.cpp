#include "bench/soak/database_losses.hpp"

#include "bench/soak/sql_session.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr auto generation_limit = 60s;
/// From a node's answer until it has been noted here, on a machine that is busy.
constexpr auto answer_travel_max = 1s;
/// For commits to be on their way when the server is lost.
constexpr auto commits_begin = 500ms;

/// Of the database; empty while it does not answer.
std::optional<std::uint64_t> generation_in(const std::string& conninfo) {
  try {
    sql_session session{conninfo};
    return std::stoull(session.rows("SELECT generation FROM holdfast.cluster").at(0).at(0));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// Nodes begin a generation when they have noticed.
bool await_generation(const striking& with, std::uint64_t before) {
  for (const auto until = clock::now() + generation_limit; clock::now() < until;) {
    if (const auto now = generation_in(with.nodes.conninfo()); now && *now > before)
      return true;
    with.rest();
  }
  return false;
}

} // namespace

void lose_commits(const striking& with, database_copy::manner how) {
  auto& struck = with.struck;
  auto& server = with.nodes.server();
  const auto from = clock::now();
  auto& copy = server.make_copy(how);
  copy.cut_off();
  struck.begun = clock::now();
  const auto kept = cluster::stored_in(copy.conninfo());
  const auto generation = generation_in(copy.conninfo());
  with.wait();
  server.replace_by_copy();
  const auto replaced = clock::now();
  if (!generation || !await_generation(with, *generation))
    struck.violation = "no generation began within a minute after commits had been lost";
  with.await_hosts();
  struck.ended = clock::now();
  struck.generation_seconds = std::chrono::duration<double>(struck.ended - replaced).count();
  struck.loss = lost_between(cluster::stored_in(server.start_replaced()), kept);
  struck.loss.from = from;
  struck.loss.until = struck.ended + answer_travel_max;
  struck.bit = !struck.loss.empty();
  server.remove_replaced();
  if (server.has_standby())
    server.restore_standby();
}

void lose_standby(const striking& with) {
  auto& struck = with.struck;
  auto& server = with.nodes.server();
  server.kill_standby();
  for (const auto until = clock::now() + commits_begin; clock::now() < until;)
    with.rest();
  server.crash();
  server.restart();
  // For nodes to find what they had asked to be committed, and to tell nobody.
  for (const auto until = clock::now() + struck.planned.lasts; clock::now() < until;)
    with.rest();
  const auto shown = cluster::stored_in(with.nodes.conninfo());
  server.crash();
  server.start_standby();
  server.fail_over();
  const auto kept = cluster::stored_in(with.nodes.conninfo());
  with.await_hosts();
  struck.ended = clock::now();
  struck.bit = !lost_between(shown, kept).empty();
  server.restore_standby();
}

} // namespace holdfast::soak
