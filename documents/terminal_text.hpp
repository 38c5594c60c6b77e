#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Characters of UTF-8 text, as far as a terminal obeys them.
namespace holdfast::documents {

struct text_character {
  std::size_t bytes = 0; ///< 0: none begins here.
  char32_t code_point = 0;
};

text_character character_at(std::string_view text, std::size_t at);

/// Whether `text`, in which no character begins, may be the first bytes of one.
bool may_be_cut_off(std::string_view text);

/// Whether a terminal obeys the character or writes what follows elsewhere: controls, also those of
/// Latin-1, separators of lines, and what reorders text (UAX 9, explicit formatting).
bool commands_a_terminal(char32_t code_point);

/// A character as JSON escapes it: `\n`, `\r`, `\t` or `\u009b`. Of those below U+10000.
std::string escaped_character(char32_t code_point);

} // namespace holdfast::documents
