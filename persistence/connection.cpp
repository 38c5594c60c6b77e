#include "persistence/connection.hpp"

#include "persistence/session.hpp"
#include "persistence/sql_state.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <utility>

namespace holdfast::persistence {

namespace {

/// Measured: with libpq's defaults a partition goes unnoticed for more than 45 s, with these for
/// 4.1 to 4.4 s. They override what the URL says, because everything above relies on them.
constexpr std::array<std::pair<const char*, const char*>, 7> mandatory{{
    {"keepalives", "1"},
    {"keepalives_idle", "1"},
    {"keepalives_interval", "1"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "4000"},
    {"connect_timeout", "5"},
    {"client_encoding", "UTF8"},
}};

std::string quoted(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return out += '\'';
}

/// libpq ends its messages with a newline and sometimes breaks them in the middle.
std::string one_line(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

query_failure failure_of(const PGresult* result, std::size_t at) {
  query_failure failure;
  failure.at = at;
  failure.sent = true;
  if (const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE))
    failure.sqlstate = state;
  failure.message = one_line(PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY));
  if (failure.message.empty()) // libpq's own: the server always says something
    failure.message = one_line(PQresultErrorMessage(result));
  // Not the detail: it has the row that was refused in it, or its key, which is nobody's business
  // outside the database. The server's log has it.
  failure.kind = classify(failure.sqlstate);
  return failure;
}

constexpr statement rollback{"rollback", "ROLLBACK"};

} // namespace

core::outcome<std::string> hardened_conninfo(const std::string& conninfo,
                                             const std::string& application_name) {
  char* problem = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options{
      PQconninfoParse(conninfo.c_str(), &problem), &PQconninfoFree};
  if (!options) {
    core::failure failure{core::errc::invalid_argument, "database URL: " + one_line(problem)};
    PQfreemem(problem);
    return failure;
  }
  std::string out;
  for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
    const auto overridden = std::any_of(mandatory.begin(), mandatory.end(), [&](const auto& m) {
      return std::strcmp(m.first, option->keyword) == 0;
    });
    if (option->val != nullptr && !overridden
        && std::strcmp(option->keyword, "application_name") != 0)
      out += std::string{option->keyword} + '=' + quoted(option->val) + ' ';
  }
  for (const auto& [keyword, value] : mandatory)
    out += std::string{keyword} + '=' + value + ' ';
  return out + "application_name=" + quoted(application_name);
}

failure_kind classify(std::string_view sqlstate) {
  switch (remedy_for(sqlstate)) {
  case remedy::refuse:
    return failure_kind::refused;
  case remedy::retry:
    return failure_kind::transient;
  case remedy::new_session: // given up here, so that the next call opens one
  case remedy::ended:
    return failure_kind::lost;
  }
  return failure_kind::refused;
}

std::string query_failure::text() const {
  return sqlstate.empty() ? message : message + " [" + sqlstate + ']';
}

void query_result::clear(pg_result* result) { PQclear(result); }

std::size_t query_result::rows() const {
  return result_ ? static_cast<std::size_t>(PQntuples(result_.get())) : 0;
}

bool query_result::is_null(std::size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}

std::string_view query_result::bytes(std::size_t row, int column) const {
  const auto at = static_cast<int>(row);
  return {PQgetvalue(result_.get(), at, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), at, column))};
}

void connection::closer::operator()(pg_conn* handle) const { PQfinish(handle); }

int connection::backend_pid() const { return PQbackendPID(handle_.get()); }

core::outcome<connection> connection::open(const std::string& conninfo,
                                           const std::string& application_name,
                                           const std::string& session_sql,
                                           core::duration call_timeout) {
  const auto hardened = hardened_conninfo(conninfo, application_name);
  if (!hardened)
    return hardened.error();
  connection opened{PQconnectdb(hardened->c_str()), call_timeout};
  auto* handle = opened.handle_.get();
  if (PQstatus(handle) != CONNECTION_OK)
    return core::failure{core::errc::unavailable, one_line(PQerrorMessage(handle))};
  // Notices ("relation exists, skipping") would go to stderr.
  PQsetNoticeReceiver(handle, &connection::note_warning, opened.warning_.get());
  if (PQsetnonblocking(handle, 1) != 0)
    return core::failure{core::errc::unavailable, one_line(PQerrorMessage(handle))};
  if (const auto problem = opened.apply(session_settings(PQserverVersion(handle)));
      !problem.empty())
    return core::failure{core::errc::unavailable, session_settings_problem(problem)};
  if (const auto problem = opened.apply(session_sql); !problem.empty())
    return core::failure{core::errc::unavailable, problem};
  if (PQenterPipelineMode(handle) != 1)
    return core::failure{core::errc::unavailable, one_line(PQerrorMessage(handle))};
  return opened;
}

/// Runs simple statements before there is a pipeline; what is wrong, or nothing. The wait has a
/// bound: a pooler with no session to spare answers nothing.
std::string connection::apply(const std::string& sql) {
  if (sql.empty())
    return {};
  auto* handle = handle_.get();
  if (PQsendQuery(handle, sql.c_str()) != 1)
    return one_line(PQerrorMessage(handle));
  const auto deadline = std::chrono::steady_clock::now() + call_timeout_;
  std::string problem;
  for (;;) {
    if (std::string why; !wait_for_result(deadline, why))
      return why.empty() ? "the connection was lost" : why;
    const query_result result{PQgetResult(handle)};
    if (result.raw() == nullptr)
      return problem.empty() && PQstatus(handle) == CONNECTION_BAD ? "the connection was lost"
                                                                   : problem;
    const auto status = PQresultStatus(result.raw());
    if (problem.empty() && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
      problem = one_line(PQresultErrorMessage(result.raw()));
  }
}

void connection::note_warning(void* last, const pg_result* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity != nullptr && std::strcmp(severity, "WARNING") == 0)
    *static_cast<std::string*>(last) =
        one_line(PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY));
}

query_failure connection::lose(std::size_t at, const std::string& why, bool sent) {
  lost_ = true;
  return {failure_kind::lost, at, sent, {}, why};
}

query_failure connection::send(const std::vector<call>& calls, std::vector<bool>& prepares) {
  auto* handle = handle_.get();
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  std::set<const statement*> preparing;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto& [what, parameters] = calls[i];
    prepares[i] = prepared_.count(what) == 0 && preparing.insert(what).second;
    if (prepares[i] && PQsendPrepare(handle, what->name, what->sql, 0, nullptr) != 1)
      return lose(i, one_line(PQerrorMessage(handle)), false);
    values.clear();
    lengths.clear();
    for (const auto& parameter : parameters) {
      values.push_back(parameter.data());
      lengths.push_back(static_cast<int>(parameter.size()));
    }
    formats.assign(parameters.size(), 1);
    if (PQsendQueryPrepared(handle, what->name, static_cast<int>(parameters.size()), values.data(),
                            lengths.data(), formats.data(), 1)
        != 1)
      return lose(i, one_line(PQerrorMessage(handle)), false);
  }
  if (PQpipelineSync(handle) != 1)
    return lose(calls.size(), one_line(PQerrorMessage(handle)), true);
  return {};
}

bool connection::wait_until(const std::function<bool(bool all_sent)>& enough,
                            std::chrono::steady_clock::time_point deadline, std::string& why) {
  auto* handle = handle_.get();
  for (;;) {
    const auto unsent = PQflush(handle);
    if (unsent < 0)
      break;
    if (enough(unsent == 0))
      return true;
    // Rounded up: whoever counts silences must have waited for all of its patience.
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      why = "the database did not answer within the call timeout";
      return false;
    }
    // Reads while writing: with both directions full, neither side would ever move again.
    pollfd ready{PQsocket(handle), static_cast<short>(unsent == 1 ? POLLIN | POLLOUT : POLLIN), 0};
    if (poll(&ready, 1, static_cast<int>(left.count())) < 0 && errno != EINTR)
      break;
    if ((ready.revents & ~POLLOUT) != 0 && PQconsumeInput(handle) != 1)
      break;
  }
  why = one_line(PQerrorMessage(handle));
  return false;
}

bool connection::wait_until_sent(std::chrono::steady_clock::time_point deadline, std::string& why) {
  return wait_until([](bool all_sent) { return all_sent; }, deadline, why);
}

bool connection::wait_for_result(std::chrono::steady_clock::time_point deadline, std::string& why) {
  return wait_until([this](bool all_sent) { return all_sent && PQisBusy(handle_.get()) == 0; },
                    deadline, why);
}

pipeline_results connection::run(const std::vector<call>& calls) {
  return run(
      calls, [] {}, call_timeout_);
}

pipeline_results connection::run(const std::vector<call>& calls,
                                 const std::function<void()>& meanwhile, core::duration patience) {
  pipeline_results out;
  warning_->clear();
  const auto fail = [&](query_failure failure) {
    if (!out.failed)
      out.failure = std::move(failure);
    out.failed = true;
  };
  if (lost_) {
    fail({failure_kind::lost, 0, false, {}, "the connection was lost before"});
    meanwhile();
    return out;
  }
  std::vector<bool> prepares(calls.size(), false);
  auto problem = send(calls, prepares);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::string not_sent;
  // All of it first: the server begins with a statement when it has the whole of it.
  if (!lost_ && !wait_until_sent(deadline, not_sent))
    problem = lose(0, not_sent, true);
  meanwhile();
  if (lost_) {
    fail(std::move(problem));
    return out;
  }
  auto* handle = handle_.get();
  out.results.reserve(calls.size());
  // Each call yields one result, preceded by one for its preparation, each followed by a null; the
  // sync ends them all.
  std::size_t at = 0;
  bool preparing = !calls.empty() && prepares[0];
  for (;;) {
    std::string why;
    if (!wait_for_result(deadline, why)) {
      fail(lose(at, why, true));
      return out;
    }
    query_result result{PQgetResult(handle)};
    auto* raw = result.raw();
    if (raw == nullptr) {
      // The end of one result, or the end of the connection.
      if (PQstatus(handle) == CONNECTION_BAD) {
        fail(lose(at, one_line(PQerrorMessage(handle)), true));
        return out;
      }
      continue;
    }
    const auto status = PQresultStatus(raw);
    if (status == PGRES_PIPELINE_SYNC)
      break;
    if (status == PGRES_FATAL_ERROR) {
      auto failure = failure_of(raw, at);
      lost_ = lost_ || failure.kind == failure_kind::lost || PQstatus(handle) == CONNECTION_BAD;
      fail(std::move(failure));
      if (lost_)
        return out;
    }
    if (preparing) {
      if (status == PGRES_COMMAND_OK)
        prepared_.insert(calls[at].what);
      preparing = false;
      continue;
    }
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
      out.results.push_back(std::move(result));
    if (++at < calls.size())
      preparing = prepares[at];
  }
  out.warning = *warning_;
  if (out.failed && calls.front().what != &rollback)
    roll_back_if_needed();
  return out;
}

void connection::roll_back_if_needed() {
  const auto status = PQtransactionStatus(handle_.get());
  if (status == PQTRANS_INERROR || status == PQTRANS_INTRANS)
    run({{&rollback, {}}});
}

} // namespace holdfast::persistence
