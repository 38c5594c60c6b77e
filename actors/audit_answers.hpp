#pragma once

#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "core/outcome.hpp"
#include "messages/audit_messages.hpp"
#include "persistence/store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

/// The request for the audit log, which the database answers: its check, and its answer, which a
/// reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t audit_page_max = 1000;
inline constexpr std::size_t audit_filter_bytes_max = 1024; ///< Of one text that is looked for.

inline core::failure check_wanted(const std::string& text, const char* field) {
  return text.empty() ? core::failure{}
                      : documents::check_text(text, field, audit_filter_bytes_max);
}

inline core::failure check(const msg::list_audit& m) {
  return first_of(
      {m.since >= core::instant{} ? core::failure{} : invalid("since must not be before 1970"),
       check_wanted(m.who, "who"), check_wanted(m.operation, "operation"),
       check_wanted(m.item, "item"), check_limit(m.limit, audit_page_max)});
}

inline core::outcome<msg::audit_page> answer(const node_settings&, persistence::store& db,
                                             const msg::list_audit& m) {
  auto listed = db.list_audit({m.since, m.who, m.operation, m.item, m.before, m.limit});
  if (!listed)
    return listed.error();
  msg::audit_page page;
  page.more = listed->more;
  for (auto& [number, made] : listed->entries)
    page.entries.push_back({number, made.at, std::move(made.who), std::move(made.operation),
                            std::move(made.item), std::move(made.outcome)});
  return page;
}

} // namespace holdfast::actors
