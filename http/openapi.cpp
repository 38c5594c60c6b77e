#include "http/openapi.hpp"

#include "http/api_description.hpp"
#include "http/call.hpp"
#include "http/list_form.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string_view>
#include <utility>

namespace holdfast::http {

namespace {

using json = nlohmann::ordered_json;

constexpr std::string_view media_type = "application/json";
constexpr std::string_view problem_name = "problem";

json reference_to(std::string_view place, std::string_view name) {
  auto made = json::object();
  made["$ref"] = std::string{place} + std::string{name};
  return made;
}

json content_of(std::string_view type, json schema) {
  auto made = json::object();
  made[std::string{type}]["schema"] = std::move(schema);
  return made;
}

value_form text_value() {
  value_form made;
  made.is = value_form::kind::text;
  return made;
}

/// The body of an error (RFC 9457).
object_form problem_form(const std::vector<problem_description>& problems) {
  value_form status;
  status.is = value_form::kind::whole;
  value_form retryable;
  retryable.is = value_form::kind::boolean;
  auto code = text_value();
  for (const auto& one : problems)
    code.words.push_back(one.code);
  object_form error;
  error.members = {
      {"place", text_value(), "A JSON pointer into the body, or the name of a parameter.", true},
      {"detail", text_value(), "A sentence about what is wrong there.", true},
  };
  value_form element;
  element.is = value_form::kind::object;
  element.object = std::make_shared<object_form>(std::move(error));
  value_form errors;
  errors.is = value_form::kind::list;
  errors.element = std::make_shared<value_form>(std::move(element));
  object_form made;
  made.members = {
      {"type", text_value(), "The address of the error in the reference.", true},
      {"title", text_value(), "The advice for this code: what to do next.", true},
      {"status", status, "The status of the answer.", true},
      {"detail", text_value(), "A sentence about this error: the field, the row, the bound.", true},
      {"code", code, "The name of the error, for programs.", true},
      {"retryable", retryable, "Whether the same request may succeed later.", true},
      {"errors", errors, "Each place in the request where something is wrong.", false},
      {"trace_id", text_value(),
       "The trace of the request, as its `traceparent` names it, or an id made for this error. The "
       "log of the node has it. Left out where the node could not read the request.",
       false},
  };
  return made;
}

json header_parameter(std::string_view name, std::string_view doc) {
  json made;
  made["name"] = name;
  made["in"] = "header";
  made["required"] = false;
  made["description"] = doc;
  made["schema"] = json_schema_of(text_value());
  return made;
}

json parameters_of(const operation_description& operation) {
  auto made = json::array();
  for (const auto& one : operation.request.parameters) {
    json parameter;
    parameter["name"] = one.member.name;
    parameter["in"] = to_string(one.from);
    parameter["required"] = one.member.required;
    parameter["description"] = one.member.doc;
    parameter["schema"] = json_schema_of(one.member.value);
    made.push_back(std::move(parameter));
  }
  if (operation.row.method == verb::get)
    made.push_back(header_parameter(
        "If-None-Match", "The `ETag` of an earlier answer: 304 while the answer is the same."));
  if (operation.takes_if_match)
    made.push_back(header_parameter(
        "If-Match", "The version that is to be changed: 412 when it is not the latest any more."));
  return made;
}

/// One of the items for which a line of a body may stand.
const value_form* item_of(const operation_description& operation) {
  if (operation.request.body.object)
    for (const auto& one : operation.request.body.object->members)
      if (one.name == operation.lines_of)
        return one.value.element.get();
  return nullptr;
}

json body_of(const operation_description& operation) {
  const auto& request = operation.request;
  auto made = json::object();
  if (!request.body_doc.empty())
    made["description"] = request.body_doc;
  made["required"] = request.body_required;
  made["content"] = content_of(media_type, json_schema_of(request.body));
  if (const auto* item = item_of(operation))
    made["content"][std::string{ndjson_type}]["schema"] = json_schema_of(*item);
  if (operation.takes_csv)
    made["content"]["text/csv"]["schema"] = json_schema_of(text_value());
  return made;
}

/// Of a route that takes a file of rows.
json table_body() {
  auto made = json::object();
  made["description"] =
      "A file of rows: CSV or tab-separated values whose first line has the names "
      "of the columns, a JSON object on each line, or a JSON array of objects.";
  made["required"] = true;
  auto rows = json::object();
  rows["type"] = "array";
  rows["items"]["type"] = "object";
  made["content"] = content_of(media_type, std::move(rows));
  made["content"][std::string{ndjson_type}]["schema"]["type"] = "object";
  for (const auto* type : {"text/csv", "text/tab-separated-values"})
    made["content"][type]["schema"] = json_schema_of(text_value());
  return made;
}

std::string sentence_of(core::role_set roles) {
  std::string sentence = "Roles that may call this:";
  for (const auto name : names_of(roles)) {
    sentence += sentence.back() == ':' ? " `" : ", `";
    sentence += name;
    sentence += '`';
  }
  return sentence + '.';
}

std::string_view tag_of(topic about) {
  for (const auto& one : all_topics())
    if (one.about == about)
      return one.name;
  return {};
}

json answer_of(const operation_description& one, std::string_view doc, bool has_body) {
  auto made = json::object();
  made["description"] = doc;
  if (one.row.method == verb::get)
    made["headers"]["ETag"]["schema"] = json_schema_of(text_value());
  if (has_body)
    made["content"] = content_of(media_type, json_schema_of(one.answer));
  return made;
}

/// The forms in which a list is answered to its end.
void add_whole_list(json& answer, const operation_description& one) {
  answer["description"] = "The answer. With `Accept: application/x-ndjson` all that is asked for, "
                          "one object on each line: `limit` has no upper bound there, and there is "
                          "none where it is left out. An answer that cannot be completed ends "
                          "without its last chunk.";
  answer["content"][std::string{ndjson_type}]["schema"] = json_schema_of(*one.item);
  if (one.has_csv)
    answer["content"]["text/csv"]["schema"] = json_schema_of(text_value());
}

json answers_of(const operation_description& one) {
  auto made = json::object();
  auto& good = made[std::to_string(one.row.success)] = answer_of(one, "The answer.", true);
  if (one.item)
    add_whole_list(good, one);
  for (const auto& other : one.other_answers)
    made[std::to_string(other.status)] = answer_of(one, other.doc, other.has_body);
  if (one.row.method == verb::get)
    made["304"] = answer_of(one, "The answer is the one that `If-None-Match` names.", false);
  made["default"] = reference_to("#/components/responses/", problem_name);
  return made;
}

json operation_of(const operation_description& one) {
  json made;
  made["tags"] = json::array({tag_of(one.row.about)});
  made["operationId"] = one.name;
  made["summary"] = one.row.summary;
  made["description"] = sentence_of(one.roles);
  made["x-roles"] = names_of(one.roles);
  if (auto parameters = parameters_of(one); !parameters.empty())
    made["parameters"] = std::move(parameters);
  if (one.request.has_body)
    made["requestBody"] = body_of(one);
  if (one.takes_table)
    made["requestBody"] = table_body();
  made["responses"] = answers_of(one);
  return made;
}

std::string lower_case(std::string_view text) {
  std::string made{text};
  for (auto& c : made)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return made;
}

json information() {
  json made;
  made["title"] = "Holdfast";
  made["version"] = api_version();
  made["description"] =
      "Queues of tasks and workflows of people's judgments, on PostgreSQL. Ids in requests make "
      "them repeatable. Times are RFC 3339 in UTC; durations are seconds. Documents of users keep "
      "all digits of their numbers.";
  made["license"]["name"] = "Apache License 2.0";
  made["license"]["identifier"] = "Apache-2.0";
  return made;
}

json tags() {
  auto made = json::array();
  for (const auto& one : all_topics()) {
    json tag;
    tag["name"] = one.name;
    tag["description"] = one.sentence;
    made.push_back(std::move(tag));
  }
  return made;
}

json components_of(const api_description& api) {
  json made;
  for (const auto& [name, form] : api.objects)
    made["schemas"][name] = json_schema_of(form);
  made["schemas"][std::string{problem_name}] = json_schema_of(problem_form(api.problems));
  auto& problem = made["responses"][std::string{problem_name}];
  problem["description"] = "An error. The reference lists all codes.";
  problem["content"] = content_of(problem_type, reference_to(named_forms_place, problem_name));
  auto& bearer = made["securitySchemes"]["bearer"];
  bearer["type"] = "http";
  bearer["scheme"] = "bearer";
  bearer["description"] = "A token in the header `Authorization: Bearer`.";
  return made;
}

json document_of(const api_description& api) {
  json made;
  made["openapi"] = "3.1.0";
  made["info"] = information();
  auto server = json::object();
  server["url"] = "/";
  server["description"] = "The node that serves this document.";
  made["servers"] = json::array({std::move(server)});
  auto bearer = json::object();
  bearer["bearer"] = json::array();
  made["security"] = json::array({std::move(bearer)});
  made["tags"] = tags();
  auto& paths = made["paths"] = json::object();
  for (const auto& one : api.operations)
    paths[std::string{one.row.path}][lower_case(to_string(one.row.method))] = operation_of(one);
  made["components"] = components_of(api);
  return made;
}

} // namespace

const std::string& openapi_document() {
  static const auto document = document_of(describe_api(routes())).dump();
  return document;
}

} // namespace holdfast::http
