#include "documents/pointer.hpp"

#include "documents/json_slices.hpp"
#include "documents/text.hpp"

#include <charconv>

namespace holdfast::documents {

namespace {

/// Pointers in messages are cut here: a member's name may be as long as the document.
constexpr std::size_t shown_pointer_bytes_max = 200;

/// The index an array element is addressed by: decimal, without leading zeros.
std::optional<std::size_t> array_index(const std::string& token) {
  std::size_t index = 0;
  const auto* last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, index);
  if (token.empty() || error != std::errc{} || end != last || (token[0] == '0' && token.size() > 1))
    return std::nullopt;
  return index;
}

} // namespace

std::optional<json_pointer> json_pointer::parse(std::string_view text) {
  json_pointer pointer;
  if (!text.empty() && text.front() != '/')
    return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/') {
      pointer.tokens_.emplace_back();
    } else if (text[i] != '~') {
      pointer.tokens_.back() += text[i];
    } else {
      ++i;
      if (i == text.size() || (text[i] != '0' && text[i] != '1'))
        return std::nullopt;
      pointer.tokens_.back() += text[i] == '0' ? '~' : '/';
    }
  }
  return pointer;
}

const nlohmann::json* json_pointer::find(const nlohmann::json& document) const {
  const auto* at = &document;
  for (const auto& token : tokens_) {
    if (at->is_object()) {
      const auto member = at->find(token);
      if (member == at->end())
        return nullptr;
      at = &*member;
    } else if (at->is_array()) {
      const auto index = array_index(token);
      if (!index || *index >= at->size())
        return nullptr;
      at = &(*at)[*index];
    } else {
      return nullptr;
    }
  }
  return at;
}

std::optional<std::string_view> json_pointer::find_text(std::string_view document) const {
  std::optional<std::string_view> at = document.substr(document.find_first_not_of(" \t\r\n"));
  for (const auto& token : tokens_) {
    if (at->front() == '{') {
      at = member_text(*at, token);
    } else if (at->front() == '[') {
      const auto index = array_index(token);
      at = index ? element_text(*at, *index) : std::nullopt;
    } else {
      return std::nullopt;
    }
    if (!at)
      return std::nullopt;
  }
  return at;
}

void append_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~')
      pointer += "~0";
    else if (c == '/')
      pointer += "~1";
    else
      pointer += c;
  }
}

std::string at_place(std::string_view pointer, std::string_view what) {
  if (pointer.empty())
    return std::string{what};
  return printable(pointer, shown_pointer_bytes_max) + ": " + std::string{what};
}

} // namespace holdfast::documents
