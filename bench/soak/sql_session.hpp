#pragma once

#include <string>
#include <vector>

struct pg_conn;

namespace holdfast::soak {

/// A connection of the harness itself. Throws `std::runtime_error` when the server is away.
class sql_session {
public:
  explicit sql_session(const std::string& conninfo);
  ~sql_session();
  sql_session(const sql_session&) = delete;
  sql_session& operator=(const sql_session&) = delete;

  /// Rows of text.
  std::vector<std::vector<std::string>> rows(const std::string& query);
  void run(const std::string& statement) { rows(statement); }

private:
  pg_conn* connection_;
};

} // namespace holdfast::soak
