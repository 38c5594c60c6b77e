#include "connectors/jwt.hpp"

#include "connectors/base64url.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace holdfast::connectors {

namespace {

using nlohmann::json;

constexpr std::size_t key_id_bytes_max = 256;
constexpr double seconds_max = 253402300799; ///< The end of the year 9999.

core::failure bad_token(std::string what) {
  return {core::errc::invalid_argument, std::move(what)};
}

/// The object that the text holds; null for anything else.
json object_of(std::string_view text) {
  auto parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? std::move(parsed) : json{};
}

/// Whether `typ` is that of a JSON Web Token or of an access token (RFC 9068).
bool is_type_of_token(std::string_view text) {
  std::string lower{text};
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower == "jwt" || lower == "at+jwt" || lower == "application/at+jwt";
}

/// Reads claims, and keeps the first thing that is wrong with them.
class claim_reader {
public:
  explicit claim_reader(const json& from) : from_(from) {}

  std::string text(const std::string& name) {
    const auto found = from_.find(name);
    if (found == from_.end())
      return {};
    if (!found->is_string())
      return blame(name), std::string{};
    return found->get<std::string>();
  }

  /// One text, or a list of texts.
  std::optional<std::vector<std::string>> texts(const std::string& name) {
    const auto found = from_.find(name);
    if (name.empty() || found == from_.end())
      return std::nullopt;
    if (found->is_string())
      return std::vector<std::string>{found->get<std::string>()};
    std::vector<std::string> all;
    if (!found->is_array())
      return blame(name), all;
    for (const auto& one : *found) {
      if (!one.is_string())
        return blame(name), all;
      all.push_back(one.get<std::string>());
    }
    return all;
  }

  std::optional<core::instant> time(const std::string& name) {
    const auto found = from_.find(name);
    if (found == from_.end())
      return std::nullopt;
    if (!found->is_number())
      return blame(name), std::nullopt;
    const auto seconds = found->get<double>();
    if (!std::isfinite(seconds) || seconds < 0 || seconds > seconds_max)
      return blame(name), std::nullopt;
    return core::instant{std::chrono::duration_cast<core::duration>(
        std::chrono::duration<double>{std::floor(seconds)})};
  }

  const std::string& wrong() const { return wrong_; }

private:
  void blame(const std::string& name) {
    if (wrong_.empty())
      wrong_ = "the token has a claim that cannot be read: " + name;
  }

  const json& from_;
  std::string wrong_;
};

} // namespace

std::optional<jwt_algorithm> jwt_algorithm_named(std::string_view name) {
  if (name == "RS256")
    return jwt_algorithm::rs256;
  if (name == "ES256")
    return jwt_algorithm::es256;
  if (name == "EdDSA")
    return jwt_algorithm::eddsa;
  return std::nullopt;
}

bool has_form_of_jwt(std::string_view text) {
  return std::count(text.begin(), text.end(), '.') == 2;
}

core::outcome<jwt> parse_jwt(std::string_view text) {
  if (text.size() > jwt_bytes_max)
    return bad_token("the token is too large");
  if (!has_form_of_jwt(text))
    return bad_token("the token does not have three parts");
  const auto first = text.find('.');
  const auto second = text.find('.', first + 1);
  const auto header_text = from_base64url(text.substr(0, first));
  auto payload = from_base64url(text.substr(first + 1, second - first - 1));
  auto signature = from_base64url(text.substr(second + 1));
  if (!header_text || !payload || !signature)
    return bad_token("the token is no base64url without padding");
  const auto header = object_of(*header_text);
  if (!header.is_object())
    return bad_token("the token has no header that can be read");
  // Members that a reader must know (RFC 7515, section 4.1.11): there is none that this one knows.
  if (header.contains("crit"))
    return bad_token("the token has a critical header that is not known");
  if (const auto type = header.find("typ"); type != header.end())
    if (!type->is_string() || !is_type_of_token(type->get_ref<const std::string&>()))
      return bad_token("the token is of another type");
  const auto named = header.find("alg");
  const auto algorithm = named != header.end() && named->is_string()
                             ? jwt_algorithm_named(named->get_ref<const std::string&>())
                             : std::nullopt;
  if (!algorithm)
    return bad_token("the token is not signed by RS256, ES256 or EdDSA");
  jwt token;
  token.algorithm = *algorithm;
  if (const auto id = header.find("kid"); id != header.end()) {
    if (!id->is_string() || id->get_ref<const std::string&>().size() > key_id_bytes_max)
      return bad_token("the token has a kid that cannot be read");
    token.key_id = id->get<std::string>();
  }
  token.signed_part = text.substr(0, second);
  token.payload = std::move(*payload);
  token.signature = std::move(*signature);
  return token;
}

core::outcome<core::token_claims> parse_claims(std::string_view payload, const claim_names& names) {
  const auto object = object_of(payload);
  if (!object.is_object())
    return bad_token("the token has no claims that can be read");
  claim_reader reader{object};
  core::token_claims claims;
  claims.issuer = reader.text("iss");
  claims.audiences = reader.texts("aud").value_or(std::vector<std::string>{});
  claims.expires_at = reader.time("exp");
  claims.not_before = reader.time("nbf");
  claims.issued_at = reader.time("iat");
  claims.roles = reader.texts(names.role).value_or(std::vector<std::string>{});
  claims.name = reader.text(names.name);
  claims.queues = reader.texts(names.queues);
  claims.workflows = reader.texts(names.workflows);
  if (!reader.wrong().empty())
    return bad_token(reader.wrong());
  return claims;
}

} // namespace holdfast::connectors
