#include "persistence/pqxx_session.hpp"

#include "persistence/session.hpp"

namespace holdfast::persistence {

namespace {

/// Leaves the details out of errors, because they are of rows, and keeps a lost connection lost.
/// Debian 12 has libpqxx 6; libpqxx 7, which Debian 13 has, never connects again by itself.
void set_up(pqxx::connection& database) {
#if PQXX_VERSION_MAJOR >= 7
  database.set_verbosity(pqxx::error_verbosity::terse);
#else
  database.set_verbosity(pqxx::connection_base::terse);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  database.inhibit_reactivation(true); // deprecated for the sake of 7, and needed in 6
#pragma GCC diagnostic pop
#endif
}

} // namespace

pqxx_session::pqxx_session(const std::string& conninfo, const std::string& own_settings)
    : database_(conninfo) {
  set_up(database_);
  pqxx::nontransaction settings{database_};
  try {
    settings.exec(session_settings(database_.server_version()));
  } catch (const pqxx::sql_error& e) {
    throw pqxx::failure{session_settings_problem(e.what())};
  }
  if (!own_settings.empty())
    settings.exec(own_settings);
}

} // namespace holdfast::persistence
