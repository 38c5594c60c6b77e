#pragma once

#include <algorithm>
#include <string>
#include <string_view>

/// Names of header fields, which are ASCII and the same in either case.
namespace holdfast::http {

inline char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string lower_case(std::string_view text) {
  std::string lower{text};
  for (auto& c : lower)
    c = lower_case(c);
  return lower;
}

inline bool is_same_name(std::string_view one, std::string_view other) {
  return one.size() == other.size()
         && std::equal(one.begin(), one.end(), other.begin(),
                       [](char a, char b) { return lower_case(a) == lower_case(b); });
}

/// Whether `c` may stand in a method or in the name of a header field.
inline bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (lower_case(c) >= 'a' && lower_case(c) <= 'z')
         || (c != '\0' && std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos);
}

} // namespace holdfast::http
