#include "http/value_form.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace holdfast::http {

namespace {

using schema = nlohmann::ordered_json;

/// The word of JSON Schema for a kind; empty where any JSON is meant.
std::string_view type_word(value_form::kind kind) {
  switch (kind) {
  case value_form::kind::boolean:
    return "boolean";
  case value_form::kind::whole:
    return "integer";
  case value_form::kind::number:
    return "number";
  case value_form::kind::text:
    return "string";
  case value_form::kind::list:
    return "array";
  case value_form::kind::object:
    return "object";
  case value_form::kind::anything:
    break;
  }
  return {};
}

} // namespace

schema json_schema_of(const value_form& form) {
  if (form.object)
    return json_schema_of(*form.object);
  auto made = schema::object();
  if (!form.named.empty()) {
    made["$ref"] = std::string{named_forms_place} + form.named;
    return made;
  }
  if (const auto type = type_word(form.is); !type.empty()) {
    if (form.may_be_null)
      made["type"] = schema::array({type, "null"});
    else
      made["type"] = type;
  }
  if (!form.format.empty())
    made["format"] = form.format;
  if (!form.words.empty())
    made["enum"] = form.words;
  if (form.least)
    made["minimum"] = *form.least;
  if (form.most)
    made["maximum"] = *form.most;
  if (form.element)
    made["items"] = json_schema_of(*form.element);
  return made;
}

schema json_schema_of(const object_form& form) {
  schema made{{"type", "object"}, {"properties", schema::object()}};
  auto required = schema::array();
  for (const auto& one : form.members) {
    auto value = json_schema_of(one.value);
    if (!one.doc.empty())
      value["description"] = one.doc;
    made["properties"][one.name] = std::move(value);
    if (one.required)
      required.push_back(one.name);
  }
  if (!required.empty())
    made["required"] = std::move(required);
  if (!form.may_have_others)
    made["additionalProperties"] = false;
  return made;
}

} // namespace holdfast::http
