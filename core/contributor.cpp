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
  }
  break_invariant("standing_reason", "every value has a name", __FILE__, __LINE__);
}

} // namespace holdfast::core
