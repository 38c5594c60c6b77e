#include "app/printable.hpp"

#include "documents/terminal_text.hpp"

#include <iostream>
#include <ostream>
#include <streambuf>
#include <utility>

namespace holdfast::app {

namespace {

/// As the streams were before they were guarded.
std::streambuf* bare_error = nullptr;

enum class line_ends { stay, are_written };

/// Appends `text` with what a terminal would obey written out; what may be the beginning of a
/// character at its end is left for the next call unless `all` is there. The bytes taken.
std::size_t append_printable(std::string& out, std::string_view text, line_ends ends, bool all) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7f) {
      out += text[at++];
      continue;
    }
    if (byte < 0x80) {
      if (ends == line_ends::stay && (byte == '\n' || byte == '\t'))
        out += text[at];
      else
        out += documents::escaped_character(byte);
      ++at;
      continue;
    }
    const auto found = documents::character_at(text, at);
    if (found.bytes == 0 && !all && documents::may_be_cut_off(text.substr(at)))
      return at;
    if (found.bytes == 0)
      out += "\xef\xbf\xbd";
    else if (documents::commands_a_terminal(found.code_point))
      out += documents::escaped_character(found.code_point);
    else
      out += text.substr(at, found.bytes);
    at += found.bytes == 0 ? 1 : found.bytes;
  }
  return at;
}

/// Passes on what it is given, written so.
class guarding_buffer : public std::streambuf {
public:
  explicit guarding_buffer(std::streambuf* to) : to_(to) {}
  ~guarding_buffer() override { write({}, true); }
  guarding_buffer(const guarding_buffer&) = delete;
  guarding_buffer& operator=(const guarding_buffer&) = delete;

protected:
  int_type overflow(int_type byte) override {
    if (traits_type::eq_int_type(byte, traits_type::eof()))
      return traits_type::not_eof(byte);
    const char c = traits_type::to_char_type(byte);
    return write({&c, 1}, false) ? byte : traits_type::eof();
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return write({text, static_cast<std::size_t>(size)}, false) ? size : 0;
  }
  int sync() override { return to_->pubsync(); }

private:
  bool write(std::string_view more, bool all) {
    ready_.clear();
    if (kept_.empty()) {
      const auto taken = append_printable(ready_, more, line_ends::stay, all);
      kept_ = more.substr(taken);
    } else {
      kept_ += more;
      const auto taken = append_printable(ready_, kept_, line_ends::stay, all);
      kept_.erase(0, taken);
    }
    const auto size = static_cast<std::streamsize>(ready_.size());
    return to_->sputn(ready_.data(), size) == size;
  }

  std::streambuf* to_;
  std::string kept_; ///< The first bytes of a character.
  std::string ready_;
};

} // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  append_printable(out, text, line_ends::are_written, true);
  return out;
}

std::string printable_lines(std::string_view text) {
  std::string out;
  for (;;) {
    const auto end = text.find('\n');
    out += printable(text.substr(0, end));
    if (end == std::string_view::npos)
      return out;
    text.remove_prefix(end + 1);
    out += text.empty() ? "" : "\n  ";
  }
}

void detail::write_to_stdout(std::string_view text) { std::cout << text; }

struct guarded_output::parts {
  std::streambuf* bare_out = std::cout.rdbuf();
  guarding_buffer out{std::cout.rdbuf()};
  guarding_buffer error{std::cerr.rdbuf()};
};

guarded_output::guarded_output() : parts_(std::make_unique<parts>()) {
  std::cout.rdbuf(&parts_->out);
  bare_error = std::cerr.rdbuf(&parts_->error);
}

guarded_output::~guarded_output() {
  std::cout.rdbuf(parts_->bare_out);
  std::cerr.rdbuf(std::exchange(bare_error, nullptr));
}

std::ostream& guarded_output::terminal() {
  static std::ostream past{nullptr};
  past.rdbuf(bare_error == nullptr ? std::cerr.rdbuf() : bare_error);
  return past;
}

} // namespace holdfast::app
