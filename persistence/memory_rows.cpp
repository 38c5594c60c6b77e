#include "persistence/memory_rows.hpp"

#include <limits>

namespace holdfast::persistence::memory {

namespace {

/// Decodes one UTF-8 sequence; the number of its bytes, or 0 where PostgreSQL reports 22021.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const auto lead = byte(0);
  if (lead == 0)
    return 0;
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool overlong = lead == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = lead == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool overlong = lead == 0xf0 && byte(1) < 0x90;
    const bool beyond = lead == 0xf4 && byte(1) > 0x8f;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

} // namespace

void require(bool condition, const char* reason) {
  if (!condition)
    throw refusal{reason};
}

void require_text(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = utf8_length(text, at);
    require(length != 0, "22021: text is not UTF-8 without NUL");
    at += length;
  }
}

void require_bigint(std::uint64_t value) {
  require(value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
          "23514: number beyond bigint");
}

void require_integer(std::uint32_t value) {
  require(value <= static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max()),
          "23514: number beyond integer");
}

void require_instant(core::instant at) {
  // 4714 BC; PostgreSQL's upper end lies beyond what an instant can hold.
  constexpr std::int64_t first_us = -211'813'488'000'000'000 + 946'684'800'000'000;
  require(core::to_micros(at) >= first_us, "22008: timestamp out of range");
}

void require_token(core::token token) {
  require_bigint(token);
  require(token > 0, "23514: token must be positive");
}

void require_lease(const core::lease& lease) {
  require_text(lease.owner);
  require_token(lease.token);
  require_instant(lease.granted_at);
  require_instant(lease.expires_at);
  require(!lease.owner.empty() && lease.owner.size() <= 128,
          "23514: ids of contributors and workers have 1 to 128 bytes");
  require(lease.expires_at > lease.granted_at, "23514: a lease ends after it begins");
}

} // namespace holdfast::persistence::memory
