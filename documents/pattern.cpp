#include "documents/pattern.hpp"

#include "core/invariant.hpp"
#include "documents/pattern_reach.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

// g++ 12 warns inside this header when AddressSanitizer is on (GCC bug 105562); clang does not know
// the warning.
#pragma GCC diagnostic push
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>
#pragma GCC diagnostic pop

namespace holdfast::documents {

static_assert(sizeof(wchar_t) == 4, "a wide character must hold any code point");

struct pattern::compiled {
  std::string source;
  std::wregex automaton;
};

namespace {

std::wstring decode(std::string_view text) {
  std::wstring out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x80)
      out += static_cast<wchar_t>(byte);
    else if (byte < 0xc0)
      out.back() = static_cast<wchar_t>(out.back() << 6 | (byte & 0x3f));
    else
      out += static_cast<wchar_t>(byte & (byte < 0xe0 ? 0x1f : byte < 0xf0 ? 0x0f : 0x07));
  }
  return out;
}

/// The largest number inside `{n,m}` that begins at `at`; moves `at` to the closing brace.
std::size_t repetitions(const std::wstring& expression, std::size_t& at) {
  std::size_t largest = 1;
  std::size_t number = 0;
  for (++at; at < expression.size() && expression[at] != L'}'; ++at) {
    const bool digit = expression[at] >= L'0' && expression[at] <= L'9';
    number =
        digit ? std::min<std::size_t>(number * 10 + static_cast<std::size_t>(expression[at] - L'0'),
                                      pattern::expanded_max + 1)
              : 0;
    largest = std::max(largest, number);
  }
  return largest;
}

/// How many atoms the expression has once its repetitions are written out, which is what the
/// library does with them. Follows the grammar only as far as counting needs.
std::size_t expanded_size(const std::wstring& expression) {
  std::vector<std::size_t> groups{0}; // atoms of each open group
  std::size_t atom = 0;               // atoms of what a quantifier would repeat
  const auto cap = [](std::size_t n) { return std::min(n, pattern::expanded_max + 1); };
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const auto c = expression[at];
    if (c == L'(') {
      groups.push_back(0);
      continue;
    }
    if (c == L'{') {
      const auto times = repetitions(expression, at);
      groups.back() = cap(groups.back() + cap(atom * (times - 1)));
      atom = cap(atom * times);
      continue;
    }
    if (c == L')' && groups.size() > 1) {
      atom = cap(groups.back() + 1);
      groups.pop_back();
    } else {
      atom = 1;
      if (c == L'\\')
        ++at;
      else if (c == L'[')
        for (++at; at < expression.size() && expression[at] != L']'; ++at)
          if (expression[at] == L'\\')
            ++at;
    }
    groups.back() = cap(groups.back() + atom);
  }
  std::size_t total = 0;
  for (const auto size : groups)
    total = cap(total + size);
  return total;
}

core::failure refuse(std::string why) {
  return {core::errc::payload_invalid, "is not a usable regular expression: " + std::move(why)};
}

} // namespace

core::outcome<pattern> pattern::compile(std::string_view expression) {
  const auto wide = decode(expression);
  if (wide.size() > expression_max)
    return refuse("it has " + std::to_string(wide.size()) + " characters; at most "
                  + std::to_string(expression_max) + " are allowed");
  if (wide.find(L"(?=") != std::wstring::npos || wide.find(L"(?!") != std::wstring::npos)
    return refuse("lookahead is not supported");
  if (expanded_size(wide) > expanded_max)
    return refuse("its repetitions add up to more than " + std::to_string(expanded_max)
                  + " characters");
  try {
    // Matching the whole subject against "anything, expression, anything" visits each character
    // once, where searching would start over at each.
    pattern result;
    result.compiled_ = std::make_shared<const compiled>(
        compiled{std::string{expression},
                 std::wregex{L"[^]*(?:" + wide + L")[^]*",
                             std::regex_constants::ECMAScript | std::regex_constants::nosubs
                                 | std::regex_constants::__polynomial}});
    return result;
  } catch (const std::regex_error& error) {
    return refuse(error.code() == std::regex_constants::error_complexity
                      ? "back-references are not supported"
                      : printable(error.what(), 200));
  }
}

bool pattern::found_in(std::string_view subject) const {
  const auto wide = decode(subject);
  HOLDFAST_INVARIANT(wide.size() <= subject_max, "the schema check refuses longer subjects");
  return std::regex_match(wide, compiled_->automaton);
}

bool pattern::can_be_found(std::string_view alphabet) const {
  const auto matched_by = [](const std::wstring& atom, const std::vector<wchar_t>& candidates) {
    std::vector<wchar_t> matched;
    try {
      const std::wregex one{atom, std::regex_constants::ECMAScript | std::regex_constants::nosubs};
      for (const auto c : candidates)
        if (std::regex_match(std::wstring(1, c), one))
          matched.push_back(c);
    } catch (const std::regex_error&) {
      return candidates; // no atom after all: nothing is known of it
    }
    return matched;
  };
  return can_match(decode(compiled_->source), matched_by, decode(alphabet));
}

const std::string& pattern::expression() const { return compiled_->source; }

} // namespace holdfast::documents
