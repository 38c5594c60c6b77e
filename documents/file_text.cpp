#include "documents/file_text.hpp"

#include "core/text.hpp"

namespace holdfast::documents {

namespace {

constexpr std::string_view utf8_mark = "\xef\xbb\xbf";

/// With its mark, or with the NUL that every ASCII character has beside it there.
bool looks_like_utf16(std::string_view text) {
  using core::begins_with;
  if (begins_with(text, "\xff\xfe") || begins_with(text, "\xfe\xff"))
    return true;
  return text.size() > 1 && (text[0] == '\0') != (text[1] == '\0');
}

bool looks_like_utf32(std::string_view text) {
  using namespace std::string_view_literals;
  return core::begins_with(text, "\xff\xfe\0\0"sv) || core::begins_with(text, "\0\0\xfe\xff"sv);
}

core::failure save_as_utf8(const char* found) {
  return {core::errc::invalid_argument,
          std::string{"the text is encoded as "} + found + "; save it as UTF-8"};
}

} // namespace

core::outcome<std::string_view> text_of_file(std::string_view text) {
  if (looks_like_utf32(text))
    return save_as_utf8("UTF-32");
  if (looks_like_utf16(text))
    return save_as_utf8("UTF-16");
  if (core::begins_with(text, utf8_mark))
    text.remove_prefix(utf8_mark.size());
  return text;
}

} // namespace holdfast::documents
