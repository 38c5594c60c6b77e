#include "documents/schema_node.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::documents {

namespace {

using node_list = std::vector<schema_node::ref>;

/// A node and all that hold wherever it does, each once. Ends, because schemas that come back to
/// themselves for the same value are refused.
void add_with_parts(schema_node::ref node, node_list& into) {
  if (node == nullptr)
    return;
  if (!node->target_alone) {
    if (std::find(into.begin(), into.end(), node) != into.end())
      return;
    into.push_back(node);
  }
  add_with_parts(node->target, into);
  if (node->target_alone)
    return;
  for (const auto* part : node->all_of)
    add_with_parts(part, into);
}

void add_member(const schema_node& node, const std::string& name, node_list& into) {
  bool described = false;
  const auto add = [&](schema_node::ref of_member) {
    described = true;
    add_with_parts(of_member, into);
  };
  if (const auto known = node.properties.find(name); known != node.properties.end())
    add(known->second);
  for (const auto& [names, of_member] : node.pattern_properties)
    if (name.size() <= pattern::subject_max && names.found_in(name))
      add(of_member);
  if (!described)
    add_with_parts(node.other_properties, into);
}

/// Of an element in a list whose elements are all alike; where they differ by their place nothing
/// is said of any.
void add_element(const schema_node& node, const std::string& token, node_list& into) {
  const bool is_index =
      !token.empty() && token.find_first_not_of("0123456789") == std::string::npos;
  if (is_index && !node.leading_elements)
    add_with_parts(node.each_element, into);
}

node_list nodes_at(schema_node::ref root, const json_pointer& place) {
  node_list here;
  add_with_parts(root, here);
  for (const auto& token : place.tokens()) {
    node_list next;
    for (const auto* node : here) {
      add_member(*node, token, next);
      add_element(*node, token, next);
    }
    here = std::move(next);
  }
  return here;
}

std::uint8_t types_of(const nlohmann::json& value) {
  switch (value.type()) {
  case nlohmann::json::value_t::null:
    return null_type;
  case nlohmann::json::value_t::boolean:
    return boolean_type;
  case nlohmann::json::value_t::object:
    return object_type;
  case nlohmann::json::value_t::array:
    return array_type;
  case nlohmann::json::value_t::string:
    return string_type;
  default:
    return number_type | integer_type;
  }
}

} // namespace

bool schema::may_describe(const json_pointer& place) const {
  const auto has_alternatives = [](const schema_node* node) {
    return !node->any_of.empty() || !node->one_of.empty() || node->condition != nullptr
           || !node->requires_schema.empty();
  };
  node_list here;
  add_with_parts(compiled_->nodes.front().get(), here);
  for (const auto& token : place.tokens()) {
    if (std::any_of(here.begin(), here.end(), has_alternatives))
      return true;
    node_list next;
    for (const auto* node : here) {
      add_member(*node, token, next);
      add_element(*node, token, next);
      // Lists whose elements differ by their place are told nothing of, see `add_element`.
      if (node->leading_elements)
        return true;
    }
    if (next.empty())
      return false;
    here = std::move(next);
  }
  return true;
}

bool schema::allows_type_at(const json_pointer& place, const nlohmann::json& example) const {
  const auto nodes = nodes_at(compiled_->nodes.front().get(), place);
  return std::all_of(nodes.begin(), nodes.end(), [&](const auto* node) {
    return !node->never && (node->types == 0 || (node->types & types_of(example)) != 0);
  });
}

std::optional<core::definition_problem> schema::violation_at(const json_pointer& place,
                                                             const nlohmann::json& value) const {
  for (const auto* node : nodes_at(compiled_->nodes.front().get(), place))
    if (auto violation = violation_of(*node, value))
      return violation;
  return std::nullopt;
}

std::optional<std::vector<std::string>> schema::values_at(const json_pointer& place) const {
  std::optional<std::vector<std::string>> values;
  for (const auto* node : nodes_at(compiled_->nodes.front().get(), place)) {
    if (!node->one_of_values)
      continue;
    if (!values) {
      values = node->one_of_values;
      continue;
    }
    std::vector<std::string> both;
    std::set_intersection(values->begin(), values->end(), node->one_of_values->begin(),
                          node->one_of_values->end(), std::back_inserter(both));
    values = std::move(both);
  }
  return values;
}

} // namespace holdfast::documents
