#include "documents/normal_text.hpp"

#include "core/invariant.hpp"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

namespace holdfast::documents {

namespace {

struct release_memory {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); } // NOLINT: made by the library
};

std::string mapped(std::string_view text, bool compose, bool fold) {
  auto options = UTF8PROC_STABLE;
  if (compose || fold)
    options = static_cast<utf8proc_option_t>(options | UTF8PROC_COMPOSE);
  if (fold)
    options = static_cast<utf8proc_option_t>(options | UTF8PROC_CASEFOLD);
  utf8proc_uint8_t* made = nullptr;
  const auto length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), // NOLINT: bytes
                   static_cast<utf8proc_ssize_t>(text.size()), &made, options);
  const std::unique_ptr<utf8proc_uint8_t, release_memory> owned{made};
  HOLDFAST_INVARIANT(length >= 0, "the text is valid UTF-8");
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(length)}; // NOLINT: bytes
}

/// The part of a code point in a comparison.
enum class sort_of_letter { letter, blank, sign };

sort_of_letter sort_of(utf8proc_int32_t point) {
  switch (utf8proc_category(point)) {
  case UTF8PROC_CATEGORY_ZS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
  case UTF8PROC_CATEGORY_CC:
    return sort_of_letter::blank;
  case UTF8PROC_CATEGORY_PC:
  case UTF8PROC_CATEGORY_PD:
  case UTF8PROC_CATEGORY_PS:
  case UTF8PROC_CATEGORY_PE:
  case UTF8PROC_CATEGORY_PI:
  case UTF8PROC_CATEGORY_PF:
  case UTF8PROC_CATEGORY_PO:
  case UTF8PROC_CATEGORY_SM:
  case UTF8PROC_CATEGORY_SC:
  case UTF8PROC_CATEGORY_SK:
  case UTF8PROC_CATEGORY_SO:
    return sort_of_letter::sign;
  default:
    return sort_of_letter::letter;
  }
}

template <class Use>
void for_each_point(std::string_view text, Use use) {
  while (!text.empty()) {
    utf8proc_int32_t point = 0;
    const auto length =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), // NOLINT: bytes
                         static_cast<utf8proc_ssize_t>(text.size()), &point);
    HOLDFAST_INVARIANT(length > 0, "the text is valid UTF-8");
    use(point, text.substr(0, static_cast<std::size_t>(length)));
    text.remove_prefix(static_cast<std::size_t>(length));
  }
}

/// One word without the signs that are not compared.
std::string compared_word(std::string_view word, const core::fields::text_normalisation& how) {
  const auto text =
      how.nfc || how.letter_case ? mapped(word, how.nfc, how.letter_case) : std::string{word};
  if (!how.punctuation)
    return text;
  std::string kept;
  for_each_point(text, [&](utf8proc_int32_t point, std::string_view bytes) {
    if (sort_of(point) != sort_of_letter::sign)
      kept += bytes;
  });
  return kept;
}

} // namespace

core::fields::phrase phrase_of(std::string_view text, const core::fields::text_normalisation& how) {
  core::fields::phrase made;
  made.written = text;
  std::string written;
  std::string blanks; // that have come since the last word
  const auto end_word = [&] {
    if (written.empty())
      return;
    auto compared = compared_word(written, how);
    if (!compared.empty()) {
      if (how.blanks)
        made.compared += made.words.empty() ? "" : " ";
      else
        made.compared += blanks;
      blanks.clear();
      made.compared += compared;
      made.words.push_back({written, std::move(compared)});
    }
    written.clear();
  };
  for_each_point(text, [&](utf8proc_int32_t point, std::string_view bytes) {
    if (sort_of(point) == sort_of_letter::blank) {
      end_word();
      blanks += bytes;
    } else {
      written += bytes;
    }
  });
  end_word();
  if (!how.blanks)
    made.compared += blanks;
  return made;
}

} // namespace holdfast::documents
