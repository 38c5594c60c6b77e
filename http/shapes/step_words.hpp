#pragma once

#include "core/change.hpp"
#include "core/contributor.hpp"
#include "core/errors.hpp"
#include "http/fields.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>

/// Words and sentences that several shapes of steps, units and contributors have in common.
namespace holdfast::http {

/// The words that core has for the values of an enumeration.
template <class Value>
word_list words_of_core(std::initializer_list<Value> values) {
  word_list words;
  for (const auto value : values)
    words.push_back({to_string(value), static_cast<std::uint64_t>(value)});
  return words;
}

/// The codes of errors, as problems name them.
inline const word_list& error_words() {
  static const word_list words = [] {
    word_list all;
    for (std::uint64_t number = 0;; ++number) {
      const auto& row = core::describe(static_cast<core::errc>(number));
      if (static_cast<std::uint64_t>(row.code) != number)
        return all;
      all.push_back({row.name, number});
    }
  }();
  return words;
}

inline const word_list& step_status_words() {
  using core::step_status;
  static const auto words = words_of_core(
      {step_status::open, step_status::paused, step_status::completed, step_status::canceled});
  return words;
}

inline const word_list& unit_state_words() {
  using core::unit_state;
  static const auto words =
      words_of_core({unit_state::judgable, unit_state::paused, unit_state::finalized,
                     unit_state::canceled, unit_state::gathered});
  return words;
}

inline const word_list& job_status_words() {
  using core::job_status;
  static const auto words = words_of_core(
      {job_status::launched, job_status::paused, job_status::finished, job_status::canceled});
  return words;
}

inline const word_list& standing_words() {
  using core::contributor_standing;
  static const auto words =
      words_of_core({contributor_standing::working, contributor_standing::removed});
  return words;
}

inline const word_list& standing_reason_words() {
  using core::standing_reason;
  static const auto words =
      words_of_core({standing_reason::quiz_failed, standing_reason::test_questions,
                     standing_reason::requester, standing_reason::forgiven});
  return words;
}

/// Sentences of the reference that several shapes have.
namespace sentence {

inline constexpr std::string_view contributor =
    "The name of the contributor in your own identity system, 1 to 128 bytes of UTF-8.";
inline constexpr std::string_view step = "The step.";
inline constexpr std::string_view step_of_unit = "The step of the unit.";
inline constexpr std::string_view unit = "The unit.";
inline constexpr std::string_view workflow = "The workflow.";
inline constexpr std::string_view token =
    "The fencing token of the lease, as the assignment has it.";
inline constexpr std::string_view ignored_assignment =
    "The assignment. The unit and the token already name the lease, so nothing is done with it.";
inline constexpr std::string_view lease_seconds =
    "Seconds until the lease ends. Somebody else may get the unit from then on.";
inline constexpr std::string_view expires_at =
    "When the lease ends. Go by `lease_seconds` instead where your clock may be wrong.";
inline constexpr std::string_view ui =
    "The page or form to work with, as the newest definition of the step names it; empty where it "
    "names none.";
inline constexpr std::string_view unit_state =
    "Where the unit stands. Only a `Judgable` unit is offered to contributors; a `Gathered` one "
    "waits for a batch or is part of one.";
inline constexpr std::string_view more =
    "Whether there are more. Ask again with `after` of the last one in this answer.";

} // namespace sentence

} // namespace holdfast::http
