#include "core/time_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace holdfast::core {

namespace {

/// Reads a text of fixed form from left to right; after the first thing that is not as wanted it
/// has failed.
class form_reader {
public:
  explicit form_reader(std::string_view text) : rest_(text) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

  /// A number of exactly so many digits, within bounds.
  int number(std::size_t digits, int least, int most) {
    int value = 0;
    for (std::size_t i = 0; i < digits && i < rest_.size(); ++i)
      value = is_digit(rest_[i]) ? value * 10 + (rest_[i] - '0') : most + 1;
    if (rest_.size() < digits || value < least || value > most)
      failed_ = true;
    rest_.remove_prefix(std::min(digits, rest_.size()));
    return value;
  }

  /// The character that comes next must be one of these; it.
  char one_of(std::string_view wanted) {
    const char c = rest_.empty() ? '\0' : rest_.front();
    if (rest_.empty() || wanted.find(c) == std::string_view::npos)
      failed_ = true;
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    return c;
  }

  /// What stands behind a decimal point, if one comes next, in microseconds.
  std::int64_t fraction() {
    if (rest_.empty() || rest_.front() != '.')
      return 0;
    rest_.remove_prefix(1);
    std::int64_t micros = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits)
      if (digits < 6)
        micros = micros * 10 + (rest_[digits] - '0');
    failed_ = failed_ || digits == 0;
    for (auto i = digits; i < 6; ++i)
      micros *= 10;
    rest_.remove_prefix(digits);
    return micros;
  }

private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  std::string_view rest_;
  bool failed_ = false;
};

int days_in(int year, int month) {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

/// How far the clocks of the place are ahead of UTC, in minutes.
int read_offset(form_reader& from) {
  const char sign = from.one_of("Zz+-");
  if (from.failed() || sign == 'Z' || sign == 'z')
    return 0;
  const int hours = from.number(2, 0, 23);
  from.one_of(":");
  const int minutes = hours * 60 + from.number(2, 0, 59);
  return sign == '-' ? -minutes : minutes;
}

} // namespace

std::string to_rfc3339(instant at) {
  const auto micros = to_micros(at);
  const auto fraction = ((micros % 1'000'000) + 1'000'000) % 1'000'000;
  const auto seconds = static_cast<std::time_t>((micros - fraction) / 1'000'000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
                parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
                parts.tm_sec, static_cast<int>(fraction));
  return text.data();
}

std::optional<instant> parse_rfc3339(std::string_view text) {
  form_reader from{text};
  std::tm parts{};
  const int year = from.number(4, 1, 9999);
  from.one_of("-");
  const int month = from.number(2, 1, 12);
  from.one_of("-");
  if (from.failed())
    return std::nullopt;
  parts.tm_mday = from.number(2, 1, days_in(year, month));
  from.one_of("Tt");
  parts.tm_hour = from.number(2, 0, 23);
  from.one_of(":");
  parts.tm_min = from.number(2, 0, 59);
  from.one_of(":");
  parts.tm_sec = from.number(2, 0, 60); // leap seconds, which our clock does not have
  const auto fraction = from.fraction();
  const auto ahead = read_offset(from);
  if (from.failed() || !from.at_end())
    return std::nullopt;
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  return from_micros((std::int64_t{::timegm(&parts)} - std::int64_t{ahead} * 60) * 1'000'000
                     + fraction);
}

} // namespace holdfast::core
