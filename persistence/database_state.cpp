#include "persistence/database_state.hpp"

#include "persistence/connection.hpp"
#include "persistence/pqxx_session.hpp"

#include <exception>

namespace holdfast::persistence {

core::outcome<database_state> read_database_state(const std::string& conninfo) {
  const auto hardened = hardened_conninfo(conninfo, "holdfast doctor");
  if (!hardened)
    return hardened.error();
  try {
    pqxx_session session{*hardened, "SET statement_timeout = '10s'"};
    pqxx::nontransaction tx{*session};
    database_state state;
    const auto clock =
        tx.exec("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")[0][0];
    state.now = core::instant{core::duration{clock.as<std::int64_t>()}};
    if (!tx.exec("SELECT to_regclass('holdfast.migrations')")[0][0].is_null())
      state.schema_version =
          tx.exec("SELECT coalesce(max(version), 0) FROM holdfast.migrations")[0][0]
              .as<std::uint32_t>();
    return state;
  } catch (const std::exception& error) {
    return core::failure{core::errc::unavailable, error.what()};
  }
}

} // namespace holdfast::persistence
