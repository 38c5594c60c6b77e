#include "documents/answer_text.hpp"

#include "core/decimal.hpp"
#include "documents/exact_number.hpp"
#include "documents/schema.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace holdfast::documents {

std::string answer_text(const nlohmann::json& value) {
  return value.is_string() ? value.get<std::string>() : canonical_text(value);
}

std::string answer_text(const nlohmann::json& value, const std::vector<std::string>& labels) {
  auto text = answer_text(value);
  if (!is_number(value) || std::find(labels.begin(), labels.end(), text) != labels.end())
    return text;
  const auto spelled = std::find_if(labels.begin(), labels.end(), [&](const std::string& label) {
    return core::canonical_number(label) == text;
  });
  return spelled == labels.end() ? text : *spelled;
}

} // namespace holdfast::documents
