#include "http/content_coding.hpp"

#include "http/header_names.hpp"
#include "http/weighted_names.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

/// Bytes that are packed or unpacked at a time.
constexpr std::size_t step_bytes = 16UL * 1024;

/// How far back a piece may refer to what was sent before. Small windows keep a stream that is open
/// for hours at 130 KiB (gzip) and 400 KiB (zstd).
constexpr int gzip_window_bits = 14;
constexpr int gzip_memory_level = 7;
constexpr int zstd_window_bits = 16;

/// Speed goes before size: answers are packed on the threads that make them.
constexpr int gzip_level = Z_BEST_SPEED;
constexpr int zstd_level = 1;

/// The window of a request, which its sender chooses: what RFC 8878 wants everybody to support.
constexpr int zstd_request_window_bits_max = 23;

/// Tells zlib that the data is in the format of gzip.
constexpr int gzip_format = 16;

core::failure malformed(content_coding how) {
  return {core::errc::invalid_argument,
          "the body is not in the coding " + std::string{to_string(how)} + ", or ends too soon"};
}

core::failure too_large(std::size_t bytes_max) {
  return {core::errc::too_large,
          "the unpacked body has more than " + std::to_string(bytes_max) + " bytes"};
}

core::failure no_room() {
  return {core::errc::overloaded, "the bodies of all requests together are too large"};
}

// ── gzip ─────────────────────────────────────────────────────────────────────────────────────────

/// zlib takes the bytes that it reads by a pointer to mutable ones, and does not change them.
Bytef* input_of(std::string_view bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

class gzip_encoder final : public piece_encoder {
public:
  gzip_encoder() {
    if (deflateInit2(&stream_, gzip_level, Z_DEFLATED, gzip_window_bits + gzip_format,
                     gzip_memory_level, Z_DEFAULT_STRATEGY)
        != Z_OK)
      throw std::bad_alloc{};
  }
  ~gzip_encoder() override { deflateEnd(&stream_); }
  gzip_encoder(const gzip_encoder&) = delete;
  gzip_encoder& operator=(const gzip_encoder&) = delete;

  std::string next(std::string_view piece) override {
    std::string packed;
    // zlib counts in 32 bits.
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    for (; piece.size() > most; piece.remove_prefix(most))
      pack(piece.substr(0, most), Z_NO_FLUSH, packed);
    pack(piece, Z_SYNC_FLUSH, packed);
    return packed;
  }
  std::string last() override {
    std::string packed;
    pack({}, Z_FINISH, packed);
    return packed;
  }

private:
  void pack(std::string_view piece, int flush, std::string& packed) {
    std::array<char, step_bytes> out; // NOLINT: zlib fills it
    stream_.next_in = input_of(piece);
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(out.data());
      stream_.avail_out = static_cast<uInt>(out.size());
      deflate(&stream_, flush);
      packed.append(out.data(), out.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
};

class inflater {
public:
  inflater() {
    if (inflateInit2(&stream_, MAX_WBITS + gzip_format) != Z_OK)
      throw std::bad_alloc{};
  }
  ~inflater() { inflateEnd(&stream_); }
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;

  z_stream& operator*() { return stream_; }

private:
  z_stream stream_{};
};

// ── zstd ─────────────────────────────────────────────────────────────────────────────────────────

class zstd_encoder final : public piece_encoder {
public:
  zstd_encoder() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_)
      throw std::bad_alloc{};
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, zstd_level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_windowLog, zstd_window_bits);
  }

  std::string next(std::string_view piece) override { return pack(piece, ZSTD_e_flush); }
  std::string last() override { return pack({}, ZSTD_e_end); }

private:
  std::string pack(std::string_view piece, ZSTD_EndDirective how) {
    std::array<char, step_bytes> out; // NOLINT: zstd fills it
    std::string packed;
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    for (std::size_t missing = 1; missing != 0;) {
      ZSTD_outBuffer made{out.data(), out.size(), 0};
      missing = ZSTD_compressStream2(context_.get(), &made, &in, how);
      if (ZSTD_isError(missing) != 0)
        throw std::bad_alloc{}; // nothing else can go wrong with these parameters
      packed.append(out.data(), made.pos);
    }
    return packed;
  }

  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

// ── unpacking ────────────────────────────────────────────────────────────────────────────────────

/// The result of unpacking, within its bounds.
class unpacked_body {
public:
  unpacked_body(std::size_t bytes_max, const std::function<bool(std::size_t)>& may_take)
      : bytes_max_(bytes_max), may_take_(may_take) {}

  /// False when the part goes beyond a bound.
  bool append(const char* bytes, std::size_t count) {
    if (count > bytes_max_ - text_.size())
      objection_ = too_large(bytes_max_);
    else if (!may_take_(count))
      objection_ = no_room();
    else
      text_.append(bytes, count);
    return objection_.code == core::errc::none;
  }
  const core::failure& objection() const { return objection_; }
  std::string take() { return std::move(text_); }

private:
  const std::size_t bytes_max_;
  const std::function<bool(std::size_t)>& may_take_;
  std::string text_;
  core::failure objection_;
};

core::failure unpack_gzip(std::string_view packed, unpacked_body& into) {
  const auto bad = malformed(content_coding::gzip);
  if (packed.size() > std::numeric_limits<uInt>::max())
    return bad;
  inflater from;
  auto& stream = *from;
  stream.next_in = input_of(packed);
  stream.avail_in = static_cast<uInt>(packed.size());
  std::array<char, step_bytes> out; // NOLINT: zlib fills it
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const auto result = inflate(&stream, Z_NO_FLUSH);
    // No progress: the end is missing.
    if (result != Z_OK && result != Z_STREAM_END)
      return bad;
    if (!into.append(out.data(), out.size() - stream.avail_out))
      return into.objection();
    if (result != Z_STREAM_END)
      continue;
    if (stream.avail_in == 0)
      return {};
    inflateReset(&stream); // A body may have several members, one behind the other.
  }
}

core::failure unpack_zstd(std::string_view packed, unpacked_body& into) {
  const auto bad = malformed(content_coding::zstd);
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context{ZSTD_createDCtx(),
                                                                     ZSTD_freeDCtx};
  if (!context)
    throw std::bad_alloc{};
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, zstd_request_window_bits_max);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::array<char, step_bytes> out; // NOLINT: zstd fills it
  for (;;) {
    ZSTD_outBuffer made{out.data(), out.size(), 0};
    const auto before = in.pos;
    const auto missing = ZSTD_decompressStream(context.get(), &made, &in);
    if (ZSTD_isError(missing) != 0)
      return bad;
    if (!into.append(out.data(), made.pos))
      return into.objection();
    if (missing == 0 && in.pos == in.size)
      return {};
    if (in.pos == before && made.pos == 0)
      return bad; // the end is missing
  }
}

/// Where `name` stands in what the client accepts; `*` stands for all that are not named.
unsigned weight_in(const std::vector<weighted_name>& accepted, std::string_view name) {
  unsigned weight = 0;
  for (const auto& one : accepted) {
    if (one.name == name || (name == "gzip" && one.name == "x-gzip"))
      return one.weight;
    if (one.name == "*")
      weight = one.weight;
  }
  return weight;
}

} // namespace

std::string_view to_string(content_coding one) {
  switch (one) {
  case content_coding::gzip:
    return "gzip";
  case content_coding::zstd:
    return "zstd";
  case content_coding::identity:
    break;
  }
  return "identity";
}

content_coding coding_for(const request& asked) {
  const auto accepted = weighted_names_of(asked, "accept-encoding");
  const auto gzip = weight_in(accepted, "gzip");
  const auto zstd = weight_in(accepted, "zstd");
  // A client that names `identity` may like it better than both.
  unsigned identity = 0;
  for (const auto& one : accepted)
    if (one.name == "identity")
      identity = one.weight;
  const auto best = std::max(gzip, zstd);
  if (best == 0 || best < identity)
    return content_coding::identity;
  return zstd == best ? content_coding::zstd : content_coding::gzip;
}

std::optional<content_coding> coding_of(const request& asked) {
  auto found = content_coding::identity;
  bool is_there = false;
  for (const auto& field : asked.headers) {
    if (field.name != "content-encoding")
      continue;
    if (std::exchange(is_there, true))
      return std::nullopt;
    if (is_same_name(field.value, "gzip") || is_same_name(field.value, "x-gzip"))
      found = content_coding::gzip;
    else if (is_same_name(field.value, "zstd"))
      found = content_coding::zstd;
    else if (!field.value.empty() && !is_same_name(field.value, "identity"))
      return std::nullopt;
  }
  return found;
}

std::unique_ptr<piece_encoder> piece_encoder::make(content_coding how) {
  switch (how) {
  case content_coding::gzip:
    return std::make_unique<gzip_encoder>();
  case content_coding::zstd:
    return std::make_unique<zstd_encoder>();
  case content_coding::identity:
    break;
  }
  return nullptr;
}

bool has_coding(const std::vector<parameter>& headers) {
  return std::any_of(headers.begin(), headers.end(), [](const parameter& one) {
    return is_same_name(one.name, "content-encoding");
  });
}

void mark_encoded(std::vector<parameter>& headers, content_coding how) {
  if (how != content_coding::identity)
    headers.push_back({"Content-Encoding", std::string{to_string(how)}});
  constexpr std::string_view varies = "Accept-Encoding";
  const auto known = std::find_if(headers.begin(), headers.end(), [](const parameter& one) {
    return is_same_name(one.name, "vary");
  });
  if (known == headers.end())
    headers.push_back({"Vary", std::string{varies}});
  else
    known->value.append(", ").append(varies);
}

response encoded(response plain, content_coding how) {
  if (plain.body.size() < encoded_bytes_min || has_coding(plain.headers))
    return plain;
  if (const auto encoder = piece_encoder::make(how)) {
    auto packed = encoder->next(plain.body);
    packed += encoder->last();
    plain.body = std::move(packed);
  }
  mark_encoded(plain.headers, how);
  return plain;
}

core::outcome<std::string> decoded(std::string_view packed, content_coding how,
                                   std::size_t bytes_max,
                                   const std::function<bool(std::size_t)>& may_take) {
  unpacked_body made{bytes_max, may_take};
  const auto why =
      how == content_coding::gzip ? unpack_gzip(packed, made) : unpack_zstd(packed, made);
  if (why.code != core::errc::none)
    return why;
  return made.take();
}

} // namespace holdfast::http
