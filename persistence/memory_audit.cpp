// The part of `memory_store` that is about the audit log.

#include "persistence/memory_store.hpp"

#include <mutex>

namespace holdfast::persistence {

namespace {

bool is_wanted(const core::insert_audit& entry, const audit_filter& filter) {
  return entry.at >= filter.since && (filter.who.empty() || entry.who == filter.who)
         && (filter.operation.empty() || entry.operation == filter.operation)
         && (filter.item.empty() || entry.item == filter.item);
}

} // namespace

core::outcome<listed_audit> memory_store::list_audit(const audit_filter& filter) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& log = database_->tables_.audit_log;
  listed_audit listed;
  auto next = filter.before == 0 ? log.end() : log.lower_bound(filter.before);
  while (next != log.begin() && !listed.more) {
    const auto& [number, entry] = *--next;
    if (!is_wanted(entry, filter))
      continue;
    listed.more = listed.entries.size() == filter.limit;
    if (listed.more)
      break;
    const bool lost = database_->damaged_audit_ && database_->damaged_audit_(number);
    listed.entries.push_back(lost ? unreadable_entry(number, memory::row_is_damaged)
                                  : audit_entry{number, entry});
  }
  return listed;
}

core::outcome<std::uint32_t> memory_store::prune_audit(core::shard_id shard,
                                                       core::incarnation_id incarnation,
                                                       core::instant made_before,
                                                       std::uint32_t rows) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  if (!memory::hosts(t, shard, incarnation))
    return memory::not_the_host;
  std::uint32_t gone = 0;
  for (auto entry = t.audit_log.begin(); entry != t.audit_log.end() && gone < rows;)
    if (entry->second.at < made_before) {
      entry = t.audit_log.erase(entry);
      ++gone;
    } else {
      ++entry;
    }
  return gone;
}

} // namespace holdfast::persistence
