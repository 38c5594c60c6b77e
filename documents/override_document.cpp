#include "documents/override_document.hpp"

#include "core/invariant.hpp"
#include "core/object_ref.hpp"
#include "core/review.hpp"
#include "documents/answer_text.hpp"
#include "documents/json.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace holdfast::documents {

namespace {

using nlohmann::json;

core::failure refused_answer(const std::string& why) {
  return {core::errc::payload_invalid, "in answer: " + why};
}

std::string words_of(const std::vector<std::string>& labels) {
  constexpr std::size_t named_max = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), named_max); ++i)
    list += (i > 0 ? ", " : "") + labels[i];
  return labels.size() > named_max ? list + ", …" : list;
}

/// Why a result may not be a list of so many items, each of which would become a unit.
std::optional<core::failure> too_long_list(const core::step_definition& step, const json& value) {
  const bool spreads = std::any_of(step.routes.begin(), step.routes.end(),
                                   [](const core::route& r) { return r.for_each; });
  if (!spreads || !value.is_array() || value.size() <= core::fan_out_max)
    return std::nullopt;
  return refused_answer("has " + std::to_string(value.size()) + " items; at most "
                        + std::to_string(core::fan_out_max) + " can go on one by one");
}

/// What the step's schema says against the value at the place of the answer.
std::optional<core::failure> against_schema(const core::step_definition& step, const json& value) {
  if (step.judgment_schema.empty())
    return std::nullopt;
  const auto parsed =
      parse_json(step.judgment_schema, {std::numeric_limits<std::size_t>::max(), 1000});
  HOLDFAST_INVARIANT(parsed, "parse_workflow accepted the schema as JSON");
  std::vector<core::definition_problem> problems;
  const auto rules = schema::compile(*parsed, "", problems);
  HOLDFAST_INVARIANT(rules, "parse_workflow compiled the schema");
  const auto place = json_pointer::parse(step.answer_pointer);
  HOLDFAST_INVARIANT(place, "parse_workflow accepted the answer pointer");
  if (const auto violation = rules->violation_at(*place, value))
    return refused_answer(at_place(violation->place, violation->what)
                          + ", by the step's judgment_schema");
  return std::nullopt;
}

core::outcome<given_answer> given_review(const core::step_definition& step,
                                         const std::string& verdict, std::string_view corrected_to,
                                         const json_limits& limits) {
  const auto names = core::verdict_names();
  if (std::find(names.begin(), names.end(), verdict) == names.end())
    return refused_answer("must be approve, correct or reject");
  if (verdict != core::to_string(core::review_verdict::correct))
    return given_answer{verdict, {}};
  if (corrected_to.empty())
    return core::failure{core::errc::payload_invalid,
                         "corrected_to is missing: say here what the answer should be"};
  const auto wanted = parse_json(corrected_to, limits);
  if (!wanted)
    return core::failure{wanted.error().code, "in corrected_to: " + wanted.error().detail};
  if (auto why = too_long_list(step, *wanted))
    return *std::move(why);
  return given_answer{verdict, canonical_text(*wanted)};
}

} // namespace

core::outcome<given_answer> read_given_answer(const core::step_definition& step,
                                              std::string_view answer,
                                              std::string_view corrected_to,
                                              const json_limits& limits) {
  if (core::begins_like_object_ref(answer))
    return refused_as_reference();
  const auto value = parse_json(answer, limits);
  if (!value)
    return core::failure{value.error().code, "in answer: " + value.error().detail};
  const auto& labels = step.aggregation.labels;
  auto text = answer_text(*value, labels);
  if (step.aggregation.method == core::aggregation_method::review)
    return given_review(step, text, corrected_to, limits);
  if (!corrected_to.empty())
    return core::failure{core::errc::payload_invalid,
                         "corrected_to is for steps that review; leave it out"};
  if (auto why = too_long_list(step, *value))
    return *std::move(why);
  if (!labels.empty()) {
    if (std::find(labels.begin(), labels.end(), text) == labels.end())
      return refused_answer("is none of the answers that the step knows: " + words_of(labels));
    return given_answer{std::move(text), {}};
  }
  if (auto why = against_schema(step, *value))
    return *std::move(why);
  return given_answer{std::move(text), {}};
}

} // namespace holdfast::documents
