#pragma once

#include "core/object_ref.hpp"
#include "core/outcome.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::persistence {

/// One invariant as a query that returns the rows in which it is broken. Every check holds at any
/// commit, so it may run while nodes work: where an effect follows its cause asynchronously, the
/// check looks only behind the consumer's cursor.
struct check {
  std::string name;      ///< The file's, e.g. `slots_not_exceeded`.
  std::string invariant; ///< Its number, e.g. `I-1`.
  std::string says;      ///< The invariant in one sentence.
  std::string sql;
  /// It returns references to objects instead, and is broken where one cannot be read.
  bool of_objects = false;
};

/// The checks of persistence/verify/*.sql and verify_objects/*.sql, by invariant. A file begins
/// with the comment
/// `-- <invariant>: <sentence>`.
std::vector<check> verify_checks();

struct check_result {
  check what;
  std::uint64_t violations = 0;
  std::vector<std::string> samples; ///< Up to 5 of the rows, as `column=value, ...`.
  core::duration took{};
};

/// What is wrong with the object of this address; `errc::none` when it is there and whole.
using object_probe = std::function<core::failure(const core::object_ref&)>;

/// How the checks are run.
struct verify_options {
  std::string application_name = "holdfast verify";
  /// They end with `unavailable` when they have taken so long; zero: they take what they need. With
  /// a bound they also wait for no lock.
  core::duration time_max{};
};

/// Runs all checks on one snapshot of a live database, writing nothing. Holds no locks that nodes
/// would notice; a database of a million events takes some seconds. Without a `probe` the checks
/// of objects are left out; with one, every object that is referred to is read.
///
/// Refuses with `wrong_state` when the schema is not the one this program knows, fails with
/// `unavailable` when the database cannot be reached and with `refused_by_store` when a check
/// itself fails.
core::outcome<std::vector<check_result>> verify(const std::string& conninfo,
                                                const object_probe& probe = {},
                                                const verify_options& options = {});

} // namespace holdfast::persistence
