#include "documents/workflow_difference.hpp"

#include "core/invariant.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace holdfast::documents {

using nlohmann::json;

namespace {

constexpr const char* steps_member = "steps";

json definition_of(const std::string& text) {
  auto parsed = parse_json(text, {std::numeric_limits<std::size_t>::max(), 1000});
  HOLDFAST_INVARIANT(parsed, "definitions are compared after they were found to be valid");
  return std::move(*parsed);
}

std::string text_of(const json* value) {
  return value == nullptr ? std::string{} : canonical_text(*value);
}

std::string below(std::string place, std::string_view token) {
  append_token(place, token);
  return place;
}

/// Either may be null: not there.
void compare(const std::string& place, const json* before, const json* after,
             std::vector<definition_difference>& into);

/// The members of two objects.
void compare_members(const std::string& place, const json& before, const json& after,
                     std::vector<definition_difference>& into) {
  const auto member = [](const json& of, const std::string& name) {
    const auto found = of.find(name);
    return found == of.end() ? nullptr : &*found;
  };
  for (const auto& [name, value] : before.items())
    compare(below(place, name), &value, member(after, name), into);
  for (const auto& [name, value] : after.items())
    if (member(before, name) == nullptr)
      compare(below(place, name), nullptr, &value, into);
}

// A call for each level of nesting: no deeper than `json_limits` let the definitions be.
void compare(const std::string& place, const json* before, const json* after,
             std::vector<definition_difference>& into) {
  if (before != nullptr && after != nullptr) {
    if (*before == *after)
      return;
    if (before->is_object() && after->is_object()) {
      compare_members(place, *before, *after, into);
      return;
    }
  }
  into.push_back({place, text_of(before), text_of(after)});
}

/// The steps, each as the member that its key names.
json by_key(const json& steps) {
  auto all = json::object();
  for (const auto& step : steps)
    all[step.at("key").get<std::string>()] = step;
  return all;
}

/// Of the steps, in their order.
json keys_of(const json& steps) {
  auto keys = json::array();
  for (const auto& step : steps)
    keys.push_back(step.at("key"));
  return keys;
}

/// Those of `keys` that are members of `others`.
json common(const json& keys, const json& others) {
  auto both = json::array();
  for (const auto& key : keys)
    if (others.contains(key.get<std::string>()))
      both.push_back(key);
  return both;
}

} // namespace

std::vector<definition_difference> differences_between(const std::string& before,
                                                       const std::string& after) {
  auto earlier = definition_of(before);
  auto later = definition_of(after);
  auto& earlier_steps = earlier.at(steps_member);
  auto& later_steps = later.at(steps_member);
  const auto earlier_keys = keys_of(earlier_steps);
  const auto later_keys = keys_of(later_steps);
  earlier_steps = by_key(earlier_steps);
  later_steps = by_key(later_steps);

  std::vector<definition_difference> differences;
  if (common(earlier_keys, later_steps) != common(later_keys, earlier_steps))
    differences.push_back({below({}, steps_member), text_of(&earlier_keys), text_of(&later_keys)});
  compare_members({}, earlier, later, differences);
  std::sort(differences.begin(), differences.end(),
            [](const auto& one, const auto& other) { return one.place < other.place; });
  if (differences.size() > definition_differences_max)
    differences.resize(definition_differences_max);
  return differences;
}

} // namespace holdfast::documents
