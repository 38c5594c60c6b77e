#pragma once

#include "core/fields/combine.hpp"
#include "core/fields/rule.hpp"
#include "core/outcome.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Bounds on what one judgment may say about one field.
inline constexpr std::size_t marks_max = 1000;
inline constexpr std::size_t polygon_corners_max = 1000;
inline constexpr std::size_t spans_max = 10'000;
inline constexpr std::size_t listed_values_max = 256; // of a set or ranking
inline constexpr double coordinate_max = 1e9;

/// Reads what judgments say about the fields of a step, and writes answers in the same form.
/// Compiled once; safe to use from several threads at once.
class field_values {
public:
  /// Rules as `read_fields` makes them.
  explicit field_values(std::vector<core::fields::field_rule> rules);
  ~field_values();

  const std::vector<core::fields::field_rule>& rules() const;

  /// The values of a judgment, by rule. Fails with `payload_invalid` and the place of the first
  /// value that is not of its field's kind, or is missing.
  core::outcome<std::vector<core::fields::value>> read(const nlohmann::json& judgment) const;

  /// The same of one value in the form of the rule, such as the truth of a question. `place` stands
  /// in errors.
  core::outcome<core::fields::value> read_value(std::size_t rule, const nlohmann::json& value,
                                                const std::string& place) const;

  /// A value as judgments write it, of the type that the labels have; null for one that is absent.
  nlohmann::json written(std::size_t rule, const core::fields::value& value) const;

  /// A document of the judgment's own shape with these values at the places of their fields. Those
  /// that are absent are left out.
  nlohmann::json document(const std::vector<core::fields::value>& values) const;

  /// The report of a field: `{"answer", "confidence", "votes", …}`, as docs/FIELDS.md lists it.
  nlohmann::json report(std::size_t rule, const core::fields::found_value& found) const;

private:
  struct compiled;
  std::unique_ptr<const compiled> compiled_;
};

} // namespace holdfast::documents
