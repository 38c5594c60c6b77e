#include "bench/soak/sql_session.hpp"

#include <libpq-fe.h>

#include <memory>
#include <stdexcept>

namespace holdfast::soak {

sql_session::sql_session(const std::string& conninfo)
    : connection_(PQconnectdb((conninfo + " connect_timeout=5").c_str())) {
  if (PQstatus(connection_) != CONNECTION_OK) {
    const std::string why = PQerrorMessage(connection_);
    PQfinish(connection_);
    throw std::runtime_error{"the server is away: " + why};
  }
}

sql_session::~sql_session() { PQfinish(connection_); }

std::vector<std::vector<std::string>> sql_session::rows(const std::string& query) {
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result{PQexec(connection_, query.c_str()),
                                                              &PQclear};
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error{PQerrorMessage(connection_)};
  std::vector<std::vector<std::string>> found;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    auto& columns = found.emplace_back();
    for (int column = 0; column < PQnfields(result.get()); ++column)
      columns.emplace_back(PQgetvalue(result.get(), row, column));
  }
  return found;
}

} // namespace holdfast::soak
