#pragma once

#include "messages/lineage_messages.hpp"

#include <nlohmann/json.hpp>

#include <string>

/// Judgments of a lineage whose rows the node's database does not give back.
namespace holdfast::app {

inline bool is_unreadable(const msg::lineage_judgment& judgment) {
  return judgment.status == "Unreadable";
}

/// Which row it is, and why it cannot be read.
inline std::string problem_of(const msg::lineage_judgment& judgment) {
  const auto told = nlohmann::json::parse(judgment.payload, nullptr, false);
  return told.is_object() ? told.value("problem", judgment.payload) : judgment.payload;
}

} // namespace holdfast::app
