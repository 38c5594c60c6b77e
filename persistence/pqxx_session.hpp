#pragma once

#include <pqxx/pqxx>
#include <pqxx/version>
#include <string>

namespace holdfast::persistence {

/// A session of libpqxx for cold work, with `session_settings` and then `own_settings` in force. It
/// does not come back by itself when it breaks: its locks and settings would be gone without a
/// word. Throws what libpqxx throws.
class pqxx_session {
public:
  /// `conninfo` comes from `hardened_conninfo`.
  pqxx_session(const std::string& conninfo, const std::string& own_settings);

  pqxx::connection& operator*() { return database_; }

private:
  pqxx::connection database_;
};

} // namespace holdfast::persistence
