#pragma once

#include <pqxx/pqxx>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace examples {

/// Connections of an application to its own tables, for any number of threads, made when they are
/// needed. What fails throws, and its connection is not used again.
class connection_pool {
public:
  /// `conninfo` is asked whenever one is made: a node's private database is up only then.
  explicit connection_pool(std::function<std::string()> conninfo);

  /// Does `work` with a `Transaction` and commits it.
  template <class Transaction, class Work>
  auto run(Work work) {
    auto connection = take();
    Transaction tx{*connection};
    auto result = work(tx);
    tx.commit();
    give(std::move(connection));
    return result;
  }

private:
  std::unique_ptr<pqxx::connection> take();
  void give(std::unique_ptr<pqxx::connection> connection);

  const std::function<std::string()> conninfo_;
  std::mutex mutex_; ///< Guards `idle_`.
  std::vector<std::unique_ptr<pqxx::connection>> idle_;
};

/// To the database of the node in a data directory, whichever it is at the time.
std::shared_ptr<connection_pool> connections_to_node(const std::string& data_dir);

} // namespace examples
