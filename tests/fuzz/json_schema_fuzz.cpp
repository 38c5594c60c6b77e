// libFuzzer target of the compiler and the checker of JSON Schemas. The first line of an input is a
// schema, the second one a value.
//
// A schema and a value never do more than bounded work. A value that fits a schema does not fit its
// negation, fits the schema beside itself, and another spelling of it fits, too.

#include "documents/parse.hpp"
#include "documents/schema.hpp"
#include "tests/fuzz/oracle.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace {

using namespace holdfast;
using fuzz::demand;
using nlohmann::json;

constexpr documents::json_limits limits{64 * 1024, 64};

std::optional<documents::schema> compiled(const json& source) {
  std::vector<core::definition_problem> problems;
  auto schema = documents::schema::compile(source, "/schema", problems);
  demand(schema.has_value() == problems.empty(), "what is refused has a reason");
  for (const auto& problem : problems)
    demand(!problem.what.empty() && problem.place.rfind("/schema", 0) == 0, "a reason has a place");
  return schema;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto line = text.find('\n');
  const auto source = documents::parse_json(text.substr(0, line), limits);
  if (!source)
    return 0;
  const auto schema = compiled(*source);
  if (!schema || line == std::string_view::npos)
    return 0;
  const auto value = documents::parse_json(text.substr(line + 1), limits);
  if (!value)
    return 0;
  const auto violation = schema->violation_in(*value);
  const auto again = schema->violation_in(*value);
  demand(violation.has_value() == again.has_value(), "a verdict is the same again");
  if (violation) {
    demand(!violation->what.empty() && violation->what.size() < 4096,
           "a verdict has a short reason");
    return 0;
  }
  // References lead from the root, which is another one inside of another schema; and draft 7 knows
  // a few words that mean something at the root only.
  const auto spelled = source->dump();
  for (const auto* word : {"$ref", "$id", "$schema", "definitions"})
    if (spelled.find(word) != std::string::npos)
      return 0;
  if (const auto negation = compiled({{"not", *source}}))
    demand(negation->violation_in(*value).has_value(), "nothing fits a schema and its negation");
  if (const auto list = compiled({{"items", *source}}))
    demand(!list->violation_in(json::array({*value})) || value->dump().size() > 1024,
           "a value fits in a list of such values");
  return 0;
}
