#pragma once

#include "examples/bulk_actions/store.hpp"
#include "examples/shared/connection_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The application's tables in PostgreSQL: the schema `bulk`, in the database that Holdfast uses
/// too, so that one transaction reaches both.
namespace bulk {

using examples::connection_pool;

class pg_store : public store {
public:
  explicit pg_store(std::shared_ptr<connection_pool> pool) : pool_(std::move(pool)) {}

  bool transact(const job& whose, const std::function<void(transaction&)>& work) override;

private:
  const std::shared_ptr<connection_pool> pool_;
};

void make_schema(connection_pool& pool);

std::optional<staff_member> find_staff(pqxx::transaction_base& tx, staff_id who);
std::int64_t count_people(pqxx::transaction_base& tx, const target& who, const std::string& campus,
                          std::int64_t most);

/// See `transaction::next_units` and `transaction::count_units`.
std::vector<unit_row> next_units(pqxx::transaction_base& tx, const core::step_id& step,
                                 const unit_target& who, std::int64_t after, std::int64_t most);
std::int64_t count_units(pqxx::transaction_base& tx, const core::step_id& step,
                         const unit_target& who, std::int64_t most);

/// See `transaction::next` and `transaction::set_watched`.
std::vector<person> next_people(pqxx::transaction_base& tx, const target& who,
                                const std::string& campus, person_id after, std::size_t most);
void set_watched(pqxx::transaction_base& tx, staff_id watcher, const std::vector<person>& people,
                 bool watched);

// --- for whoever keeps the tables ---

void put_staff(connection_pool& pool, const staff_member& who);
void add_people(connection_pool& pool, const std::vector<person>& people);

} // namespace bulk
