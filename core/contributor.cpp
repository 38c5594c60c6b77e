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

std::string text_of(const step_history::unreadable& row) {
  switch (row.what) {
  case step_history::unreadable::row::standing:
    return "the standing of " + row.contributor
           + " in holdfast.contributor_standings cannot be read: " + row.why;
  case step_history::unreadable::row::flag:
    return "a flag of " + row.contributor
           + " in holdfast.contributor_flags cannot be read: " + row.why;
  case step_history::unreadable::row::question:
    return "the right answer to test question " + to_string(row.unit)
           + " in holdfast.units, or one to it, cannot be read: " + row.why;
  case step_history::unreadable::row::vote:
    return "the answer of " + row.contributor + " to unit " + to_string(row.unit)
           + " in holdfast.judgments cannot be read: " + row.why;
  case step_history::unreadable::row::work:
    return "a lease or judgment of unit " + to_string(row.unit) + " cannot be read: " + row.why;
  }
  break_invariant("unreadable::row", "every value has a text", __FILE__, __LINE__);
}

} // namespace holdfast::core
