#include "persistence/sql_state.hpp"

#include <algorithm>
#include <array>

namespace holdfast::persistence {

namespace {

struct state_rule {
  std::string_view prefix; ///< Of the SQLSTATE: a class, or one state of it.
  remedy what;
};

/// The longest prefix that fits counts. Names: appendix A of PostgreSQL's manual.
constexpr std::array state_rules{
    // The connection itself; 08P01 also from a proxy that has lost its server.
    state_rule{"08", remedy::ended},
    // 57014 query_canceled: a timeout of ours, or a person. The others of its class come with the
    // end of the session: shutdown, crash, startup, a dropped database, idle_session_timeout.
    state_rule{"57014", remedy::retry}, state_rule{"57P", remedy::ended},
    state_rule{"57", remedy::retry},
    // 25006 read_only_sql_transaction: the session began on a standby, or while the server took no
    // writes; what it takes by default stays as it was when the session began. The others of the
    // class: somebody else's transaction is open on it, as behind a pooler.
    state_rule{"25P03", remedy::ended}, // idle_in_transaction_session_timeout
    state_rule{"25P04", remedy::ended}, // transaction_timeout
    state_rule{"25", remedy::new_session},
    // Prepared statements that are not there, or are there already: DISCARD, or a pooler that has
    // given the session another server.
    state_rule{"26", remedy::new_session}, state_rule{"42P05", remedy::new_session},
    state_rule{"34", remedy::new_session}, // the same of portals
    state_rule{"42P03", remedy::new_session},
    // "cached plan must not change result type": the schema has changed since it was prepared. None
    // of our statements asks for a feature that may be missing.
    state_rule{"0A", remedy::new_session},
    // An object is missing although every statement is ours: the schema is being restored, or is
    // another one by now. Statements that were parsed before the object came back find it by a new
    // session.
    state_rule{"3D", remedy::new_session}, state_rule{"3F", remedy::new_session},
    state_rule{"42P01", remedy::new_session}, // undefined_table
    state_rule{"42P10",
               remedy::new_session}, // no unique index for ON CONFLICT: it is made after the rows
    state_rule{"42703", remedy::new_session}, // undefined_column
    state_rule{"42704", remedy::new_session}, // undefined_object: a type
    state_rule{"42883", remedy::new_session}, // undefined_function
    // Rights, roles and passwords that an operator has yet to give; not what a caller has sent.
    state_rule{"42501", remedy::new_session}, state_rule{"28", remedy::new_session},
    state_rule{"0P", remedy::new_session}, state_rule{"0L", remedy::new_session},
    // Deadlocks and serialization; of 40003 nobody knows whether it was committed.
    state_rule{"40003", remedy::ended}, state_rule{"40", remedy::retry},
    state_rule{"53300", remedy::new_session}, // too_many_connections: this one has not begun
    state_rule{"53", remedy::retry},          // out of disk, memory, or what a setting allows
    state_rule{"55", remedy::retry},          // lock_not_available, object_in_use
    state_rule{"58", remedy::retry},          // an error of the system under the server
    // Of the server itself, also about damaged rows. A commit is tried again, and refused when it
    // fails so three times in a row (`server_failures_max`); a read that fails so twice in a row is
    // answered `damaged` (`read_apart.hpp`).
    state_rule{"XX", remedy::retry},
    // data_corrupted, index_corrupted: what is stored stays damaged until somebody mends it.
    state_rule{"XX001", remedy::refuse}, state_rule{"XX002", remedy::refuse},
    state_rule{"F0", remedy::retry}, // its configuration file is being changed
};

} // namespace

remedy remedy_for(std::string_view sqlstate) {
  if (sqlstate.empty())
    return remedy::ended;
  const state_rule* best = nullptr;
  for (const auto& one : state_rules)
    if (sqlstate.substr(0, one.prefix.size()) == one.prefix
        && (best == nullptr || one.prefix.size() > best->prefix.size()))
      best = &one;
  return best == nullptr ? remedy::refuse : best->what;
}

} // namespace holdfast::persistence
