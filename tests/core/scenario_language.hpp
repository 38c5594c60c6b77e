#pragma once

#include "core/time.hpp"
#include "core/time_text.hpp"
#include "tests/core/describe.hpp"

#include <cctype>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The lines of a .scn file, taken apart. tests/scenarios/README.md explains the language.
namespace holdfast::test {

/// A line that is not part of the language: a mistake in the file, not in what it tests.
class bad_line : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// `15m`, `1h30m`, `29.999999s`, `5ms`; empty for anything else.
inline std::optional<core::duration> parse_duration(std::string_view text) {
  struct unit {
    std::string_view name;
    double micros;
  };
  constexpr unit units[] = {{"h", 3.6e9}, {"ms", 1e3}, {"m", 6e7}, {"us", 1}, {"s", 1e6}};
  core::duration total{0};
  if (text.empty())
    return std::nullopt;
  while (!text.empty()) {
    const auto digits = text.find_first_not_of("0123456789.");
    if (digits == 0 || digits == std::string_view::npos)
      return std::nullopt;
    const auto amount = std::strtod(std::string{text.substr(0, digits)}.c_str(), nullptr);
    text.remove_prefix(digits);
    const auto letters = text.find_first_of("0123456789");
    const auto name = text.substr(0, letters);
    const auto* known = std::find_if(std::begin(units), std::end(units),
                                     [&](const unit& u) { return u.name == name; });
    if (known == std::end(units))
      return std::nullopt;
    total += core::duration{static_cast<std::int64_t>(amount * known->micros + 0.5)};
    text.remove_prefix(name.size());
  }
  return total;
}

/// `2026-03-29T01:00Z` or with seconds; empty for anything else.
inline std::optional<core::instant> parse_utc(std::string_view text) {
  constexpr std::size_t to_minutes = 16;
  std::string whole{text};
  if (whole.size() == to_minutes + 1 && whole.back() == 'Z')
    whole.insert(to_minutes, ":00");
  return core::parse_rfc3339(whole);
}

/// The shortest text that `parse_utc` reads as this.
inline std::string utc_text(core::instant at) {
  auto text = core::to_rfc3339(at);
  for (const auto* nothing : {".000000Z", ":00Z"}) {
    const std::string_view tail{nothing};
    if (text.size() < tail.size()
        || text.compare(text.size() - tail.size(), tail.size(), tail) != 0)
      break;
    text.replace(text.size() - tail.size(), tail.size(), "Z");
  }
  return text;
}

/// Splits at blanks; commas and colons end a word, quotes keep one together.
inline std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool quoted = false;
  bool inside = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (quoted && !inside)
        words.emplace_back();
      inside = quoted || inside;
    } else if (!quoted && (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',')) {
      inside = false;
    } else {
      if (!inside)
        words.emplace_back();
      inside = true;
      words.back() += c;
    }
  }
  if (quoted)
    throw bad_line("a quote is not closed");
  return words;
}

/// The words of a command, taken from the front.
class word_reader {
public:
  explicit word_reader(std::string_view text) : words_(words_of(text)) {}

  bool done() const { return next_ == words_.size(); }

  std::string word(const char* what) {
    if (done())
      throw bad_line(std::string{"expected "} + what + " at the end of the line");
    return words_[next_++];
  }

  /// Whether the next words are these.
  bool next_is(std::string_view phrase) const {
    const auto wanted = words_of(phrase);
    if (words_.size() - next_ < wanted.size())
      return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (words_[next_ + i] != wanted[i])
        return false;
    return true;
  }

  /// Takes the next words if they are these.
  bool take(std::string_view phrase) {
    if (!next_is(phrase))
      return false;
    next_ += words_of(phrase).size();
    return true;
  }

  void expect(std::string_view phrase) {
    if (!take(phrase))
      throw bad_line("expected '" + std::string{phrase} + "' " + where());
  }

  std::uint64_t number(const char* what) {
    const auto text = word(what);
    if (text.find_first_not_of("0123456789") != std::string::npos)
      throw bad_line(std::string{"expected "} + what + ", not '" + text + "'");
    return std::stoull(text);
  }

  core::duration duration(const char* what) {
    const auto text = word(what);
    const auto span = parse_duration(text);
    if (!span)
      throw bad_line(std::string{"expected "} + what + " like 30s, not '" + text + "'");
    return *span;
  }

  double decimal(const char* what) {
    const auto text = word(what);
    if (text.find_first_not_of("0123456789.") != std::string::npos)
      throw bad_line(std::string{"expected "} + what + " like 0.5, not '" + text + "'");
    return std::strtod(text.c_str(), nullptr);
  }

  /// A span since the beginning, or a time of day: `30s`, `2026-03-29T01:00Z`.
  core::instant time(const char* what) {
    const auto text = word(what);
    if (const auto span = parse_duration(text))
      return beginning + *span;
    const auto at = parse_utc(text);
    if (!at)
      throw bad_line(std::string{"expected "} + what + " like 30s or 2026-03-29T01:00Z, not '"
                     + text + "'");
    return *at;
  }

  void finish() const {
    if (!done())
      throw bad_line("did not expect anything " + where());
  }

private:
  std::string where() const {
    return done() ? "at the end of the line" : "before '" + words_[next_] + "'";
  }

  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

/// The same text with every blank run as one blank and every span of time in its one form, so that
/// `90s` and `1m30s` are equal.
inline std::string normalised(std::string_view text) {
  std::string out;
  std::string word;
  const auto flush = [&] {
    if (word.empty())
      return;
    std::string tail;
    while (!word.empty() && (word.back() == ',' || word.back() == ';')) {
      tail.insert(tail.begin(), word.back());
      word.pop_back();
    }
    const auto span = parse_duration(word);
    out += (out.empty() ? "" : " ") + (span ? describe(*span) : word) + tail;
    word.clear();
  };
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0)
      flush();
    else
      word += c;
  }
  flush();
  return out;
}

} // namespace holdfast::test
