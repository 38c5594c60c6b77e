#pragma once

#include <nlohmann/json.hpp>

#include <string>

/// JSON as the commands print it.
namespace holdfast::app {

/// Indented by two spaces; what is not UTF-8 is replaced.
std::string pretty(const nlohmann::ordered_json& what);

/// The same without blanks.
std::string on_one_line(const nlohmann::ordered_json& what);

/// A stored document, for both: its numbers are printed as they are written there, with all of
/// their digits. The library would read them as doubles. Null of an empty text; of what is no JSON
/// `<discarded>`, as in the library.
nlohmann::ordered_json stored_json(const std::string& text);

} // namespace holdfast::app
