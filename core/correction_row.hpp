#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// The stored form of a correction: what somebody in charge has said about one unit or one of its
/// judgments, and why. core/unit_corrections.hpp decides what it does.
namespace holdfast::core {

/// The numbers are stored.
enum class correction_kind : std::uint8_t {
  reopened = 1,   ///< The finished unit is judged again.
  overridden = 2, ///< Its result is what the requester says.
  tainted = 3,    ///< One of its judgments counts no more.
  reinstated = 4, ///< One of its judgments counts again.
};

/// The names in messages and reports.
std::string_view to_string(correction_kind kind);

/// Corrections of one unit that are kept, which is as many as there may be.
inline constexpr std::size_t corrections_max = 100;
inline constexpr std::size_t correction_reason_bytes_max = 512;
/// Judgments that one reopening may ask for.
inline constexpr std::uint32_t reopen_judgments_max = 100;

struct correction_row {
  correction_id id;         ///< Chosen by the caller; unique within the unit.
  std::uint32_t number = 0; ///< In order, from 1, for each unit.
  step_id step;
  unit_id unit;
  correction_kind kind = correction_kind::reopened;
  judgment_id judgment{};       ///< Nil where it is about the whole unit.
  contributor_id contributor{}; ///< Who gave the judgment; empty likewise.
  std::string by;               ///< The principal; empty: a node's own request.
  std::string reason;           ///< For people; 1 to 512 bytes.
  std::string answer{};         ///< Of an override: the answer of the result.
  instant at;
  std::uint32_t wanted = 0; ///< Judgments that were asked for by it.
  bool took_back = false;   ///< It took back a result, whose consequences are withdrawn.
  bool made_result = false; ///< It made a result. An override that says the same makes none.
  bool is_open = false;     ///< The unit is worked on after it.
};

} // namespace holdfast::core
