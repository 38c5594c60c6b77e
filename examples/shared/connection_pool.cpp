#include "examples/shared/connection_pool.hpp"

#include "app/data_dir.hpp"

#include <stdexcept>

namespace examples {

connection_pool::connection_pool(std::function<std::string()> conninfo)
    : conninfo_(std::move(conninfo)) {}

std::unique_ptr<pqxx::connection> connection_pool::take() {
  {
    const std::lock_guard lock{mutex_};
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return std::make_unique<pqxx::connection>(conninfo_());
}

void connection_pool::give(std::unique_ptr<pqxx::connection> connection) {
  const std::lock_guard lock{mutex_};
  idle_.push_back(std::move(connection));
}

std::shared_ptr<connection_pool> connections_to_node(const std::string& data_dir) {
  return std::make_shared<connection_pool>([data_dir] {
    const auto node = holdfast::app::read_node_file(data_dir);
    if (!node)
      throw std::runtime_error{"no node runs in " + data_dir};
    return node->database;
  });
}

} // namespace examples
