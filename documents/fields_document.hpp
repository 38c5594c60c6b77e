#pragma once

#include "core/definition_problem.hpp"
#include "core/fields/rule.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace holdfast::documents {

/// Most fields of a step, and most labels of one.
inline constexpr std::size_t fields_max = 64;

/// Reads the fields of a step:
///
///     [{"name": "kind",   "at": "/kind",   "kind": "category", "labels": ["car", "bus"]},
///      {"name": "colour", "at": "/colour", "kind": "set", "options": ["red", "green"]},
///      {"name": "length", "at": "/length", "kind": "number", "within": 0.5},
///      {"name": "things", "at": "/things", "kind": "boxes", "labels": ["car"], "overlap": 0.5}]
///
/// docs/FIELDS.md has the members of each kind. What is wrong is added to `problems`, with its
/// place.
std::vector<core::fields::field_rule> read_fields(const nlohmann::json& source,
                                                  const std::string& place,
                                                  std::vector<core::definition_problem>& problems);

} // namespace holdfast::documents
