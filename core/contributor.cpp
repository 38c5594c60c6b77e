#include "core/contributor.hpp"

#include "core/invariant.hpp"

namespace holdfast::core {

std::string_view to_string(contributor_standing standing) {
  switch (standing) {
  case contributor_standing::working:
    return "Working";
  case contributor_standing::removed:
    return "Removed";
  }
  break_invariant("contributor_standing", "every value has a name", __FILE__, __LINE__);
}

std::string_view to_string(standing_reason reason) {
  switch (reason) {
  case standing_reason::quiz_failed:
    return "QuizFailed";
  case standing_reason::test_questions:
    return "TestQuestions";
  case standing_reason::requester:
    return "Requester";
  case standing_reason::forgiven:
    return "QuestionForgiven";
  }
  break_invariant("standing_reason", "every value has a name", __FILE__, __LINE__);
}

std::string_view to_string(monitor what) {
  switch (what) {
  case monitor::agreement:
    return "agreement";
  case monitor::copying:
    return "copying";
  case monitor::patterns:
    return "patterns";
  case monitor::speed:
    return "speed";
  }
  break_invariant("monitor", "every value has a name", __FILE__, __LINE__);
}

std::optional<monitor> monitor_named(std::string_view name) {
  for (const auto one : all_monitors)
    if (to_string(one) == name)
      return one;
  return std::nullopt;
}

} // namespace holdfast::core
