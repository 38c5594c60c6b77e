#include "persistence/mend.hpp"

#include "persistence/connection.hpp"
#include "persistence/embedded_sql.hpp"
#include "persistence/pqxx_session.hpp"

namespace holdfast::persistence {

core::outcome<std::vector<mended>> mend(const std::string& conninfo) {
  const auto hardened = hardened_conninfo(conninfo, "holdfast verify --repair");
  if (!hardened)
    return hardened.error();
  const std::string folder = "mends/";
  const std::string ending = ".sql";
  try {
    pqxx_session session{*hardened, {}};
    auto& database = *session;
    std::vector<mended> done;
    for (const auto& file : embedded_sql()) {
      if (file.name.rfind(folder, 0) != 0)
        continue;
      pqxx::work tx{database};
      const auto rows = tx.exec(file.text);
      tx.commit();
      done.push_back(
          {file.name.substr(folder.size(), file.name.size() - folder.size() - ending.size()),
           rows[0][0].as<std::uint64_t>()});
    }
    return done;
  } catch (const pqxx::sql_error& e) {
    return core::failure{core::errc::refused_by_store, std::string{"verify --repair: "} + e.what()};
  } catch (const pqxx::failure& e) {
    return core::failure{core::errc::unavailable, std::string{"verify --repair: "} + e.what()};
  }
}

} // namespace holdfast::persistence
