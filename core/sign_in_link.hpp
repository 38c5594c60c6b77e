#pragma once

#include "core/api_token.hpp"
#include "core/time.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// Links that sign a person in at the pages. A link is a row of its own among the tokens. It opens
/// a session of its role once: the link is revoked, and a token for the session is made in its
/// place.
namespace holdfast::core {

/// The time for which a link is good.
inline constexpr duration sign_in_link_lifetime = std::chrono::minutes{10};
/// A session ends after so long, or with its token where that is earlier.
inline constexpr duration session_lifetime = std::chrono::hours{12};

/// `hl_<id>_<secret>`: the text of a link. It is no token.
std::string text_of_link(const api_token_text& parts);
/// Reads what `text_of_link` writes. Empty for anything else.
std::optional<api_token_text> parse_sign_in_link(std::string_view text);
/// The page for people of a role that takes the link: `/console#link=hl_…`.
std::string page_of_link(std::string_view role_name, std::string_view link_text);
/// The text of which the stored SHA-256 is made: another one than of a token with this secret, so
/// that a link shown as a token is not good.
std::string hashed_text_of_link(std::string_view secret);
/// The id of the token of the session that a link opens. A link has one: of two exchanges at the
/// same time, the second finds the id in use.
api_token_id session_of_link(api_token_id link);

} // namespace holdfast::core
