#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"
#include "persistence/wire_format.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;
struct pg_result;

namespace holdfast::persistence {

/// `conninfo` (URI or key=value) with the settings without which libpq does not notice a dead
/// server for up to two hours: keepalives, `tcp_user_timeout`, `connect_timeout`. Refuses what
/// libpq cannot read with `invalid_argument`.
core::outcome<std::string> hardened_conninfo(const std::string& conninfo,
                                             const std::string& application_name);

/// What a failed statement means for its transaction.
enum class failure_kind {
  refused,   ///< The data was refused (constraint, type, token): the same again fails again.
  transient, ///< Rolled back for a reason that passes: deadlock, timeout, disk full.
  lost,      ///< The connection is gone, or of no use any more.
};

/// The kind of an error that the server reported with this SQLSTATE, by `remedy_for`.
failure_kind classify(std::string_view sqlstate);

struct query_failure {
  failure_kind kind = failure_kind::lost;
  std::size_t at = 0;   ///< Index of the call that failed.
  bool sent = false;    ///< False when the failing call can not have reached the server.
  std::string sqlstate; ///< Empty when the server reported nothing.
  std::string message;

  /// For logs: message and SQLSTATE.
  std::string text() const;
};

/// Rows of one statement, in binary.
class query_result {
public:
  query_result() = default;
  explicit query_result(pg_result* result) : result_(result, &clear) {}

  std::size_t rows() const;
  pg_result* raw() const { return result_.get(); }
  bool is_null(std::size_t row, int column) const;

  /// The value of a column that is not null. Views stay valid as long as the result.
  template <class T>
  T get(std::size_t row, int column) const {
    return wire::type<T>::get(bytes(row, column));
  }

private:
  static void clear(pg_result* result);
  std::string_view bytes(std::size_t row, int column) const;

  std::unique_ptr<pg_result, void (*)(pg_result*)> result_{nullptr, &clear};
};

/// An SQL text that is prepared on first use under its name. Both have static storage.
struct statement {
  const char* name;
  const char* sql;
};

/// One statement with its binary parameters.
struct call {
  const statement* what;
  std::vector<std::string> parameters;
};

/// The results of calls that went out together, up to the first failure.
struct pipeline_results {
  std::vector<query_result> results;
  bool failed = false;
  query_failure failure; ///< Set when `failed`.
  std::string warning;   ///< The last one that the server gave; empty for none.
};

/// One connection, without a second life: once lost it stays lost, so that session settings and
/// prepared statements can never silently vanish. Belongs to one thread at a time.
class connection {
public:
  /// Connects, makes the settings of every session (`session.hpp`), then those of `session_sql`
  /// (one simple query, may be empty). Every wait for the server after the connect is bounded by
  /// `call_timeout`.
  static core::outcome<connection> open(const std::string& conninfo,
                                        const std::string& application_name,
                                        const std::string& session_sql,
                                        core::duration call_timeout);

  /// Sends all calls in one pipeline, one round trip, and collects their results. After a failure
  /// the rest was skipped, and an open transaction is rolled back before this returns.
  pipeline_results run(const std::vector<call>& calls);
  /// The same; runs `meanwhile`, which must not throw, once in any case: while the server works if
  /// it gets that far. Waits for the server for `patience` in place of `call_timeout`.
  pipeline_results run(const std::vector<call>& calls, const std::function<void()>& meanwhile,
                       core::duration patience);

  bool lost() const { return lost_; }
  /// Process id of the server's backend for this session.
  int backend_pid() const;

private:
  struct closer {
    void operator()(pg_conn* handle) const;
  };

  explicit connection(pg_conn* handle, core::duration call_timeout)
      : handle_(handle), call_timeout_(call_timeout) {}

  std::string apply(const std::string& sql);
  /// libpq's receiver of notices; `last` is the string for the last warning.
  static void note_warning(void* last, const pg_result* notice);
  query_failure send(const std::vector<call>& calls, std::vector<bool>& prepares);
  bool wait_until(const std::function<bool(bool all_sent)>& enough,
                  std::chrono::steady_clock::time_point deadline, std::string& why);
  bool wait_until_sent(std::chrono::steady_clock::time_point deadline, std::string& why);
  bool wait_for_result(std::chrono::steady_clock::time_point deadline, std::string& why);
  query_failure lose(std::size_t at, const std::string& why, bool sent);
  void roll_back_if_needed();

  std::unique_ptr<pg_conn, closer> handle_;
  std::set<const statement*> prepared_;
  core::duration call_timeout_;
  std::unique_ptr<std::string> warning_ = std::make_unique<std::string>();
  bool lost_ = false;
};

} // namespace holdfast::persistence
