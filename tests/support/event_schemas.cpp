#include "tests/support/event_schemas.hpp"

#include "documents/published_schemas.hpp"
#include "documents/schema.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <stdexcept>

namespace holdfast::test {

namespace {

using nlohmann::json;

const std::string folder = "events/v1/";

std::map<std::string, documents::schema> compile_all() {
  std::map<std::string, documents::schema> by_type;
  for (const auto& file : documents::published_schemas()) {
    if (file.name.compare(0, folder.size(), folder) != 0)
      continue;
    const auto name = file.name.substr(folder.size(), file.name.rfind('.') - folder.size());
    if (name == "asyncapi")
      continue;
    std::vector<core::definition_problem> problems;
    auto compiled = documents::schema::compile(json::parse(file.text), file.name, problems);
    if (!compiled)
      throw std::logic_error(problems.front().place + ' ' + problems.front().what);
    by_type.emplace(name, std::move(*compiled));
  }
  return by_type;
}

} // namespace

std::string deviation_from_schema(std::string_view event) {
  static const auto schemas = compile_all();
  const auto value = json::parse(event, nullptr, false);
  if (!value.is_object() || !value.contains("type") || !value["type"].is_string())
    return "it is no event: " + std::string{event};
  const auto of_type = schemas.find(value["type"].get<std::string>());
  if (of_type == schemas.end())
    return "no schema is published for " + value["type"].dump();
  const auto violation = of_type->second.violation_in(value);
  return violation ? of_type->first + ' ' + violation->place + ": " + violation->what : "";
}

} // namespace holdfast::test
