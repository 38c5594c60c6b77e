#include "persistence/session.hpp"

namespace holdfast::persistence {

namespace {

struct pinned_setting {
  const char* name;
  const char* value;
  int since = 0; ///< The first server that knows it.
};

// The effect of another value stands behind each setting. Timeouts come first: a short
// `statement_timeout` also holds for the statements that follow here.
constexpr pinned_setting pinned_settings[]{
    {"statement_timeout", "0"},                   // ends the wait for another node's migration
    {"lock_timeout", "0"},                        // the same
    {"transaction_timeout", "0", 170000},         // ends a long migration
    {"idle_in_transaction_session_timeout", "0"}, // ends `verify` while it reads objects
    {"idle_session_timeout", "0", 140000},        // ends idle lanes, again and again
    // Makes every commit and renewal fail with 40001 now and then.
    {"default_transaction_isolation", "'read committed'"},
    {"default_transaction_read_only", "off"},
    {"default_transaction_deferrable", "off"},
    // `now()` in `public` would be called in place of the server's.
    {"search_path", "pg_catalog, pg_temp"},
    {"row_security", "off"}, // an error where rows would be left out in silence
    {"client_encoding", "'UTF8'"},
    {"client_min_messages", "warning"},
    // How literals are read, and how values are written where they come as text.
    {"standard_conforming_strings", "on"},
    {"array_nulls", "on"},
    {"transform_null_equals", "off"},
    {"TimeZone", "'UTC'"},
    {"DateStyle", "'ISO, MDY'"},
    {"IntervalStyle", "'postgres'"},
    {"bytea_output", "'hex'"},
    {"extra_float_digits", "1"},
    {"check_function_bodies", "on"},
    {"exit_on_error", "off"}, // a refused batch would cost its session
    // A statement that rests on an index must find the index usable.
    {"enable_indexscan", "on"},
    {"enable_indexonlyscan", "on"},
    {"enable_nestloop", "on"},
};

constexpr const char* replication_role = "session_replication_role";

} // namespace

std::string session_settings(int version_of_server) {
  std::string sql;
  for (const auto& setting : pinned_settings)
    if (version_of_server >= setting.since)
      sql += std::string{"SET "} + setting.name + " = " + setting.value + "; ";
  // With another role, triggers and foreign keys do nothing. Not every user may set it, also not to
  // what it is.
  return sql + "SELECT set_config(name, 'origin', false) FROM (VALUES ('" + replication_role
         + "')) AS pinned (name) WHERE current_setting(name) <> 'origin'; ";
}

std::string session_settings_problem(const std::string& server_message) {
  auto problem = "the settings of a session cannot be made: " + server_message;
  if (server_message.find(replication_role) != std::string::npos)
    problem += std::string{". It switches triggers and foreign keys off: take it away with ALTER "
                           "ROLE … RESET "}
               + replication_role + ", or ALTER DATABASE … RESET " + replication_role;
  return problem;
}

} // namespace holdfast::persistence
