#pragma once

#include "core/outcome.hpp"

#include <map>
#include <string>
#include <vector>

namespace holdfast::persistence {

/// A setting of the database server that is at odds with what Holdfast promises.
struct setting_problem {
  std::string name;
  std::string value;
  std::string detail; ///< What it leads to, and what to set instead.
  bool only_under_load = false;
};

/// Settings by name, as `pg_settings` has them (`autovacuum_naptime` in seconds).
using server_settings = std::map<std::string, std::string>;

/// The settings that `problems_in` looks at, as they are for sessions of this user in this
/// database. `unavailable` when it cannot be reached.
core::outcome<server_settings> read_server_settings(const std::string& conninfo);

/// Those that let a crash take what was acknowledged (I-12), or tables grow for want of a vacuum
/// (docs/adr/0075). What is not among `settings` is no problem.
std::vector<setting_problem> problems_in(const server_settings& settings);

} // namespace holdfast::persistence
