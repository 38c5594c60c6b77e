#pragma once

#include "app/configuration.hpp"
#include "app/exit_codes.hpp"
#include "client/connection.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/uuid.hpp"

#include <CLI/App.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the commands have in common that ask a running cluster.
namespace holdfast::app {

/// Which cluster, and how long to wait for it.
struct cluster_flags {
  configuration_flags configuration;
  std::string nodes;
  double timeout_seconds = 10;
  std::string watch; ///< The seconds of `--watch`; empty: once.
  const CLI::Option* timeout = nullptr;

  void add_to(CLI::App& command);
  /// `--watch`, for what is worth looking at again and again.
  void add_watch_to(CLI::App& command);

  /// How long a command waits for the first node: as long as it was told to; else so briefly that
  /// a wrong address is told at once.
  std::chrono::milliseconds patience() const;
};

/// The option `--watch` for a command that `cluster_flags` are not for.
void add_watch_option(CLI::App& command, std::string& seconds);

/// Waits so long, then empties the screen if there is one.
void watch_pause(const std::string& seconds);

/// Runs `what` with a connection to the cluster; says why if there can be none. With `--watch`
/// again and again, until it fails: on a terminal each time on an empty screen.
exit_code with_cluster(const cluster_flags& flags,
                       const std::function<exit_code(client::connection&)>& what);

/// Says why on stderr, and returns `how`.
exit_code refuse(const core::failure& why, exit_code how);

/// The same of what a node answered: it was not reached, or it refused.
exit_code refused_by_node(const core::failure& why);

/// The id in `text`, which the command calls `word`; says why if there is none.
template <class Id>
std::optional<Id> id_in(const std::string& text, std::string_view word) {
  if (const auto id = core::parse_uuid(text))
    return Id{*id};
  refuse({core::errc::invalid_argument, std::string{word} + " must be an id, and not " + text},
         exit_code::usage);
  return std::nullopt;
}

/// Lists at most `most` ids after another one.
template <class Id>
using ids_after =
    std::function<core::outcome<std::vector<Id>>(const Id& after, std::uint32_t most)>;

/// The ids from which those that begin with `text` go on: the last one before them all. None if
/// `text` is not how an id begins, or is shorter than six digits.
std::optional<core::uuid> before_prefix(std::string_view text);

/// `not_found`, or `invalid_argument` with the candidates, unless there is exactly one.
core::outcome<core::uuid> only_one(const std::string& text, std::string_view word,
                                   const std::vector<core::uuid>& following);

/// The id that `text` is or begins, at least with six digits: `list` gives the first ids after
/// another in their order.
template <class Id>
core::outcome<Id> find_id(const std::string& text, std::string_view word,
                          const ids_after<Id>& list) {
  if (const auto id = core::parse_uuid(text))
    return Id{*id};
  const auto before = before_prefix(text);
  if (!before)
    return core::failure{core::errc::invalid_argument,
                         std::string{word} + " must be an id, or the first six or more digits of "
                             + "one, and not " + text};
  constexpr std::uint32_t candidates = 5;
  const auto found = list(Id{*before}, candidates);
  if (!found)
    return found.error();
  std::vector<core::uuid> ids;
  for (const auto& id : *found)
    ids.push_back(id.value);
  const auto one = only_one(text, word, ids);
  if (!one)
    return one.error();
  return Id{*one};
}

/// The same of a task.
core::outcome<core::task_id> find_task(const client::connection& cluster, const std::string& text,
                                       std::string_view word);

/// Says on stderr why an id was not found, and how the command ends.
exit_code refuse_id(const core::failure& why);

/// Reads `3-17`: an event as `report.outbox` and the lines of `holdfast events` name it.
std::optional<core::message_id> message_named(std::string_view text);

} // namespace holdfast::app
