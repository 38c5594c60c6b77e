#pragma once

#include "core/errors.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "http/fields.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Single values of messages as JSON, both ways.
namespace holdfast::http {

// --- writing ---

/// `text` as a JSON string. Bytes that are not UTF-8 become U+FFFD: an answer is always JSON.
void append_string(std::string& out, std::string_view text);
void append_number(std::string& out, double number); ///< `null` where JSON has no such number.
/// Seconds, with as many digits behind the point as it takes.
void append_seconds(std::string& out, core::duration span);
/// RFC 3339 in quotes; `null` for the epoch, which stands for "never".
void append_time(std::string& out, core::instant at);

// --- reading ---

/// Why a value is not taken, for people: `must be …`. Empty: it was taken.
using objection = std::string;

objection read_value(std::string_view json, bool& into);
objection read_value(std::string_view json, double& into);
objection read_value(std::string_view json, std::string& into);
objection read_value(std::string_view json, core::uuid& into);
objection read_value(std::string_view json, core::instant& into);  ///< RFC 3339.
objection read_value(std::string_view json, core::duration& into); ///< Seconds.

/// Seconds that JSON may name are at most a century: no product of them overflows.
inline constexpr std::int64_t seconds_max = std::int64_t{100} * 366 * 24 * 3600;

/// A whole number from `least` to `most`.
objection read_whole(std::string_view json, std::int64_t least, std::uint64_t most,
                     std::int64_t& negative, std::uint64_t& positive);

template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
objection read_value(std::string_view json, T& into) {
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  auto why =
      read_whole(json, static_cast<std::int64_t>(std::numeric_limits<T>::min()),
                 static_cast<std::uint64_t>(std::numeric_limits<T>::max()), negative, positive);
  if (why.empty())
    into = negative < 0 ? static_cast<T>(negative) : static_cast<T>(positive);
  return why;
}

template <class Tag>
objection read_value(std::string_view json, core::strong_id<Tag>& into) {
  return read_value(json, into.value);
}

/// `must be a number from 0 to 1`
objection outside(std::string_view noun, std::int64_t least, std::int64_t most);

template <class T>
objection read_value(std::string_view json, const bounded<T>& into) {
  if constexpr (std::is_integral_v<T>) {
    // The bounds of a shape are within those of its type.
    std::int64_t negative = 0;
    std::uint64_t positive = 0;
    if (auto why =
            read_whole(json, into.least, static_cast<std::uint64_t>(into.most), negative, positive);
        !why.empty())
      return why;
    into.value = negative < 0 ? static_cast<T>(negative) : static_cast<T>(positive);
  } else if constexpr (std::is_same_v<T, core::duration>) {
    core::duration span{};
    const auto least = std::chrono::seconds{into.least};
    const auto most = std::chrono::seconds{into.most};
    if (!read_value(json, span).empty() || span < least || span > most)
      return outside("seconds,", into.least, into.most);
    into.value = span;
  } else {
    T value{};
    if (!read_value(json, value).empty() || value < static_cast<T>(into.least)
        || value > static_cast<T>(into.most))
      return outside("a number", into.least, into.most);
    into.value = value;
  }
  return {};
}

/// The number of the word that `json` spells; none when it is not in the list.
std::optional<std::uint64_t> number_of_word(std::string_view json, const word_list& words);
/// The word for a number; empty when none stands for it.
std::string_view word_for(std::uint64_t number, const word_list& words);
/// `must be one of "a", "b"`
objection not_one_of(const word_list& words);

template <class T>
objection read_value(std::string_view json, const word<T>& into) {
  const auto number = number_of_word(json, into.words);
  if (!number)
    return not_one_of(into.words);
  into.value = static_cast<T>(*number);
  return {};
}

objection read_value(std::string_view json, const document& into);

/// `text` of a path or query as the JSON value that a member of type T would have there: numbers
/// and `true` as they are, all else in quotes.
std::string json_of_text(std::string_view text, bool is_plain);

/// Whether values of this type are written in a query as they are in JSON.
template <class T>
struct is_plain_value : std::bool_constant<std::is_arithmetic_v<T>> {};
template <>
struct is_plain_value<core::duration> : std::true_type {};
template <>
struct is_plain_value<seconds_from_now> : std::true_type {};
template <class T>
struct is_plain_value<bounded<T>> : is_plain_value<T> {};

} // namespace holdfast::http
