#pragma once

#include <functional>
#include <string>
#include <utility>

namespace holdfast::persistence {

/// Statements that set whatever our SQL relies on and a role, a database, a URL or an environment
/// may set otherwise: timeouts (none), isolation, formats, search path, planner switches that turn
/// our plans into others. The first statements of every session: `connection::open` and
/// `pqxx_session` run them, and nothing else connects. `server_version` as libpq tells it, for
/// example 150018.
///
/// `synchronous_commit` is not among them: it is the operator's choice, and a node only reports it
/// (`server_settings.hpp`).
std::string session_settings(int version_of_server);

/// The reason why `session_settings` failed, with what to do where that is known.
std::string session_settings_problem(const std::string& server_message);

/// The connection string for the next connection. Read anew each time, because the password in it
/// may have changed since.
class conninfo_source {
public:
  conninfo_source() = default;
  /// Always the same.
  conninfo_source(std::string fixed) : fixed_(std::move(fixed)) {}
  conninfo_source(const char* fixed) : fixed_(fixed) {}
  /// Called for each connection, from any thread.
  conninfo_source(std::function<std::string()> read) : read_(std::move(read)) {}

  std::string operator()() const { return read_ ? read_() : fixed_; }

private:
  std::string fixed_;
  std::function<std::string()> read_;
};

} // namespace holdfast::persistence
