#include "documents/truth_checker.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/review.hpp"
#include "documents/answer_matcher.hpp"
#include "documents/answer_text.hpp"
#include "documents/exact_number.hpp"
#include "documents/parse.hpp"
#include "documents/pattern.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

/// A number, or a list of numbers, with each rounded by `round`.
template <class Round>
json rounded(const json& value, Round round) {
  if (value.is_array()) {
    auto all = json::array();
    for (const auto& one : value)
      all.push_back(rounded(one, round));
    return all;
  }
  return round(nearest_in(value));
}

/// The numbers within the tolerance that a schema may have a mind for: the ends, and those with few
/// decimals, as far as there are not too many of them.
std::vector<json> numbers_near(const json& truth) {
  constexpr int decimals_max = 4;
  constexpr double count_max = 2000;
  const auto answer = static_cast<double>(nearest_in(truth.at("answer")));
  const auto tolerance = [&](const char* member) {
    const auto found = truth.find(member);
    return found == truth.end() ? 0.0 : static_cast<double>(nearest_in(*found));
  };
  const double width = std::max(tolerance("within"), tolerance("within_share") * std::abs(answer));
  std::vector<json> numbers{answer - width, answer + width};
  double scale = 1;
  for (int decimals = 0; decimals <= decimals_max; ++decimals, scale *= 10) {
    const auto first = std::ceil((answer - width) * scale);
    const auto last = std::floor((answer + width) * scale);
    if (last - first > count_max || std::abs(first) > 1e15 || std::abs(last) > 1e15)
      break;
    for (auto at = first; at <= last; ++at)
      if (decimals == 0)
        numbers.emplace_back(static_cast<std::int64_t>(at));
      else
        numbers.emplace_back(at / scale);
  }
  return numbers;
}

/// Answers by which it shows whether a truth can be met: if none of these is right and may be
/// given, none is. The truth itself comes first.
std::vector<json> answers_to_try(const json& truth) {
  const auto kind = truth.value("match", "exact");
  std::vector<json> answers{truth.at("answer")};
  if (kind == "set") {
    auto each_once = json::array();
    for (const auto& element : answers.front())
      if (std::find(each_once.begin(), each_once.end(), element) == each_once.end())
        each_once.push_back(element);
    answers.push_back(each_once);
    std::sort(each_once.begin(), each_once.end());
    answers.push_back(each_once);
  } else if (kind == "number") {
    const auto near = numbers_near(truth);
    answers.insert(answers.end(), near.begin(), near.end());
    // A form may send numbers as texts.
    for (std::size_t i = 0, count = answers.size(); i < count; ++i)
      answers.emplace_back(canonical_text(answers[i]));
  } else if (kind == "box") {
    answers.push_back(rounded(
        answers.front(), [](auto side) { return static_cast<std::int64_t>(std::llround(side)); }));
  }
  return answers;
}

/// Whether a pattern can match what answers count as that are no texts.
bool found_in_others(const pattern& searched, const schema& rules, const json_pointer& place) {
  if (rules.allows_type_at(place, json::array()) || rules.allows_type_at(place, json::object()))
    return true;
  return (rules.allows_type_at(place, 0) && searched.can_be_found("0123456789-."))
         || (rules.allows_type_at(place, true) && searched.can_be_found("truefals"))
         || (rules.allows_type_at(place, nullptr) && searched.can_be_found("nul"));
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
  const auto& rules = *compiled_->schema;
  const auto& place = compiled_->answer;
  if (answer == truth->end()) {
    const auto searched = pattern::compile(truth->at("pattern").get_ref<const std::string&>());
    return rules.allows_type_at(place, "") || found_in_others(*searched, rules, place)
               ? core::failure{}
               : nobody(
                   "/pattern matches no value of a type that the step's judgment_schema allows");
  }
  for (const auto& one : answers_to_try(*truth))
    if (!rules.violation_at(place, one) && (*matches)(core::json_quoted(answer_text(one, labels))))
      return {};
  const auto violation = rules.violation_at(place, *answer);
  return nobody((violation ? at_place("/answer" + violation->place, violation->what) : "/answer")
                + " by the step's judgment_schema");
}

} // namespace holdfast::documents
