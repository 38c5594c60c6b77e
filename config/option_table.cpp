#include "config/option_table.hpp"

#include "config/value_text.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::config {

namespace {

template <class Word>
std::string word_of(Word value) {
  for (const auto& [word, candidate] : words(value))
    if (candidate == value)
      return quote(word);
  return quote("");
}

template <class Word>
std::string choices(Word any) {
  std::string text;
  for (const auto& [word, value] : words(any))
    text += (text.empty() ? "one of `" : ", `") + word + '`';
  return text;
}

struct row_writer {
  std::vector<option_row>& rows;

  void operator()(const char* key, const std::string& member, const text_default& standard,
                  std::size_t shortest, std::size_t longest, const char* doc) const {
    const bool fixed = standard.compute == nullptr;
    rows.push_back(
        {key, quote(member), fixed ? quote(standard.text) : standard.text,
         "text of " + std::to_string(shortest) + " to " + std::to_string(longest) + " bytes", doc,
         false, fixed});
  }

  void operator()(const char* key, const std::uint32_t& member, std::uint32_t standard,
                  std::uint32_t least, std::uint32_t greatest, const char* doc) const {
    rows.push_back({key, std::to_string(member), std::to_string(standard),
                    std::to_string(least) + " to " + std::to_string(greatest), doc, false, true});
  }

  void operator()(const char* key, const core::duration& member, core::duration standard,
                  core::duration least, core::duration greatest, const char* doc) const {
    rows.push_back({key, quote(to_text(member)), quote(to_text(standard)),
                    to_text(least) + " to " + to_text(greatest), doc, false, true});
  }

  template <class Word>
  void operator()(const char* key, const Word& member, Word standard, const char* doc) const {
    rows.push_back({key, word_of(member), word_of(standard), choices(standard), doc, false, true});
  }

  void operator()(const char* key, const secret& member, const char* doc) const {
    rows.push_back({key, member ? "(hidden)" : "(none)", "none", "text, secret", doc, true, false});
  }
};

} // namespace

std::vector<option_row> option_table(const settings& s) {
  std::vector<option_row> rows;
  describe(row_writer{rows}, s);
  return rows;
}

} // namespace holdfast::config
