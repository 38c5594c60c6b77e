#pragma once

#include "persistence/memory_tables.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The means to change the tables of the memory store under the constraints of the schema, and to
/// take all changes back.
namespace holdfast::persistence::memory {

/// Why the database would refuse. Never leaves `apply`.
struct refusal {
  std::string reason;
};

/// What follows throws `refusal`, with the SQLSTATE that PostgreSQL would report.
void require(bool condition, const char* reason);
void require_text(const std::string& text);
void require_bigint(std::uint64_t value);
void require_integer(std::uint32_t value);
void require_instant(core::instant at);
void require_token(core::token token);
/// What the tables of leases check.
void require_lease(const core::lease& lease);

/// Changes rows one by one and can take all of that back.
class undoable {
public:
  void take_back() {
    for (auto action = undo_.rbegin(); action != undo_.rend(); ++action)
      (*action)();
  }

protected:
  void on_take_back(std::function<void()> action) { undo_.push_back(std::move(action)); }

  template <class Map, class Value>
  void insert(Map& map, const typename Map::key_type& key, Value value) {
    require(map.emplace(key, std::move(value)).second, "23505: the key exists already");
    on_take_back([&map, key] { map.erase(key); });
  }

  template <class Set>
  void insert_key(Set& set, const typename Set::value_type& key) {
    require(set.insert(key).second, "23505: the key exists already");
    on_take_back([&set, key] { set.erase(key); });
  }

  template <class Map>
  typename Map::mapped_type& change(Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    require(found != map.end(), "22012: the row does not exist");
    // By key, because the row may be erased and made anew before this is taken back.
    on_take_back([&map, key, before = found->second] { map.at(key) = before; });
    return found->second;
  }

  /// Inserts the row or replaces it.
  template <class Map>
  void put(Map& map, const typename Map::key_type& key, typename Map::mapped_type value) {
    if (map.count(key) == 0)
      insert(map, key, std::move(value));
    else
      change(map, key) = std::move(value);
  }

  template <class Map>
  void erase(Map& map, typename Map::iterator row) {
    on_take_back([&map, before = *row] { map.insert(before); });
    map.erase(row);
  }

  template <class Set>
  void erase_key(Set& set, const typename Set::value_type& key) {
    if (set.erase(key) > 0)
      on_take_back([&set, key] { set.insert(key); });
  }

private:
  std::vector<std::function<void()>> undo_;
};

} // namespace holdfast::persistence::memory
