#include "documents/judgment_document.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/object_ref.hpp"
#include "core/review.hpp"
#include "documents/answer_text.hpp"
#include "documents/json.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace holdfast::documents {

using nlohmann::json;

struct judgment_checker::compiled {
  json_limits limits;
  std::optional<documents::schema> schema; ///< None: any object.
  json_pointer answer;
  std::string answer_pointer;      ///< As its author wrote it.
  std::vector<std::string> labels; ///< By bytes.
  bool reviews = false;
  json_pointer correction; ///< Of a review.
  std::string correction_pointer;
  bool spreads = false; ///< Each item of a result may become a unit.
};

namespace {

/// The schema comes from the step's own definition, whose size was checked as a part of the whole.
constexpr json_limits definition_limits{std::numeric_limits<std::size_t>::max(), 1000};

std::optional<schema> compile_validated(const std::string& source) {
  if (source.empty())
    return std::nullopt;
  const auto parsed = parse_json(source, definition_limits);
  HOLDFAST_INVARIANT(parsed, "parse_workflow accepted the schema as JSON");
  std::vector<core::definition_problem> problems;
  auto compiled = schema::compile(*parsed, "", problems);
  HOLDFAST_INVARIANT(compiled, "parse_workflow compiled the schema");
  return compiled;
}

json_pointer pointer_validated(const std::string& text) {
  auto pointer = json_pointer::parse(text);
  HOLDFAST_INVARIANT(pointer, "parse_workflow accepted the answer pointer");
  return std::move(*pointer);
}

std::vector<std::string> sorted(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end());
  return labels;
}

/// As many as a person would read.
std::string listed(const std::vector<std::string>& labels) {
  constexpr std::size_t listed_max = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), listed_max); ++i)
    list += (i > 0 ? ", " : "") + labels[i];
  return labels.size() > listed_max ? list + ", …" : list;
}

core::failure invalid(std::string_view pointer, std::string_view what) {
  return {core::errc::payload_invalid, at_place(pointer, what)};
}

/// What is wrong with an answer whose items go on one by one.
std::optional<core::failure> too_many_items(const judgment_checker::compiled& step,
                                            const std::string& place, const json& answer) {
  if (!step.spreads || !answer.is_array() || answer.size() <= core::fan_out_max)
    return std::nullopt;
  return invalid(place, "has " + std::to_string(answer.size()) + " items; at most "
                            + std::to_string(core::fan_out_max) + " can go on one by one");
}

/// The text that a review counts as.
core::outcome<std::string> review_text(const judgment_checker::compiled& step, const json& judgment,
                                       const std::string& verdict) {
  const auto names = core::verdict_names();
  if (std::find(names.begin(), names.end(), verdict) == names.end())
    return invalid(step.answer_pointer, "must be approve, correct or reject");
  if (verdict != core::to_string(core::review_verdict::correct))
    return verdict;
  const auto* correction = step.correction.find(judgment);
  if (correction == nullptr)
    return invalid(step.correction_pointer,
                   "is missing; who corrects says here what the answer should be");
  if (auto why = too_many_items(step, step.correction_pointer, *correction))
    return *std::move(why);
  return core::to_text({core::review_verdict::correct, canonical_text(*correction)});
}

} // namespace

judgment_checker::judgment_checker(const core::step_definition& step, const json_limits& limits)
    : compiled_(std::make_unique<compiled>(compiled{
        limits, compile_validated(step.judgment_schema), pointer_validated(step.answer_pointer),
        step.answer_pointer, sorted(step.aggregation.labels),
        step.aggregation.method == core::aggregation_method::review,
        pointer_validated(step.correction_pointer), step.correction_pointer,
        std::any_of(step.routes.begin(), step.routes.end(),
                    [](const core::route& r) { return r.for_each; })})) {}

judgment_checker::~judgment_checker() = default;

core::outcome<std::string> judgment_checker::answer_of(std::string_view payload) const {
  if (core::begins_like_object_ref(payload))
    return refused_as_reference();
  const auto judgment = parse_json(payload, compiled_->limits);
  if (!judgment)
    return judgment.error();
  if (compiled_->schema) {
    if (const auto violation = compiled_->schema->violation_in(*judgment))
      return invalid(violation->place, violation->what);
  } else if (!judgment->is_object()) {
    return invalid("", "the judgment must be an object");
  }
  const auto* answer = compiled_->answer.find(*judgment);
  if (answer == nullptr)
    return invalid(compiled_->answer_pointer,
                   "is missing; the step counts the value at this place as the answer");
  auto text = answer_text(*answer, compiled_->labels);
  if (compiled_->reviews)
    return review_text(*compiled_, *judgment, text);
  if (auto why = too_many_items(*compiled_, compiled_->answer_pointer, *answer))
    return *std::move(why);
  const auto& labels = compiled_->labels;
  if (!labels.empty() && !std::binary_search(labels.begin(), labels.end(), text))
    return invalid(compiled_->answer_pointer,
                   "is none of the answers that the step knows: " + listed(labels));
  return text;
}

std::string judgment_checker::answer_value_of(std::string_view payload) const {
  const auto judgment = parse_json(payload, compiled_->limits);
  HOLDFAST_INVARIANT(judgment, "answer_of has accepted it");
  const auto* answer = compiled_->answer.find(*judgment);
  HOLDFAST_INVARIANT(answer != nullptr, "answer_of has found it");
  return answer->is_structured() || compiled_->labels.empty()
             ? canonical_text(*answer)
             : core::json_quoted(answer_text(*answer, compiled_->labels));
}

const std::vector<std::string>& judgment_checker::labels() const { return compiled_->labels; }

} // namespace holdfast::documents
