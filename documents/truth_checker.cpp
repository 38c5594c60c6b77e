#include "documents/truth_checker.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/review.hpp"
#include "documents/answer_matcher.hpp"
#include "documents/exact_number.hpp"
#include "documents/judgment_document.hpp"
#include "documents/parse.hpp"
#include "documents/pattern.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::documents {

using nlohmann::json;

struct truth_checker::compiled {
  std::optional<documents::schema> schema; ///< None: any object.
  json_pointer answer;
  std::string answer_pointer;      ///< As its author wrote it.
  std::vector<std::string> labels; ///< Empty: any.
};

namespace {

core::failure nobody(const std::string& why) {
  return {core::errc::payload_invalid, "in truth: " + why + ", so that everybody would be wrong"};
}

std::optional<schema> schema_of(const core::step_definition& step) {
  if (step.judgment_schema.empty())
    return std::nullopt;
  const auto parsed =
      parse_json(step.judgment_schema, {std::numeric_limits<std::size_t>::max(), 1000});
  HOLDFAST_INVARIANT(parsed, "parse_workflow accepted the schema as JSON");
  std::vector<core::definition_problem> problems;
  auto made = schema::compile(*parsed, "", problems);
  HOLDFAST_INVARIANT(made, "parse_workflow compiled the schema");
  return made;
}

json_pointer pointer_of(const core::step_definition& step) {
  auto pointer = json_pointer::parse(step.answer_pointer);
  HOLDFAST_INVARIANT(pointer, "parse_workflow accepted the answer pointer");
  return std::move(*pointer);
}

std::vector<std::string> labels_of(const core::step_definition& step) {
  return step.aggregation.method == core::aggregation_method::review ? core::verdict_names()
                                                                     : step.aggregation.labels;
}

/// Whether only the answer that the truth has is right.
bool allows_no_other(const json& truth) {
  const auto kind = truth.value("match", "exact");
  if (kind == "exact")
    return true;
  const auto is_zero = [&](const char* member) {
    const auto found = truth.find(member);
    return found == truth.end() || decimal_in(*found).is_zero();
  };
  return kind == "number" && is_zero("within") && is_zero("within_share");
}

} // namespace

truth_checker::truth_checker(const core::step_definition& step)
    : compiled_(std::make_unique<compiled>(
        compiled{schema_of(step), pointer_of(step), step.answer_pointer, labels_of(step)})) {}

truth_checker::~truth_checker() = default;

core::failure truth_checker::problem_with(std::string_view text) const {
  const auto& labels = compiled_->labels;
  const auto matches = read_answer_matcher(text, labels);
  if (!matches)
    return {matches.error().code, "in truth: " + matches.error().detail};
  const auto truth = parse_json(text, {});
  HOLDFAST_INVARIANT(truth, "a matcher was read of it");
  const auto answer = truth->find("answer");
  if (answer != truth->end() && !(*matches)(core::json_quoted(answer_text(*answer, labels))))
    return nobody("/answer is wrong by its own measure, as a box without area is");
  if (const auto expression = truth->find("pattern"); expression != truth->end()) {
    const auto searched = pattern::compile(expression->get_ref<const std::string&>());
    HOLDFAST_INVARIANT(searched, "a matcher was read of it");
    if (!searched->can_be_found())
      return nobody("/pattern matches no text");
  }
  if (!labels.empty()) {
    const bool any = std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
      return (*matches)(core::json_quoted(label));
    });
    return any ? core::failure{}
               : nobody("/answer must be one of the step's aggregation.labels: judgments with "
                        "another answer are refused");
  }
  if (!compiled_->schema)
    return {};
  if (const auto values = compiled_->schema->values_at(compiled_->answer)) {
    const bool any =
        std::any_of(values->begin(), values->end(), [&](const auto& v) { return (*matches)(v); });
    return any ? core::failure{}
               : nobody("none of the values that the step's judgment_schema lists for "
                        + compiled_->answer_pointer + " is right");
  }
  if (answer == truth->end() || !allows_no_other(*truth))
    return {};
  if (const auto violation = compiled_->schema->violation_at(compiled_->answer, *answer))
    return nobody(at_place("/answer" + violation->place, violation->what)
                  + " by the step's judgment_schema");
  return {};
}

} // namespace holdfast::documents
