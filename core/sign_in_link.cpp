#include "core/sign_in_link.hpp"

#include "core/access.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::core {

namespace {

// A link is written as a token is, but for its prefix.
constexpr std::string_view link_prefix = "hl_";
constexpr std::string_view token_prefix = "hf_";

} // namespace

std::string text_of_link(const api_token_text& parts) {
  return to_string(parts).replace(0, token_prefix.size(), link_prefix);
}

std::optional<api_token_text> parse_sign_in_link(std::string_view text) {
  if (text.substr(0, link_prefix.size()) != link_prefix)
    return std::nullopt;
  return parse_api_token(std::string{token_prefix} += text.substr(link_prefix.size()));
}

std::string page_of_link(std::string_view role_name, std::string_view link_text) {
  std::string page = role_name == to_string(role::contributor) ? "/label" : "/console";
  // Behind `#`, which browsers send to no server and write into no log.
  return (page += "#link=") += link_text;
}

std::string hashed_text_of_link(std::string_view secret) {
  return std::string{link_prefix} += secret;
}

api_token_id session_of_link(api_token_id link) {
  // The random part of an id of version 7 but for its first byte, which has the variant.
  for (std::size_t i = link.value.bytes.size() / 2 + 1; i < link.value.bytes.size(); ++i)
    link.value.bytes[i] = static_cast<std::uint8_t>(link.value.bytes[i] ^ 0xffU);
  return link;
}

} // namespace holdfast::core
