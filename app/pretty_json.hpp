#pragma once

#include <nlohmann/json.hpp>

#include <string>

/// JSON as the commands print it.
namespace holdfast::app {

/// Indented by two spaces; what is not UTF-8 is replaced.
inline std::string pretty(const nlohmann::ordered_json& what) {
  return what.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace holdfast::app
