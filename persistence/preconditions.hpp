#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::persistence {

/// The oldest server that migrations and statements run on, as libpq tells versions.
constexpr int oldest_server_version = 130000;

/// The facts about a database that a node must know before the node works on the database.
struct database_facts {
  int server_version = 0; ///< As libpq tells it, for example 150018.
  std::string server_version_text;
  std::string database;
  std::string encoding = "UTF8";
  std::string role; ///< The role that has logged in.
  bool standby = false;
  /// Two open sessions were one session of the server: a pooler in transaction mode is between.
  bool sessions_shared = false;

  bool superuser =
      false; ///< Limits of roles and databases, and reserved connections, are not for it.
  std::uint32_t connections_max = 0; ///< `max_connections` of the server.
  std::uint32_t reserved = 0;        ///< Of these, for others than this role.
  std::int32_t role_limit = -1;      ///< `CONNECTION LIMIT` of the role; -1: none.
  std::int32_t database_limit = -1;  ///< That of the database.
  std::uint32_t in_use = 0;          ///< Sessions of all others on the server.
  std::uint32_t in_use_by_role = 0;
  std::uint32_t in_use_in_database = 0;
};

/// Asks the server, over two connections. `unavailable` when it cannot be reached or does not
/// answer. Of a server that is too old only the version is known.
core::outcome<database_facts> read_database_facts(const std::string& conninfo);

struct precondition_report {
  std::vector<std::string> refused; ///< Facts that a node cannot work with; each says what to do.
  std::vector<std::string> warned;  ///< Facts that may become a problem.
};

/// Holds `facts` against what a node needs that opens `connections` of them.
precondition_report check_preconditions(const database_facts& facts, std::uint32_t connections);

} // namespace holdfast::persistence
