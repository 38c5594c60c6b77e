#pragma once

#include "core/outcome.hpp"
#include "core/workflow.hpp"
#include "documents/limits.hpp"

#include <string>
#include <string_view>

namespace holdfast::documents {

/// What a requester says that the result of a unit is, as aggregation counts it.
struct given_answer {
  std::string answer;
  std::string correction; ///< JSON; of a review that corrects.
};

/// Reads the answer that is to override a result: the JSON value at the step's answer pointer, and
/// of a review that says `correct`, in `corrected_to`, the answer that there should be. Refused
/// with `payload_invalid` where no judgment of the step could give it: what is no label, no
/// verdict, or against the schema at the place of the answer. The detail names the member and says
/// what is expected.
core::outcome<given_answer> read_given_answer(const core::step_definition& step,
                                              std::string_view answer,
                                              std::string_view corrected_to,
                                              const json_limits& limits);

} // namespace holdfast::documents
