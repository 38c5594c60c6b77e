#include "app/admin_token.hpp"

#include "core/api_token.hpp"
#include "files/private_file.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace holdfast::app {

namespace {

constexpr std::string_view token_prefix = "hf_";
constexpr std::size_t file_bytes_max = 1024;

core::outcome<std::string> new_admin_token() {
  auto secret = new_token_secret();
  if (!secret)
    return secret.error();
  return std::string{token_prefix} + "admin_" + *secret;
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
    auto made = new_admin_token();
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
         && secret.size() == 2 * core::token_secret_bytes;
}

core::outcome<std::string> new_token_secret() {
  std::string bytes(core::token_secret_bytes, '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return core::failure{core::errc::unavailable,
                         std::string{"the system gives no random bytes: "} + std::strerror(errno)};
  return core::token_secret_of(bytes);
}

} // namespace holdfast::app
