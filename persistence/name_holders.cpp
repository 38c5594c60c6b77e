#include "persistence/name_holders.hpp"

#include "persistence/connection.hpp"

#include <chrono>

namespace holdfast::persistence {

namespace {

constexpr statement see_name_holders{"see_name_holders", R"sql(
  SELECT incarnation, address, expires_at FROM holdfast.nodes
   WHERE name = $1::text AND left_at IS NULL AND expires_at > clock_timestamp())sql"};

} // namespace

core::outcome<std::vector<core::name_holder>> read_name_holders(const std::string& conninfo,
                                                                const std::string& name) {
  auto database = connection::open(conninfo, "holdfast start", {}, std::chrono::seconds{10});
  if (!database)
    return database.error();
  const auto answer = database->run({{&see_name_holders, {name}}});
  if (answer.failed)
    return core::failure{core::errc::unavailable, answer.failure.text()};
  const auto& rows = answer.results.front();
  std::vector<core::name_holder> holders;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    holders.push_back({{rows.get<core::uuid>(row, 0)},
                       rows.get<std::string>(row, 1),
                       rows.get<core::instant>(row, 2)});
  return holders;
}

} // namespace holdfast::persistence
