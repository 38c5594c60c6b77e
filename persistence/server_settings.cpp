#include "persistence/server_settings.hpp"

#include "persistence/connection.hpp"
#include "persistence/pqxx_session.hpp"

#include <functional>

namespace holdfast::persistence {

namespace {

constexpr int naptime_max = 10; // seconds: half a million dead rows at 50,000 tasks a second

struct rule {
  const char* name;
  std::function<bool(const std::string& value, const server_settings& all)> broken;
  const char* detail;
  bool only_under_load = false;
};

bool is_off(const std::string& value, const server_settings& /*all*/) { return value == "off"; }

const std::vector<rule>& rules() {
  static const std::vector<rule> all{
      {"fsync", is_off,
       "a crash of the machine may destroy the database: set it to on, unless everything may be "
       "lost"},
      {"full_page_writes", is_off,
       "a crash of the machine may destroy pages: set it to on, unless the file system never "
       "writes a page in part"},
      {"synchronous_commit", is_off,
       "a crash of the server loses what was answered with success just before: set it to on for "
       "this user and database"},
      {"synchronous_commit",
       [](const auto& value, const auto& settings) {
         const auto standbys = settings.find("synchronous_standby_names");
         return value == "local" && standbys != settings.end() && !standbys->second.empty();
       },
       "nobody waits for the standby, and a failover loses what it did not have yet: set it to on "
       "for this user and database"},
      {"autovacuum", is_off,
       "tables of live work grow without end: set it to on, or vacuum the tables of the schema "
       "holdfast yourself"},
      {"track_counts", is_off, "without counts autovacuum does nothing: set it to on"},
      {"autovacuum_naptime",
       [](const auto& value, const auto& /*settings*/) { return std::stoi(value) > naptime_max; },
       "at thousands of tasks a second the tables of live work grow by what ends meanwhile: set it "
       "to 2s",
       true},
  };
  return all;
}

} // namespace

core::outcome<server_settings> read_server_settings(const std::string& conninfo) {
  const auto hardened = hardened_conninfo(conninfo, "holdfast settings");
  if (!hardened)
    return hardened.error();
  try {
    pqxx_session session{*hardened, {}};
    pqxx::work tx{*session};
    server_settings settings;
    for (const auto& row : tx.exec("SELECT name, setting FROM pg_settings"))
      settings[row[0].c_str()] = row[1].c_str();
    tx.commit();
    return settings;
  } catch (const std::exception& e) {
    return core::failure{core::errc::unavailable, e.what()};
  }
}

std::vector<setting_problem> problems_in(const server_settings& settings) {
  std::vector<setting_problem> problems;
  for (const auto& rule : rules())
    if (const auto found = settings.find(rule.name);
        found != settings.end() && rule.broken(found->second, settings))
      problems.push_back({found->first, found->second, rule.detail, rule.only_under_load});
  return problems;
}

} // namespace holdfast::persistence
