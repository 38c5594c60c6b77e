#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/scales.hpp"
#include "core/fields/step_values.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// Parts that steps of pairs and of rankings have in common.
namespace holdfast::core::fields {

inline bool uses_a_scale(field_method method) {
  return method == field_method::bradley_terry || method == field_method::noisy_bradley_terry;
}

inline found_scale scale_by(field_method method, std::uint32_t items, std::uint32_t contributors,
                            const std::vector<comparison>& comparisons) {
  return method == field_method::noisy_bradley_terry
             ? noisy_bradley_terry(items, contributors, comparisons)
             : bradley_terry(items, comparisons);
}

/// Judgments of a step, by unit; who gave each is beside it.
struct unit_values {
  std::vector<given_value> given;
  std::vector<std::uint32_t> contributors;
};

inline std::vector<unit_values> values_by_unit(std::uint32_t units,
                                               const std::vector<step_value>& given) {
  std::vector<unit_values> all(units);
  for (const auto& one : given)
    if (one.unit < units && !is_absent(one.said)) {
      all[one.unit].given.push_back({one.said, one.weight, one.lot});
      all[one.unit].contributors.push_back(one.contributor);
    }
  return all;
}

/// Names of items with their numbers, in the order of the names.
class item_numbers {
public:
  void add(const std::string& name) { number_of_.emplace(name, 0); }
  void finish() {
    for (auto& [name, number] : number_of_) {
      number = static_cast<std::uint32_t>(names_.size());
      names_.push_back(name);
    }
  }
  std::uint32_t of(const std::string& name) const { return number_of_.find(name)->second; }
  const std::vector<std::string>& names() const { return names_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(names_.size()); }

private:
  std::map<std::string, std::uint32_t> number_of_;
  std::vector<std::string> names_;
};

/// With the scale of the step, where it has one.
inline step_found with_scale(step_found found, found_scale scale,
                             const std::vector<std::string>& names) {
  found.scale = scale_of(names, scale.strengths);
  found.iterations = scale.iterations;
  if (found.contributors.empty())
    found.contributors = std::move(scale.contributors);
  return found;
}

} // namespace holdfast::core::fields
