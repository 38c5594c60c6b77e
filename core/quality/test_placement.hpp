#pragma once

#include "core/quality/trust.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// When a contributor gets a test question, and which. All of it follows from a seed of the step
/// and the contributor's name, so a restart changes nothing, and nobody can tell a test question by
/// its place.
namespace holdfast::core::quality {

struct test_policy {
  std::uint32_t quiz = 0;   ///< The first so many assignments are test questions; 0: no quiz.
  double quiz_pass = 0.70;  ///< Share of the quiz that must be right.
  std::uint32_t every = 10; ///< After it, one among every so many; 0: none.
};

/// Whose assignments these are, and under which seed.
struct test_subject {
  std::uint64_t step_seed = 0;
  std::string_view contributor;
};

/// Whether the contributor's assignment `number`, counted from 0, is a test question.
bool is_test_due(const test_policy& policy, const test_subject& who, std::uint64_t number);

/// Which question they get: one of `questions` that is not in `answered`, in an order of their own.
/// None when they have answered all; they get an ordinary unit then. Questions may be added at any
/// time.
std::optional<std::uint64_t> next_test_question(const test_subject& who,
                                                const std::vector<std::uint64_t>& questions,
                                                const std::vector<std::uint64_t>& answered);

enum class quiz_state {
  under_way,
  passed,
  failed, ///< Ends the contributor's work on the step; known as soon as it cannot be passed.
};

quiz_state quiz_state_of(const test_policy& policy, const test_record& quiz);

} // namespace holdfast::core::quality
