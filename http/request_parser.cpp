#include "http/request_parser.hpp"

#include "http/header_names.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace holdfast::http {

namespace {

namespace beast = boost::beast;

/// Header fields of one request. Each takes 64 bytes of memory, however short it is.
constexpr std::size_t fields_max = 128;

/// Memory that is set aside for a body before its bytes are there.
constexpr std::uint64_t body_reserve_max = 256UL * 1024;

/// The shortest end of a chunked body, `0 CRLF CRLF`. With fewer bytes of a chunk header, Beast
/// 1.74 breaks an assertion of its own.
constexpr std::size_t chunk_end_bytes = 5;

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

bool is_number(std::string_view text) {
  return !text.empty()
         && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether a line of the header begins with a blank. It may be taken for a part of the line before,
/// for a field of its own, or for nothing (RFC 9112, 5.2).
bool has_folded_line(std::string_view header) {
  return header.find("\n ") != std::string_view::npos
         || header.find("\n\t") != std::string_view::npos;
}

/// The path and query of a target in absolute form, `http://host/path?query`, which clients send
/// to proxies and servers must accept (RFC 9112, 3.2.2).
std::string_view without_authority(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!is_same_name(target.substr(0, scheme.size()), scheme))
      continue;
    const auto path = target.find_first_of("/?", scheme.size());
    return path == std::string_view::npos ? std::string_view{"/"} : target.substr(path);
  }
  return target;
}

/// The line with the size of a chunk, or as much of it as is there. `bytes` may begin with the end
/// of the chunk before.
std::string_view chunk_header(std::string_view bytes) {
  if (bytes.substr(0, 2) == "\r\n")
    bytes.remove_prefix(2);
  return bytes.substr(0, bytes.find('\n'));
}

bool has_quotes(std::string_view line) { return line.find('"') != std::string_view::npos; }

} // namespace

/// Beast splits the bytes; this gathers the parts.
class request_parser::reader final : public beast::http::basic_parser<true> {
public:
  reader(body_share of, std::uint64_t bytes_max)
      : share(std::move(of)), body_bytes_max(bytes_max) {}

  request asked;
  body_share share;
  const std::uint64_t body_bytes_max;
  int minor_version = 1;
  unsigned hosts = 0; ///< Fields `Host`.
  bool expects_continue = false;
  bool header_done = false;
  bool too_many_fields = false;
  bool no_room = false;
  std::uint64_t chunk_missing = 0; ///< Bytes of the present chunk.

private:
  using error_code = beast::error_code;
  using error = beast::http::error;

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code&) override {
    asked.method = view_of(method);
    asked.target = without_authority(view_of(target));
    minor_version = version % 10;
  }
  void on_response_impl(int, beast::string_view, int, error_code&) override {}

  void on_field_impl(beast::http::field known, beast::string_view name, beast::string_view value,
                     error_code& failed) override {
    // A trailer: what it says comes too late to be checked with the header.
    if (header_done)
      return;
    if (asked.headers.size() == fields_max) {
      too_many_fields = true;
      failed = error::header_limit;
      return;
    }
    // Beast has refused Content-Length together with Transfer-Encoding, but takes "5, 5" for 5.
    if (known == beast::http::field::content_length
        && (!is_number(view_of(value)) || std::exchange(has_length_, true)))
      failed = error::bad_content_length;
    if (known == beast::http::field::transfer_encoding
        && (minor_version == 0 || !is_same_name(view_of(value), "chunked")))
      failed = error::bad_transfer_encoding;
    if (known == beast::http::field::host)
      ++hosts;
    if (known == beast::http::field::expect)
      expects_continue = is_same_name(view_of(value), "100-continue");
    asked.headers.push_back({lower_case(view_of(name)), std::string{view_of(value)}});
  }
  void on_header_impl(error_code&) override { header_done = true; }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length)
      asked.body.reserve(static_cast<std::size_t>(std::min(*length, body_reserve_max)));
  }
  std::size_t on_body_impl(beast::string_view piece, error_code& failed) override {
    if (!share.take(piece.size())) {
      no_room = true;
      failed = error::body_limit;
      return 0;
    }
    asked.body.append(piece.data(), piece.size());
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t size, beast::string_view, error_code& failed) override {
    if (size > body_bytes_max - asked.body.size())
      failed = error::body_limit;
    chunk_missing = size;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view piece,
                                 error_code& failed) override {
    const auto used = on_body_impl(piece, failed);
    chunk_missing -= used;
    return used;
  }
  void on_finish_impl(error_code&) override {}

  bool has_length_ = false;
};

request_parser::request_parser(const server_limits& limits, const std::shared_ptr<body_room>& room)
    : limits_(limits),
      room_(room),
      reader_(std::make_unique<reader>(body_share{room},
                                       static_cast<std::uint64_t>(limits.body_bytes_max))) {
  // The header is bounded here, as a whole, and so are trailers: Beast 1.74 bounds what is in its
  // hands at one time, which a stream of short fields never reaches.
  reader_->header_limit(std::numeric_limits<std::uint32_t>::max() / 2);
  // The body is bounded by the reader: Beast 1.74 counts a chunk once more for each time that its
  // header is looked at.
  reader_->body_limit(std::numeric_limits<std::uint64_t>::max());
}

request_parser::~request_parser() = default;

std::size_t request_parser::read(std::string_view bytes) {
  std::size_t used = 0;
  if (!has_header())
    used = read_header(bytes);
  if (has_header() && !refused_ && !is_done())
    used += read_body(bytes.substr(used));
  return used;
}

std::size_t request_parser::read_header(std::string_view bytes) {
  const auto size = header_size(bytes);
  if (!size)
    return 0;
  if (has_folded_line(bytes.substr(0, *size))) {
    refuse(server_refusal::malformed, "the request is not HTTP/1.1: a field goes over two lines");
    return 0;
  }
  beast::error_code failed;
  const auto used = reader_->put(boost::asio::const_buffer{bytes.data(), *size}, failed);
  if (reader_->too_many_fields)
    refuse(server_refusal::header_too_large,
           "the header has more than " + std::to_string(fields_max) + " fields");
  else if (failed)
    refuse(server_refusal::malformed, "the request is not HTTP/1.1: " + failed.message());
  else if (used != *size || !has_header())
    refuse(server_refusal::malformed, "the request is not HTTP/1.1: the header has no end");
  else
    check_header();
  return used;
}

std::optional<std::size_t> request_parser::header_size(std::string_view bytes) {
  if (!bytes.empty() && !is_token_char(bytes.front())) {
    refuse(server_refusal::malformed, "the request is not HTTP/1.1: it begins with no method");
    return std::nullopt;
  }
  for (auto at = bytes.find('\n', searched_); at != std::string_view::npos;
       at = bytes.find('\n', at + 1)) {
    if (at == 0 || bytes[at - 1] != '\r') {
      refuse(server_refusal::malformed, "the request is not HTTP/1.1: a line ends without CR");
      return std::nullopt;
    }
    if (at < 3 || bytes.substr(at - 3, 2) != "\r\n")
      continue;
    if (at + 1 <= limits_.header_bytes_max)
      return at + 1;
    break;
  }
  searched_ = bytes.size();
  if (bytes.size() > limits_.header_bytes_max)
    refuse(server_refusal::header_too_large,
           "the header has more than " + std::to_string(limits_.header_bytes_max) + " bytes");
  return std::nullopt;
}

void request_parser::check_header() {
  if (reader_->hosts > 1)
    return refuse(server_refusal::malformed, "the request has several fields Host");
  if (reader_->hosts == 0 && reader_->minor_version == 1)
    return refuse(server_refusal::malformed, "the request has no field Host");
  if (body_bytes_missing().value_or(0) > limits_.body_bytes_max)
    return refuse_body();
  if (body_bytes_missing().value_or(0) > room_->bytes_free())
    refuse(server_refusal::bodies_full, "the bodies of all requests together are too large");
}

std::size_t request_parser::read_body(std::string_view bytes) {
  std::size_t used = 0;
  while (!refused_ && !is_done()) {
    const auto rest = bytes.substr(used);
    const bool at_chunk_header = reader_->chunked() && reader_->chunk_missing == 0;
    if (rest.size() < (at_chunk_header ? chunk_end_bytes : 1))
      return used;
    // Beast 1.74 waits for ever behind an extension in quotes.
    if (at_chunk_header && has_quotes(chunk_header(rest))) {
      refuse(server_refusal::malformed, "a chunk has an extension in quotes");
      return used;
    }
    beast::error_code failed;
    const auto now = reader_->put(boost::asio::const_buffer{rest.data(), rest.size()}, failed);
    used += now;
    const bool needs_more = failed == beast::http::error::need_more;
    // The same bound for a whole line and for a part of one: cuts make no difference.
    if (at_chunk_header && (needs_more ? rest.size() : now) > limits_.header_bytes_max)
      refuse(server_refusal::header_too_large, "a chunk header or the trailer has more than "
                                                   + std::to_string(limits_.header_bytes_max)
                                                   + " bytes");
    else if (reader_->no_room)
      refuse(server_refusal::bodies_full, "the bodies of all requests together are too large");
    else if (failed == beast::http::error::body_limit)
      refuse_body();
    else if (failed && !needs_more)
      refuse(server_refusal::malformed, "the body is not well chunked: " + failed.message());
    else if (needs_more)
      return used;
  }
  return used;
}

void request_parser::refuse_body() {
  refuse(server_refusal::body_too_large,
         "the body has more than " + std::to_string(limits_.body_bytes_max) + " bytes");
}

void request_parser::refuse(server_refusal why, std::string objection) {
  refused_ = why;
  objection_ = std::move(objection);
}

bool request_parser::has_header() const { return reader_->is_header_done(); }
bool request_parser::is_done() const { return !refused_ && reader_->is_done(); }
std::optional<server_refusal> request_parser::refused() const { return refused_; }
const std::string& request_parser::objection() const { return objection_; }

bool request_parser::is_head() const { return reader_->asked.method == "HEAD"; }

bool request_parser::keeps_connection() const {
  return reader_->minor_version == 1 && reader_->keep_alive();
}

bool request_parser::takes_chunks() const { return reader_->minor_version == 1; }

bool request_parser::awaits_continue() const {
  return reader_->expects_continue && reader_->minor_version == 1 && !is_done()
         && body_bytes() == 0;
}

std::size_t request_parser::body_bytes() const { return reader_->asked.body.size(); }

std::optional<std::uint64_t> request_parser::body_bytes_missing() const {
  const auto missing = reader_->content_length_remaining();
  return missing ? std::optional<std::uint64_t>{*missing} : std::nullopt;
}

request request_parser::take_request() {
  auto asked = std::move(reader_->asked);
  if (asked.method == "HEAD")
    asked.method = "GET";
  return asked;
}

body_share request_parser::take_share() { return std::move(reader_->share); }

} // namespace holdfast::http
