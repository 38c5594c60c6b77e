#pragma once

#include "core/outcome.hpp"
#include "http/call.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// Compression of answers and requests (RFC 9110, 8.4).
namespace holdfast::http {

enum class content_coding : std::uint8_t { identity, gzip, zstd };

/// As HTTP spells it: `gzip`.
std::string_view to_string(content_coding one);

/// The codings that requests may have, for `Accept-Encoding` of an answer 415.
inline constexpr std::string_view known_codings = "gzip, zstd";

/// Bodies with fewer bytes are left as they are: the header fields of a coding would eat up most of
/// the gain.
inline constexpr std::size_t encoded_bytes_min = 1024;

/// The coding that the client likes best by `Accept-Encoding`; zstd of two that it likes equally.
content_coding coding_for(const request& asked);

/// The coding of the body of a request by `Content-Encoding`; none for one that is not known here,
/// and for several, one upon the other.
std::optional<content_coding> coding_of(const request& asked);

/// Compresses a body piece by piece: each piece can be unpacked as soon as it has arrived.
class piece_encoder {
public:
  /// Null for `identity`.
  static std::unique_ptr<piece_encoder> make(content_coding how);
  virtual ~piece_encoder() = default;

  virtual std::string next(std::string_view piece) = 0;
  /// The end of the body; nothing may follow.
  virtual std::string last() = 0;
};

/// Adds the header fields of an answer that is sent in this coding, or in none because the client
/// has not asked for any: `Vary`, and `Content-Encoding`.
void mark_encoded(std::vector<parameter>& headers, content_coding how);

/// Whether an answer has a coding of its own already.
bool has_coding(const std::vector<parameter>& headers);

/// The answer in this coding; as it is where it is too small to gain.
response encoded(response plain, content_coding how);

/// Unpacks a body. `may_take` is asked before each part of the result, with its size: false ends
/// the unpacking with `overloaded`. `too_large` when the result would have more than `bytes_max`
/// bytes, of which no more are ever made; `invalid_argument` when the bytes are not in this coding,
/// or end too soon.
core::outcome<std::string> decoded(std::string_view packed, content_coding how,
                                   std::size_t bytes_max,
                                   const std::function<bool(std::size_t)>& may_take);

} // namespace holdfast::http
