#include "connectors/webhook_signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <optional>

namespace holdfast::connectors {

namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::size_t key_bytes_min = 24;
constexpr std::size_t key_bytes_max = 64;
constexpr std::size_t keys_max = 2;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4, '\0');
  // It writes a NUL behind them, where the string has one already.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes_of(bytes),
                  static_cast<int>(bytes.size()));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  const auto padding = static_cast<std::size_t>(
      text.end() - std::find_if(text.begin(), text.end(), [](char c) { return c == '='; }));
  if (text.empty() || text.size() % 4 != 0 || padding > 2)
    return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), bytes_of(text),
                      static_cast<int>(text.size()))
      < 0)
    return std::nullopt;
  bytes.resize(bytes.size() - padding);
  // It takes blanks, and bits behind the last byte, that another reader would not.
  return base64(bytes) == text ? std::optional{bytes} : std::nullopt;
}

std::string hmac_sha256(const webhook_key& key, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(), digest,
       &length);
  return {reinterpret_cast<const char*>(digest), length};
}

} // namespace

core::outcome<std::vector<webhook_key>> parse_secret(std::string_view text) {
  const auto wrong = [](std::size_t line, const std::string& what) {
    return core::failure{core::errc::invalid_argument, "line " + std::to_string(line) + " " + what};
  };
  std::vector<webhook_key> keys;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    auto one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!one.empty() && one.back() == '\r')
      one.remove_suffix(1);
    if (one.empty())
      continue;
    if (one.substr(0, prefix.size()) != prefix)
      return wrong(line, "does not begin with whsec_");
    const auto key = from_base64(one.substr(prefix.size()));
    if (!key)
      return wrong(line, "has no base64 behind whsec_");
    if (key->size() < key_bytes_min || key->size() > key_bytes_max)
      return wrong(line,
                   "has a key of " + std::to_string(key->size()) + " bytes, and not of 24 to 64");
    if (keys.size() == keys_max)
      return wrong(line, "is one too many: there may be two, the new one and the old one");
    keys.push_back(*key);
  }
  if (keys.empty())
    return core::failure{core::errc::invalid_argument, "it is empty"};
  return keys;
}

std::string signature_of(const std::vector<webhook_key>& keys, std::string_view id,
                         std::int64_t timestamp, std::string_view body) {
  const auto text = std::string{id} + '.' + std::to_string(timestamp) + '.' + std::string{body};
  std::string header;
  for (const auto& key : keys) {
    if (!header.empty())
      header += ' ';
    header += "v1," + base64(hmac_sha256(key, text));
  }
  return header;
}

} // namespace holdfast::connectors
