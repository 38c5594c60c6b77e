#pragma once

#include "examples/bulk_actions/mailer.hpp"
#include "examples/bulk_actions/store.hpp"
#include "examples/bulk_actions/units.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::test {

/// What is in the tables of the example about bulk actions. All but the bookmarks can be compared
/// with those of another run.
struct college_tables {
  std::map<bulk::person_id, bulk::person> people;
  std::map<bulk::staff_id, bulk::staff_member> staff;
  /// Person, from, to, reason, by whom; in order.
  std::vector<std::tuple<bulk::person_id, std::string, std::string, std::string, bulk::staff_id>>
      changes;
  std::set<std::pair<bulk::staff_id, bulk::person_id>> watches;
  std::vector<std::pair<bulk::person_id, std::string>> mails; ///< With the refusal.
  std::map<core::task_id, std::pair<core::token, bulk::bookmark>> bookmarks;
  std::map<core::task_id, std::set<bulk::person_id>> put_off; ///< Those whose mails wait.
  std::map<core::task_id, std::vector<bulk::unit_row>> planned;
  /// By their places in the only step. They are not the application's: no transaction keeps them.
  std::map<std::int64_t, std::pair<core::unit_id, core::unit_state>> units;
};

/// The same tables in memory, with transactions as PostgreSQL has them. Two that want one bookmark
/// cannot both be under way: who took it later has waited until the server ended the session of the
/// other, so that one does not commit.
class memory_college : public bulk::store {
public:
  college_tables tables;
  /// Called wherever something can happen to a worker: before each statement, and around each
  /// commit.
  std::function<void()> at_step;

  bool transact(const bulk::job& whose,
                const std::function<void(bulk::transaction&)>& work) override;

  /// The node that has the units, as one run sees it.
  std::unique_ptr<bulk::unit_port> open_units();
  bool node_away = false; ///< Then it does not answer.

private:
  class open_transaction;
  class units_at_node;

  void step() const {
    if (at_step)
      at_step();
  }
};

/// A mail server.
struct memory_post {
  std::vector<bulk::mail> delivered;
  std::set<std::string> gone;        ///< Addresses that are refused.
  std::map<std::string, int> later;  ///< How often each address is put off.
  std::size_t until_down = SIZE_MAX; ///< Deliveries after which it is.
  std::function<void()> at_step;

  bulk::delivery deliver(const bulk::mail& what);
  std::unique_ptr<bulk::mailer> open();
};

} // namespace holdfast::test
