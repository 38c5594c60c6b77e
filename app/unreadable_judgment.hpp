#pragma once

#include "messages/lineage_messages.hpp"

#include <nlohmann/json.hpp>

#include <string>

/// Units and judgments of a lineage whose rows the node's database does not give back.
namespace holdfast::app {

inline bool is_unreadable(const msg::lineage_judgment& judgment) {
  return judgment.status == "Unreadable";
}

/// Which row it is, and why it cannot be read.
inline std::string problem_of(const msg::lineage_judgment& judgment) {
  const auto told = nlohmann::json::parse(judgment.payload, nullptr, false);
  return told.is_object() ? told.value("problem", judgment.payload) : judgment.payload;
}

/// A node has put this problem in the place of an input, and the source key is missing.
inline bool is_unreadable(const msg::lineage_unit& unit) {
  const auto told = R"({"problem":"unit )" + core::to_string(unit.unit) + " in holdfast.units";
  return unit.source_key.empty() && unit.input.compare(0, told.size(), told) == 0;
}

inline std::string problem_of(const msg::lineage_unit& unit) {
  const auto told = nlohmann::json::parse(unit.input, nullptr, false);
  return told.is_object() ? told.value("problem", unit.input) : unit.input;
}

} // namespace holdfast::app
