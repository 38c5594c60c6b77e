#pragma once

#include <pqxx/pqxx>
#include <pqxx/version>

#include <string>

namespace examples {

/// Executes `sql` in `tx` with `arguments` as its parameters $1, $2 and so on.
///
/// No call of libpqxx for this compiles without a warning in both of its versions that we support:
/// `exec` with `pqxx::params` is missing in libpqxx 6.4 (Debian 12), and the member `exec_params`
/// is deprecated in libpqxx 7.10 (Debian 13). The tests use this function too.
template <class... Arguments>
pqxx::result exec_params(pqxx::transaction_base& tx, const std::string& sql,
                         const Arguments&... arguments) {
#if PQXX_VERSION_MAJOR * 100 + PQXX_VERSION_MINOR >= 710
  return tx.exec(sql, pqxx::params{arguments...});
#else
  return tx.exec_params(sql, arguments...);
#endif
}

} // namespace examples
