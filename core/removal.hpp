#pragma once

#include "core/definition_problem.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Removals of contributors from a step, from a workflow or from everywhere, with an end and a
/// reason. One host decides about those of one contributor; every step follows them.
namespace holdfast::core {

/// How far a removal reaches. The numbers are stored.
enum class removal_scope : std::uint8_t { step = 1, workflow = 2, everywhere = 3 };

/// The names on the wire.
std::string_view to_string(removal_scope scope);

/// Where a removal counts.
struct removal_place {
  removal_scope scope = removal_scope::everywhere;
  uuid id{}; ///< Of the step or the workflow; nil: everywhere.

  friend bool operator==(const removal_place& a, const removal_place& b) {
    return a.scope == b.scope && a.id == b.id;
  }
  friend bool operator<(const removal_place& a, const removal_place& b) {
    return a.scope != b.scope ? a.scope < b.scope : a.id < b.id;
  }
};

removal_place everywhere();
removal_place in_workflow(const workflow_id& workflow);
removal_place in_step(const step_id& step);

/// A removal as it is stored: one for each contributor and place.
struct removal {
  contributor_id contributor;
  removal_place place;
  /// What they have said goes on counting; else it counts no more in units that are not finished,
  /// for as long as the removal lasts.
  bool keeps_judgments = false;
  instant at{};
  std::optional<instant> until{};    ///< Ends then by itself; none: for good.
  std::string reason{};              ///< For requesters and auditors, never for the contributor.
  std::string by{};                  ///< Who said so; empty: not known.
  std::optional<instant> ended_at{}; ///< They were reinstated then.
};

bool operator==(const removal& a, const removal& b);

/// Whether it counts now.
bool is_active(const removal& one, instant now);

/// What is stored after `said`, where `known` was. Whoever is reinstated keeps reason and end of
/// the removal that is over; everything else replaces what was.
removal after(const std::optional<removal>& known, const removal& said);

/// Whether the step is one that the removal is about.
bool is_about(const removal& one, const step_id& step, const workflow_id& workflow);

/// Of two that are active the one that says more: what takes judgments out goes before what keeps
/// them, and of the like the one that lasts longer.
const removal& stronger(const removal& a, const removal& b);

inline constexpr std::size_t removal_reason_bytes_max = 512;
inline constexpr std::size_t removals_per_contributor_max = 1000; ///< Shown in one list.
inline constexpr duration removal_time_max = std::chrono::hours{24 * 3650};

/// Why it may not be said, each with its place; empty when it may.
std::vector<definition_problem> problems_of(const removal& said, instant now);

/// In words for people, e.g. `ana was removed from the workflow until 2026-12-01T00:00:00Z: spam`.
/// Without the reason for the contributor.
std::string text_of(const removal& one);
std::string text_for_contributor(const removal& one);

} // namespace holdfast::core
