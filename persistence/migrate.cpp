#include "persistence/migrate.hpp"

#include "core/invariant.hpp"
#include "persistence/connection.hpp"
#include "persistence/embedded_sql.hpp"
#include "persistence/pqxx_session.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <openssl/sha.h>
#include <string_view>
#include <system_error>

namespace holdfast::persistence {

namespace {

/// Any fixed number will do; this one spells "holdfast" in ASCII.
constexpr std::int64_t migration_lock = 0x686f6c6466617374;

// Asks before it makes the schema: CREATE SCHEMA IF NOT EXISTS wants rights also where it is there.
constexpr const char* bootstrap = R"sql(
DO $$
BEGIN
  IF to_regnamespace('holdfast') IS NULL THEN
    CREATE SCHEMA holdfast;
  END IF;
END $$;
CREATE TABLE IF NOT EXISTS holdfast.migrations (
  version integer PRIMARY KEY,
  name text NOT NULL,
  sha256 text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
-- Not a migration: programs must be able to read it before they know which migrations there are.
-- Looked for first, because ALTER TABLE would wait for every reader of the table.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_attribute
                  WHERE attrelid = 'holdfast.migrations'::regclass AND attname = 'oldest_program')
  THEN
    ALTER TABLE holdfast.migrations ADD COLUMN oldest_program integer;
  END IF;
END $$;
)sql";

constexpr std::string_view works_with = "-- works with programs of migration ";

/// What the first line says; 0 when it says nothing.
std::uint32_t oldest_program_in(const std::string& sql) {
  if (sql.compare(0, works_with.size(), works_with) != 0)
    return 0;
  std::uint32_t number = 0;
  const auto* end = sql.data() + std::min(sql.find('\n'), sql.size());
  const auto read = std::from_chars(sql.data() + works_with.size(), end, number);
  HOLDFAST_INVARIANT(read.ec == std::errc{} && read.ptr == end && number > 0,
                     "the first line of a migration names the number of another, and no more");
  return number;
}

std::string sha256_of(const std::string& text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  std::string hex;
  for (const auto byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 0x0f];
  }
  return hex;
}

struct applied_row {
  std::string name;
  std::string sha256;
  std::uint32_t oldest_program = 0;
};

/// Whether `bootstrap` would change nothing. With a schema that is complete a start needs no right
/// to make anything.
bool is_bootstrapped(pqxx::transaction_base& tx) {
  return tx
      .exec("SELECT EXISTS (SELECT FROM pg_attribute a"
            "   JOIN pg_class c ON c.oid = a.attrelid"
            "   JOIN pg_namespace n ON n.oid = c.relnamespace"
            "  WHERE n.nspname = 'holdfast' AND c.relname = 'migrations'"
            "    AND a.attname = 'oldest_program' AND NOT a.attisdropped)")[0][0]
      .as<bool>();
}

std::map<std::uint32_t, applied_row> read_applied(pqxx::connection& database) {
  pqxx::work tx{database};
  if (!is_bootstrapped(tx))
    tx.exec(bootstrap);
  std::map<std::uint32_t, applied_row> applied;
  // Where nothing is said, a program must know the migration itself.
  for (const auto& row : tx.exec("SELECT version, name, sha256, coalesce(oldest_program, version)"
                                 "  FROM holdfast.migrations"))
    applied[row[0].as<std::uint32_t>()] = {row[1].c_str(), row[2].c_str(),
                                           row[3].as<std::uint32_t>()};
  tx.commit();
  return applied;
}

std::string on_one_line(std::string text) {
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string failed_migration(const migration& m) {
  return "migration " + std::to_string(m.version) + " (" + m.name + ") failed and was rolled back";
}

/// Of a statement that a role may not run.
core::failure no_right(const std::string& what, const pqxx::sql_error& e) {
  return {
      core::errc::refused_by_store,
      what + ": " + on_one_line(e.what())
          + ". The role of database.url may not do that. Run `holdfast migrate` once as the role "
            "that owns the schema, and grant this one what docs/OPERATIONS.md lists"};
}

std::string difference(const std::map<std::uint32_t, applied_row>& applied,
                       const std::vector<migration>& history) {
  for (const auto& [version, row] : applied) {
    const auto number = std::to_string(version);
    if (version > history.size()) {
      if (row.oldest_program <= history.size())
        continue; // made for programs like this one to work on beside newer ones
      return "the database has migration " + number + " (" + row.name
             + "), which works with programs that know migration "
             + std::to_string(row.oldest_program) + " or a later one, and this program knows "
             + std::to_string(history.size()) + ": start a newer program";
    }
    const auto& known = history[version - 1];
    if (known.name != row.name || known.sha256 != row.sha256)
      return "migration " + number + " was applied as \"" + row.name + "\" with sha256 "
             + row.sha256 + " and is now \"" + known.name + "\" with " + known.sha256
             + ": an applied migration must not change";
  }
  return {};
}

/// Names and checksums have nothing in them that must be quoted.
std::string insertion(const migration& m) {
  return "INSERT INTO holdfast.migrations (version, name, sha256, oldest_program) VALUES ("
         + std::to_string(m.version) + ", '" + m.name + "', '" + m.sha256 + "', "
         + std::to_string(m.oldest_program) + ")";
}

} // namespace

migration make_migration(const std::string& file_name, const std::string& sql) {
  migration made;
  const auto underscore = file_name.find('_');
  HOLDFAST_INVARIANT(underscore == 4 && file_name.size() > 9
                         && file_name.substr(file_name.size() - 4) == ".sql",
                     "migrations are named NNNN_name.sql");
  made.version = static_cast<std::uint32_t>(std::stoul(file_name.substr(0, underscore)));
  made.name = file_name.substr(underscore + 1, file_name.size() - underscore - 5);
  made.sql = sql;
  made.sha256 = sha256_of(sql);
  made.oldest_program = oldest_program_in(sql);
  if (made.oldest_program == 0)
    made.oldest_program = made.version;
  HOLDFAST_INVARIANT(made.oldest_program <= made.version,
                     "a migration works with programs that know it");
  return made;
}

std::vector<migration> embedded_migrations() {
  const std::string folder = "migrations/";
  std::vector<migration> history;
  for (const auto& file : embedded_sql())
    if (file.name.rfind(folder, 0) == 0)
      history.push_back(make_migration(file.name.substr(folder.size()), file.text));
  for (std::size_t i = 0; i < history.size(); ++i)
    HOLDFAST_INVARIANT(history[i].version == i + 1, "migrations are numbered without gaps");
  return history;
}

core::outcome<migration_report> migrate(const std::string& conninfo,
                                        const std::vector<migration>& history) {
  const auto hardened = hardened_conninfo(conninfo, "holdfast migrate");
  if (!hardened)
    return hardened.error();
  try {
    // A process that is frozen in a migration lets the others go on after a minute.
    pqxx_session session{*hardened, "SET lock_timeout = '60s';"
                                    "SET idle_in_transaction_session_timeout = '60s'"};
    auto& database = *session;
    {
      pqxx::nontransaction tx{database};
      tx.exec("SELECT pg_advisory_lock(" + std::to_string(migration_lock) + ")");
    }
    const auto applied = read_applied(database);
    if (const auto problem = difference(applied, history); !problem.empty())
      return core::failure{core::errc::wrong_state, problem};
    migration_report report;
    if (!applied.empty())
      report.version = applied.rbegin()->first;
    for (const auto& m : history) {
      report.version = std::max(report.version, m.version);
      if (applied.count(m.version) != 0)
        continue;
      try {
        pqxx::work tx{database};
        tx.exec(m.sql);
        tx.exec(insertion(m));
        tx.commit();
      } catch (const pqxx::insufficient_privilege& e) {
        return no_right(failed_migration(m), e);
      } catch (const pqxx::sql_error& e) {
        return core::failure{core::errc::refused_by_store, failed_migration(m) + ": " + e.what()};
      }
      report.newly_applied.push_back(m.version);
    }
    return report;
  } catch (const pqxx::insufficient_privilege& e) {
    return no_right("the schema cannot be made or read", e);
  } catch (const pqxx::failure& e) {
    return core::failure{core::errc::unavailable, std::string{"migration: "} + e.what()};
  }
}

std::string migration_script(const std::vector<migration>& history) {
  std::string script = "-- Holdfast's schema, versions 1 to " + std::to_string(history.size())
                       + ". Run it with: psql -v ON_ERROR_STOP=1 -f FILE\n" + bootstrap;
  for (const auto& m : history) {
    script += "\n-- " + std::to_string(m.version) + ": " + m.name + "\nBEGIN;\n" + m.sql;
    script += '\n' + insertion(m) + ";\nCOMMIT;\n";
  }
  return script;
}

} // namespace holdfast::persistence
