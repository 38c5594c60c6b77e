#pragma once

#include "core/outcome.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace holdfast::app {

/// The file of the data directory with the token of the first administrator.
std::filesystem::path admin_token_file(const std::filesystem::path& data_dir);

/// The token in that file. Where there is no file, a token is made of 256 random bits and the file
/// written, readable by its owner only. `invalid_argument` for a file that others can read, or
/// whose content is no token.
core::outcome<std::string> admin_token_in(const std::filesystem::path& data_dir);

/// Whether `text` has the form of a token: `hf_`, an id and a secret.
bool is_token(std::string_view text);

/// A new secret for an API token, of 256 random bits. Fails when the system gives none.
core::outcome<std::string> new_token_secret();

} // namespace holdfast::app
