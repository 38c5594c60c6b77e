#pragma once

#include "app/configuration.hpp"
#include "app/exit_codes.hpp"
#include "client/connection.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/uuid.hpp"

#include <CLI/App.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// What the commands have in common that ask a running cluster.
namespace holdfast::app {

/// Which cluster, and how long to wait for it.
struct cluster_flags {
  configuration_flags configuration;
  std::string nodes;
  double timeout_seconds = 10;

  void add_to(CLI::App& command);
};

/// Runs `what` with a connection to the cluster; says why if there can be none.
exit_code with_cluster(const cluster_flags& flags,
                       const std::function<exit_code(const client::connection&)>& what);

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

/// Reads `3-17`: an event as `report.outbox` and the lines of `holdfast events` name it.
std::optional<core::message_id> message_named(std::string_view text);

} // namespace holdfast::app
