#include "documents/format.hpp"

#include <algorithm>
#include <array>

namespace holdfast::documents {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// The number that `digits` digits at `at` form; -1 when they are not all digits.
int digits_at(std::string_view text, std::size_t at, std::size_t digits) {
  if (at + digits > text.size())
    return -1;
  int value = 0;
  for (const char c : text.substr(at, digits)) {
    if (!is_digit(c))
      return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

bool in(int value, int least, int most) { return value >= least && value <= most; }

int days_of(int year, int month) {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

/// RFC 3339 `full-date`.
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-')
    return false;
  const int year = digits_at(text, 0, 4);
  const int month = digits_at(text, 5, 2);
  return year >= 0 && in(month, 1, 12) && in(digits_at(text, 8, 2), 1, days_of(year, month));
}

/// RFC 3339 `full-time`. A leap second is the last one of a day in UTC.
bool is_time(std::string_view text) {
  const int hour = digits_at(text, 0, 2);
  const int minute = digits_at(text, 3, 2);
  const int second = digits_at(text, 6, 2);
  if (text.size() < 9 || text[2] != ':' || text[5] != ':' || !in(hour, 0, 23) || !in(minute, 0, 59)
      || !in(second, 0, 60))
    return false;
  std::size_t at = 8;
  if (text[at] == '.') {
    const auto fraction = ++at;
    while (at < text.size() && is_digit(text[at]))
      ++at;
    if (at == fraction || at == text.size())
      return false;
  }
  int offset_minutes = 0;
  if (text[at] == '+' || text[at] == '-') {
    const int hours = digits_at(text, at + 1, 2);
    const int minutes = digits_at(text, at + 4, 2);
    if (text.size() != at + 6 || text[at + 3] != ':' || !in(hours, 0, 23) || !in(minutes, 0, 59))
      return false;
    offset_minutes = (hours * 60 + minutes) * (text[at] == '-' ? -1 : 1);
  } else if ((text[at] != 'Z' && text[at] != 'z') || text.size() != at + 1) {
    return false;
  }
  constexpr int day_minutes = 24 * 60;
  const int utc = (hour * 60 + minute - offset_minutes + day_minutes) % day_minutes;
  return second < 60 || utc == day_minutes - 1;
}

/// RFC 3339 `date-time`.
bool is_date_time(std::string_view text) {
  return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && is_date(text.substr(0, 10))
         && is_time(text.substr(11));
}

/// A mailbox as people write it, `local@domain`; quoted local parts are not taken.
bool is_email(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos || at == 0 || at > 64)
    return false;
  const auto dotted = [](std::string_view part, std::string_view further) {
    char before = '.';
    for (const char c : part) {
      if (!is_letter(c) && !is_digit(c) && further.find(c) == std::string_view::npos
          && (c != '.' || before == '.'))
        return false;
      before = c;
    }
    return before != '.';
  };
  return dotted(text.substr(0, at), "!#$%&'*+-/=?^_`{|}~") && dotted(text.substr(at + 1), "-");
}

/// RFC 3986: a scheme and then only characters that a URI may have, percent signs before two
/// digits.
bool is_uri(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || !is_letter(text[0]))
    return false;
  for (const char c : text.substr(0, colon))
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.')
      return false;
  for (auto at = colon + 1; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '%' && (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2])))
      return false;
    constexpr std::string_view allowed = "-._~:/?#[]@!$&'()*+,;=%";
    if (!is_letter(c) && !is_digit(c) && allowed.find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

/// RFC 4122 text form. Not in draft 7, but in its successors and in every schema with ids.
bool is_uuid(std::string_view text) {
  if (text.size() != 36)
    return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool hyphen = at == 8 || at == 13 || at == 18 || at == 23;
    if (hyphen ? text[at] != '-' : !is_hex(text[at]))
      return false;
  }
  return true;
}

constexpr std::array<text_format, 6> formats{{
    {"date", "2024-02-29", is_date},
    {"time", "16:52:45Z", is_time},
    {"date-time", "2024-02-29T16:52:45Z", is_date_time},
    {"email", "ana@example.org", is_email},
    {"uri", "https://example.org/a", is_uri},
    {"uuid", "018f2c5e-7c1a-7000-8000-000000000001", is_uuid},
}};

} // namespace

const text_format* format_named(std::string_view name) {
  const auto* found = std::find_if(formats.begin(), formats.end(),
                                   [&](const text_format& f) { return f.name == name; });
  return found == formats.end() ? nullptr : found;
}

} // namespace holdfast::documents
