#include "http/weighted_names.hpp"

#include "http/header_names.hpp"

#include <algorithm>

namespace holdfast::http {

namespace {

constexpr unsigned whole_weight = 1000;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// The part of `text` before `mark`, which is removed together with the mark.
std::string_view take_until(std::string_view& text, char mark) {
  const auto end = text.find(mark);
  const auto part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return trimmed(part);
}

/// As in `0.25` or `1`: at most three digits behind the point.
unsigned weight_of(std::string_view text) {
  if (text.empty() || (text.front() != '0' && text.front() != '1'))
    return whole_weight;
  if (text.front() == '1')
    return whole_weight;
  unsigned weight = 0;
  unsigned place = whole_weight / 10;
  for (const char digit : text.substr(std::min<std::size_t>(2, text.size()))) {
    if (digit < '0' || digit > '9')
      return whole_weight;
    weight += place * static_cast<unsigned>(digit - '0');
    place /= 10;
  }
  return weight;
}

weighted_name read_name(std::string_view element) {
  weighted_name read;
  read.name = lower_case(take_until(element, ';'));
  while (!element.empty()) {
    const auto parameter = take_until(element, ';');
    if (is_same_name(parameter.substr(0, 2), "q="))
      read.weight = weight_of(trimmed(parameter.substr(2)));
  }
  return read;
}

} // namespace

std::vector<weighted_name> weighted_names_of(const request& from, std::string_view field) {
  std::vector<weighted_name> names;
  for (const auto& one : from.headers) {
    if (one.name != field)
      continue;
    std::string_view rest = one.value;
    while (!rest.empty())
      if (const auto element = take_until(rest, ','); !element.empty())
        names.push_back(read_name(element));
  }
  return names;
}

} // namespace holdfast::http
