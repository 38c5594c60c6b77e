#include "persistence/preconditions.hpp"

#include "persistence/connection.hpp"
#include "persistence/pqxx_session.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace holdfast::persistence {

namespace {

constexpr const char* application = "holdfast preconditions";
constexpr auto answer_timeout = std::chrono::seconds{10};

/// Pairs of sessions that are compared: a busy pooler may serve both well by chance.
constexpr int comparisons = 3;

// Sessions of others and of roles with more rights show their user and database to everybody.
// Processes of the server itself have neither.
constexpr const char* facts_query = R"sql(
  SELECT current_database(), pg_encoding_to_char(d.encoding), session_user, pg_is_in_recovery(),
         r.rolsuper, current_setting('max_connections')::integer,
         current_setting('superuser_reserved_connections')::integer
         + coalesce(current_setting('reserved_connections', true)::integer, 0),
         r.rolconnlimit, d.datconnlimit,
         (SELECT count(*) FROM pg_stat_activity a
           WHERE a.usesysid IS NOT NULL AND a.datid IS NOT NULL AND a.pid <> pg_backend_pid()),
         (SELECT count(*) FROM pg_stat_activity a
           WHERE a.usesysid = r.oid AND a.pid <> pg_backend_pid()),
         (SELECT count(*) FROM pg_stat_activity a
           WHERE a.datid = d.oid AND a.usesysid IS NOT NULL AND a.pid <> pg_backend_pid())
    FROM pg_database d, pg_roles r
   WHERE d.datname = current_database() AND r.rolname = session_user)sql";

constexpr statement probe_begin{"probe_begin", "BEGIN"};
constexpr statement probe_pid{"probe_pid", "SELECT pg_backend_pid()"};
constexpr statement probe_end{"probe_end", "ROLLBACK"};

/// A statement was prepared in a session that the server has given to somebody else, or found
/// prepared by somebody else.
bool lost_its_session(const query_failure& failure) {
  return failure.sqlstate == "26000" || failure.sqlstate == "42P05";
}

/// Whether a pooler gives a session of the server to another client after each transaction. While
/// one of two clients is in a transaction, it alone has its session: the other one then gets what
/// it did not have before, or they got the same one after the other.
core::outcome<bool> share_a_session(connection& idle, connection& busy) {
  const auto verdict_on = [](const query_failure& failure) -> core::outcome<bool> {
    if (lost_its_session(failure))
      return true;
    return core::failure{core::errc::unavailable, failure.text()};
  };
  const auto pid_of = [](const pipeline_results& answer) {
    return answer.results.back().get<std::int32_t>(0, 0);
  };
  const auto before = idle.run({{&probe_pid, {}}});
  if (before.failed)
    return verdict_on(before.failure);
  const auto holding = busy.run({{&probe_begin, {}}, {&probe_pid, {}}});
  if (holding.failed && busy.lost() && !lost_its_session(holding.failure)) {
    // Poolers in statement mode end who begins a transaction. A server that goes down ends both.
    const auto still_there = idle.run({{&probe_pid, {}}});
    if (!still_there.failed || lost_its_session(still_there.failure))
      return true;
  }
  if (holding.failed)
    return verdict_on(holding.failure);
  if (pid_of(holding) == pid_of(before))
    return true; // and there may be no other session to give to the idle one
  const auto after = idle.run({{&probe_pid, {}}});
  if (after.failed)
    return verdict_on(after.failure);
  busy.run({{&probe_end, {}}});
  return pid_of(after) != pid_of(before);
}

core::outcome<bool> find_shared_sessions(const std::string& conninfo) {
  auto one = connection::open(conninfo, application, {}, answer_timeout);
  if (!one)
    return one.error();
  auto other = connection::open(conninfo, application, {}, answer_timeout);
  if (!other)
    return other.error();
  for (int i = 0; i < comparisons; ++i) {
    const auto shared = i % 2 == 0 ? share_a_session(*one, *other) : share_a_session(*other, *one);
    if (!shared || *shared)
      return shared;
  }
  return false;
}

database_facts ask_server(pqxx::connection& database) {
  database_facts facts;
  facts.server_version = database.server_version();
  pqxx::nontransaction tx{database};
  facts.server_version_text = tx.exec("SHOW server_version")[0][0].c_str();
  if (facts.server_version < oldest_server_version)
    return facts;
  const auto row = tx.exec(facts_query)[0];
  facts.database = row[0].c_str();
  facts.encoding = row[1].c_str();
  facts.role = row[2].c_str();
  facts.standby = row[3].as<bool>();
  facts.superuser = row[4].as<bool>();
  facts.connections_max = row[5].as<std::uint32_t>();
  facts.reserved = facts.superuser ? 0 : row[6].as<std::uint32_t>();
  facts.role_limit = row[7].as<std::int32_t>();
  facts.database_limit = row[8].as<std::int32_t>();
  facts.in_use = row[9].as<std::uint32_t>();
  facts.in_use_by_role = row[10].as<std::uint32_t>();
  facts.in_use_in_database = row[11].as<std::uint32_t>();
  return facts;
}

/// One of the bounds on what sessions this role may have.
struct session_bound {
  std::string who;
  std::uint32_t most = 0;
  std::uint32_t in_use = 0;
  std::string remedy;
};

std::vector<session_bound> session_bounds(const database_facts& facts) {
  const auto open_to_role = facts.connections_max - std::min(facts.reserved, facts.connections_max);
  std::vector<session_bound> bounds{{"the server", open_to_role, facts.in_use,
                                     "raise max_connections ("
                                         + std::to_string(facts.connections_max) + ", of which "
                                         + std::to_string(facts.reserved) + " are reserved)"}};
  if (facts.superuser)
    return bounds;
  if (facts.role_limit >= 0)
    bounds.push_back({"the role \"" + facts.role + '"',
                      static_cast<std::uint32_t>(facts.role_limit), facts.in_use_by_role,
                      "raise it with ALTER ROLE … CONNECTION LIMIT"});
  if (facts.database_limit >= 0)
    bounds.push_back({"the database \"" + facts.database + '"',
                      static_cast<std::uint32_t>(facts.database_limit), facts.in_use_in_database,
                      "raise it with ALTER DATABASE … CONNECTION LIMIT"});
  return bounds;
}

/// Whether one more session could be opened beside the two that are compared.
bool has_room_to_compare(const database_facts& facts) {
  const auto bounds = session_bounds(facts);
  return std::all_of(bounds.begin(), bounds.end(),
                     [](const session_bound& bound) { return bound.most >= bound.in_use + 3; });
}

} // namespace

core::outcome<database_facts> read_database_facts(const std::string& conninfo) {
  const auto hardened = hardened_conninfo(conninfo, application);
  if (!hardened)
    return hardened.error();
  std::optional<database_facts> facts;
  try {
    pqxx_session session{*hardened, "SET statement_timeout = '10s'"};
    facts = ask_server(*session);
  } catch (const std::exception& e) {
    return core::failure{core::errc::unavailable, e.what()};
  }
  if (facts->server_version < oldest_server_version)
    return *facts;
  const auto shared = find_shared_sessions(conninfo);
  // That there are too few sessions is the better reason.
  if (!shared && !has_room_to_compare(*facts))
    return *facts;
  if (!shared)
    return shared.error();
  facts->sessions_shared = *shared;
  return *facts;
}

precondition_report check_preconditions(const database_facts& facts, std::uint32_t connections) {
  precondition_report report;
  if (facts.server_version < oldest_server_version) {
    report.refused.push_back(
        "the database server is PostgreSQL " + facts.server_version_text + ", and Holdfast needs "
        + std::to_string(oldest_server_version / 10000) + " or later: upgrade the server");
    return report; // nothing else is known
  }
  if (facts.sessions_shared)
    report.refused.emplace_back(
        "a connection pooler in transaction mode (or statement mode) is between this node and the "
        "database server, and a node relies on settings, prepared statements and locks of its "
        "sessions: name the server "
        "itself in database.url, or a pool in session mode");
  if (facts.standby)
    report.refused.emplace_back(
        "the database server is a standby and takes no writes: name the primary in database.url, "
        "or all servers with target_session_attrs=read-write");
  if (facts.encoding != "UTF8")
    report.refused.push_back("the database \"" + facts.database + "\" has the encoding "
                             + facts.encoding
                             + ", and Holdfast needs UTF8: make another one with CREATE DATABASE … "
                               "ENCODING 'UTF8' TEMPLATE template0");
  for (const auto& bound : session_bounds(facts)) {
    const auto need = "a node with these options opens up to " + std::to_string(connections)
                      + " connections to the database, and " + bound.who + " allows "
                      + std::to_string(bound.most);
    if (bound.most < connections)
      report.refused.push_back(need + ": " + bound.remedy
                               + ", or lower reader.lanes and writer.lanes");
    else if (bound.most < connections + bound.in_use)
      report.warned.push_back(need + ", of which " + std::to_string(bound.in_use)
                              + " are in use by others: " + bound.remedy
                              + ", or close connections of others");
  }
  return report;
}

} // namespace holdfast::persistence
