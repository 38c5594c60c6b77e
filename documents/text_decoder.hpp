#pragma once

#include "core/outcome.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::documents {

/// Makes UTF-8 of the bytes of a text file that come in pieces. A byte order mark is left out;
/// UTF-16 with one is decoded. What is no text in UTF-16 becomes bytes that are no UTF-8, so that
/// the reader of lines refuses that line alone.
class text_decoder {
public:
  /// Appends the text of the piece to `into`. `invalid_argument` for UTF-16 without a byte order
  /// mark and for UTF-32, which the first four bytes show.
  core::failure read(std::string_view piece, std::string& into);
  /// The same of what was held back until more bytes would come.
  core::failure end(std::string& into);

private:
  enum class encoding : std::uint8_t { unknown, utf8, utf16_little, utf16_big };

  core::failure begin(std::string& into);
  void decode(std::string_view bytes, std::string& into);
  void take_unit(std::uint16_t unit, std::string& into);
  void flush_surrogate(std::string& into);

  encoding encoding_ = encoding::unknown;
  std::string held_;       ///< The first bytes, or the first of two bytes.
  std::uint16_t high_ = 0; ///< A high surrogate whose other half is to come; 0: none.
};

} // namespace holdfast::documents
