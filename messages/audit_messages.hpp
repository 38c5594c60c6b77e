#pragma once

#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// The audit log: the administrative changes that principals have had made.
namespace holdfast::msg {

/// In front of a request that one node hands to another: the principal who has sent it, for the
/// audit log. Nodes alone may say it.
struct author {
  std::string who; ///< The label of the principal.
};
HOLDFAST_WIRE(author, x.who)

/// Asks for entries of the audit log, the newest first: those that fit all that is asked for.
/// Answered by `audit_page`.
struct list_audit {
  core::instant since;      ///< Entries of this time or later; 0: of any time.
  std::string who;          ///< The label of a principal; empty: of anybody.
  std::string operation;    ///< Such as `pause_queue`; empty: any.
  std::string item;         ///< Such as `queue mail`; empty: any.
  std::uint64_t before = 0; ///< Only entries with lower numbers; 0: from the newest on.
  std::uint32_t limit = 100;
};
HOLDFAST_WIRE(list_audit, x.since, x.who, x.operation, x.item, x.before, x.limit)

struct audit_entry {
  std::uint64_t number = 0; ///< Grows from entry to entry, with gaps.
  core::instant at;
  std::string who;
  std::string operation;
  std::string item;
  std::string outcome; ///< The state of the item since: `paused`.
};
HOLDFAST_WIRE(audit_entry, x.number, x.at, x.who, x.operation, x.item, x.outcome)

struct audit_page {
  std::vector<audit_entry> entries;
  bool more = false; ///< There are others behind the last.
};
HOLDFAST_WIRE(audit_page, x.entries, x.more)

} // namespace holdfast::msg
