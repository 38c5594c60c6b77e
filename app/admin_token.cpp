#include "app/admin_token.hpp"

#include "files/private_file.hpp"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace holdfast::app {

namespace {

constexpr std::string_view token_prefix = "hf_";
constexpr std::size_t secret_bytes = 32;
constexpr std::size_t file_bytes_max = 1024;

std::string hex_of(const std::array<unsigned char, secret_bytes>& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const auto byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

core::outcome<std::string> new_token() {
  std::array<unsigned char, secret_bytes> secret{};
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
    return core::failure{core::errc::unavailable,
                         std::string{"the system gives no random bytes: "} + std::strerror(errno)};
  return std::string{token_prefix} + "admin_" + hex_of(secret);
}

/// Without the line end with which editors leave a file.
std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

} // namespace

std::filesystem::path admin_token_file(const std::filesystem::path& data_dir) {
  return data_dir / "admin.token";
}

core::outcome<std::string> admin_token_in(const std::filesystem::path& data_dir) {
  const auto path = admin_token_file(data_dir);
  if (!std::filesystem::exists(std::filesystem::symlink_status(path))) {
    auto made = new_token();
    if (!made)
      return made.error();
    const auto written =
        files::write_whole(path.string(), *made + '\n', 0600, files::existing::keep);
    if (!written)
      return written.error();
    return made;
  }
  auto read = files::read_secret(path.string(), file_bytes_max);
  if (!read)
    return read.error();
  auto token = trimmed(std::move(*read));
  if (!is_token(token))
    return core::failure{core::errc::invalid_argument,
                         path.string()
                             + " holds no token: remove the file, and the next start "
                               "writes a new one"};
  return token;
}

bool is_token(std::string_view text) {
  if (text.substr(0, token_prefix.size()) != token_prefix)
    return false;
  text.remove_prefix(token_prefix.size());
  const auto split = text.find('_');
  if (split == 0 || split == std::string_view::npos)
    return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto id = text.substr(0, split);
  const auto secret = text.substr(split + 1);
  return std::all_of(id.begin(), id.end(), is_letter)
         && std::all_of(secret.begin(), secret.end(), is_letter)
         && secret.size() == 2 * secret_bytes;
}

bool equal_secrets(std::string_view a, std::string_view b) {
  if (a.size() != b.size())
    return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

} // namespace holdfast::app
