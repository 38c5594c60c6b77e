#pragma once

#include "app/exit_codes.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "messages/interfaces.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace holdfast::app {

/// What all commands take that repair.
struct repair_flags {
  std::string id;
  bool dry_run = false;

  void add_to(CLI::App& command);
};

/// Asks again and again until the repair is done, and prints what it has found: that takes as long
/// as there are units, and whoever does not wait for it ends the command, which does not end the
/// repair.
exit_code
see_through(const repair_flags& flags, bool json,
            const std::function<core::outcome<msg::repair_progress>(const core::repair_id&)>& ask);

} // namespace holdfast::app
