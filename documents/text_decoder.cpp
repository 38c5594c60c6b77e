#include "documents/text_decoder.hpp"

#include "core/text.hpp"
#include "documents/file_text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace holdfast::documents {

namespace {

/// So many show a byte order mark, and that there is none.
constexpr std::size_t mark_bytes = 4;

constexpr std::uint16_t high_surrogates = 0xd800;
constexpr std::uint16_t low_surrogates = 0xdc00;
constexpr std::uint16_t behind_surrogates = 0xe000;

/// As UTF-8 would be if it had surrogates, which it has not: a lone one makes no valid text.
void append_code_point(std::uint32_t point, std::string& into) {
  const auto tail = [&](unsigned shift) {
    into += static_cast<char>(0x80U | ((point >> shift) & 0x3fU));
  };
  if (point < 0x80) {
    into += static_cast<char>(point);
  } else if (point < 0x800) {
    into += static_cast<char>(0xc0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    into += static_cast<char>(0xe0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    into += static_cast<char>(0xf0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

} // namespace

core::failure text_decoder::begin(std::string& into) {
  using namespace std::string_view_literals;
  const auto held = std::exchange(held_, {});
  const std::string_view first{held};
  // The mark of UTF-16 in little endian is the beginning of that of UTF-32.
  const bool is_utf32 = core::begins_with(first, "\xff\xfe\0\0"sv);
  if (!is_utf32 && core::begins_with(first, "\xff\xfe"))
    encoding_ = encoding::utf16_little;
  else if (core::begins_with(first, "\xfe\xff"))
    encoding_ = encoding::utf16_big;
  else
    encoding_ = encoding::utf8;
  if (encoding_ != encoding::utf8) {
    decode(first.substr(2), into);
    return {};
  }
  const auto text = text_of_file(first);
  if (text) {
    into += *text;
    return {};
  }
  if (is_utf32 || core::begins_with(first, "\0\0\xfe\xff"sv))
    return text.error();
  return {core::errc::invalid_argument,
          "the text is encoded as UTF-16 without a byte order mark; save it as UTF-8, or as UTF-16 "
          "with the mark"};
}

core::failure text_decoder::read(std::string_view piece, std::string& into) {
  if (encoding_ == encoding::unknown) {
    const auto taken = std::min(piece.size(), mark_bytes - held_.size());
    held_ += piece.substr(0, taken);
    piece.remove_prefix(taken);
    if (held_.size() < mark_bytes)
      return {};
    if (auto why = begin(into); why.code != core::errc::none)
      return why;
  }
  decode(piece, into);
  return {};
}

core::failure text_decoder::end(std::string& into) {
  if (encoding_ == encoding::unknown)
    if (auto why = begin(into); why.code != core::errc::none)
      return why;
  if (!held_.empty()) // half of a character
    append_code_point(low_surrogates, into);
  held_.clear();
  flush_surrogate(into);
  return {};
}

void text_decoder::decode(std::string_view bytes, std::string& into) {
  if (encoding_ == encoding::utf8) {
    into += bytes;
    return;
  }
  for (const char byte : bytes) {
    if (held_.empty()) {
      held_ += byte;
      continue;
    }
    const auto first = static_cast<unsigned char>(held_.front());
    const auto second = static_cast<unsigned char>(byte);
    held_.clear();
    take_unit(static_cast<std::uint16_t>(encoding_ == encoding::utf16_little
                                             ? first | (second << 8U)
                                             : (first << 8U) | second),
              into);
  }
}

void text_decoder::take_unit(std::uint16_t unit, std::string& into) {
  const bool is_low = unit >= low_surrogates && unit < behind_surrogates;
  if (high_ != 0 && is_low) {
    append_code_point(0x10000U + ((std::uint32_t{high_} - high_surrogates) << 10U)
                          + (std::uint32_t{unit} - low_surrogates),
                      into);
    high_ = 0;
    return;
  }
  flush_surrogate(into);
  if (unit >= high_surrogates && unit < low_surrogates)
    high_ = unit;
  else
    append_code_point(unit, into);
}

void text_decoder::flush_surrogate(std::string& into) {
  if (high_ != 0)
    append_code_point(high_, into);
  high_ = 0;
}

} // namespace holdfast::documents
