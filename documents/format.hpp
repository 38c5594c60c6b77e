#pragma once

#include <string_view>

namespace holdfast::documents {

/// One value of the schema keyword `format`.
struct text_format {
  std::string_view name;
  std::string_view example;
  bool (*accepts)(std::string_view text);
};

/// The format with that name, or null.
const text_format* format_named(std::string_view name);

} // namespace holdfast::documents
