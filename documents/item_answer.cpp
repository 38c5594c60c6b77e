#include "documents/item_answer.hpp"

#include "core/json_text.hpp"
#include "core/object_ref.hpp"
#include "documents/answer_text.hpp"
#include "documents/json_slices.hpp"
#include "documents/parse.hpp"

#include <limits>

namespace holdfast::documents {

namespace {

const nlohmann::json* step_named(const nlohmann::json& definition, std::string_view key) {
  const auto steps = definition.find("steps");
  if (steps == definition.end() || !steps->is_array())
    return nullptr;
  for (const auto& step : *steps)
    if (const auto name = step.find("key"); name != step.end() && *name == std::string{key})
      return &step;
  return nullptr;
}

const nlohmann::json* member_of(const nlohmann::json* object, const char* name) {
  if (object == nullptr || !object->is_object())
    return nullptr;
  const auto found = object->find(name);
  return found == object->end() ? nullptr : &*found;
}

/// The value that has this text as an answer and is no string; none where there is no such one.
std::optional<nlohmann::json> other_value(std::string_view text) {
  // Most answers are words, and no word of JSON.
  constexpr std::string_view begins = "[{-0123456789tfn";
  if (text.empty() || begins.find(text.front()) == std::string_view::npos)
    return std::nullopt;
  auto value = parse_json(text, {std::numeric_limits<std::size_t>::max(), 1000});
  if (!value || value->is_string() || canonical_text(*value) != text)
    return std::nullopt;
  return std::move(*value);
}

} // namespace

answer_types::answer_types(const nlohmann::json& definition, std::string_view key) {
  const auto* step = step_named(definition, key);
  const auto* aggregation = member_of(step, "aggregation");
  if (const auto* labels = member_of(aggregation, "labels");
      labels != nullptr && labels->is_array())
    for (const auto& label : *labels)
      labels_.emplace(answer_text(label), label.is_string()
                                              ? core::json_quoted(label.get<std::string>())
                                              : canonical_text(label));
  const auto* pointer = member_of(aggregation, "answer");
  answer_ = json_pointer::parse(
      pointer != nullptr && pointer->is_string() ? pointer->get<std::string>() : "/answer");
  if (const auto* source = member_of(step, "judgment_schema")) {
    std::vector<core::definition_problem> problems;
    judgment_ = schema::compile(*source, "", problems);
  }
}

std::string answer_types::value_of(std::string_view text) const {
  const auto quoted = [&] { return core::json_quoted(text); };
  if (const auto label = labels_.find(text); label != labels_.end())
    return label->second;
  const auto other = other_value(text);
  if (!other)
    return quoted();
  const bool is_list_or_object = other->is_structured();
  if (!judgment_ || !answer_)
    return is_list_or_object ? std::string{text} : quoted();
  const nlohmann::json as_string = std::string{text};
  const auto may_be = [&](const nlohmann::json& value) {
    return judgment_->allows_type_at(*answer_, value)
           && !judgment_->violation_at(*answer_, value).has_value();
  };
  const bool other_may = may_be(*other);
  if (other_may != may_be(as_string))
    return other_may ? std::string{text} : quoted();
  return is_list_or_object ? std::string{text} : quoted();
}

item_answer answer_in(std::string_view result, const answer_types& types) {
  item_answer found;
  if (const auto answer = member_text(result, "answer"))
    found.value = answer->front() == '"' ? types.value_of(unquoted(*answer)) : std::string{*answer};
  found.votes = std::string{member_text(result, "votes").value_or("")};
  found.fields = std::string{member_text(result, "fields").value_or("")};
  return found;
}

std::vector<std::string> items_in(std::string_view value) {
  std::vector<std::string> items;
  if (value.empty() || value.front() != '[') {
    items.emplace_back(value);
    return items;
  }
  for (const auto item : elements_of(value))
    items.emplace_back(item);
  return items;
}

std::string verdict_in(std::string_view result) {
  if (result.empty()) // of a unit that was canceled before it had one
    return {};
  const auto answer = member_text(result, "answer");
  return answer && answer->front() == '"' ? unquoted(*answer) : std::string{};
}

std::string correction_in(std::string_view result) {
  if (result.empty())
    return {};
  return std::string{member_text(result, "correction").value_or("")};
}

std::string result_shown_in(std::string_view input) {
  if (core::begins_like_object_ref(input) || input.empty())
    return {};
  return std::string{member_text(input, "result").value_or("")};
}

} // namespace holdfast::documents
