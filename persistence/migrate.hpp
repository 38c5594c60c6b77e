#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::persistence {

/// One step of the schema's history. A file that has been released never changes again: its
/// checksum is kept in every database that it was applied to.
struct migration {
  std::uint32_t version = 0; ///< From the file name, `NNNN_name.sql`; consecutive from 1.
  std::string name;
  std::string sql;
  std::string sha256; ///< Of `sql`, in hexadecimal.
  /// The oldest program that may work on a schema that has this migration, by the last migration
  /// that it knows: N of a first line `-- works with programs of migration N`. Without that line
  /// the migration itself: who does not know it must not work beside it.
  std::uint32_t oldest_program = 0;
};

/// The migrations compiled into this binary, in order of version.
std::vector<migration> embedded_migrations();

/// Builds a migration from a file name and its text. Used by tests to make histories of their own.
/// That the first line of `sql`, where it speaks of programs, does so as above is our own affair.
migration make_migration(const std::string& file_name, const std::string& sql);

struct migration_report {
  std::uint32_t version = 0;                ///< Of the schema now; may be above what is known.
  std::vector<std::uint32_t> newly_applied; ///< By this call.
};

/// Brings the schema up to date; one that is complete is only read, which needs no right to make
/// anything. Any number of nodes may call it at once: a session advisory lock
/// lets one of them work while the others wait. Each migration is one transaction, so a killed node
/// leaves the schema at a version in between, never inside one.
///
/// A database that is newer than `history` is left as it is: nodes of two versions share it during
/// an upgrade (docs/adr/0038), if each of the newer migrations works with programs of `history`.
///
/// Refuses with `wrong_state` when an applied migration differs from `history` (name or checksum)
/// or a newer one wants a newer program; with `refused_by_store` when the SQL fails; with
/// `unavailable` when the database cannot be reached or the lock is not free within a minute.
core::outcome<migration_report> migrate(const std::string& conninfo,
                                        const std::vector<migration>& history);

/// What `migrate` would run on an empty database, as a script for psql: for those who let no
/// program change their schema.
std::string migration_script(const std::vector<migration>& history);

} // namespace holdfast::persistence
