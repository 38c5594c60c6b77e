#include "examples/bulk_actions/mailer.hpp"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <string_view>

namespace bulk {

namespace {

/// RFC 2045.
std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
    };
    const auto three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    text += digits[three >> 18 & 63];
    text += digits[three >> 12 & 63];
    text += i + 1 < bytes.size() ? digits[three >> 6 & 63] : '=';
    text += i + 2 < bytes.size() ? digits[three & 63] : '=';
  }
  return text;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c >= ' ' && c < 0x7f; });
}

/// The end of the first word of an encoded header: no more than `most` bytes, and no character cut
/// in two.
std::size_t word_end(std::string_view text, std::size_t most) {
  if (text.size() <= most)
    return text.size();
  auto end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
    --end;
  return end > 0 ? end : most;
}

/// RFC 2047: a line with such words has at most 76 characters, so 39 bytes of text behind `Subject:
/// `.
std::string header_text(std::string_view text) {
  constexpr std::size_t word_bytes = 39;
  // Words would also be what a plain text looks like that is one.
  if (is_ascii(text) && text.find("=?") == std::string_view::npos)
    return std::string{text};
  std::string words;
  while (!text.empty()) {
    const auto end = word_end(text, word_bytes);
    words +=
        (words.empty() ? "=?utf-8?B?" : "\r\n =?utf-8?B?") + base64(text.substr(0, end)) + "?=";
    text.remove_prefix(end);
  }
  return words;
}

/// RFC 5322, in UTC; by hand, because `strftime` has the names of the locale.
std::string date_text(core::instant at) {
  constexpr const char* days[]{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* months[]{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char clock[16];
  std::strftime(clock, sizeof clock, "%H:%M:%S", &parts);
  return std::string{days[parts.tm_wday]} + ", " + std::to_string(parts.tm_mday) + ' '
         + months[parts.tm_mon] + ' ' + std::to_string(1900 + parts.tm_year) + ' ' + clock
         + " +0000";
}

} // namespace

std::string message_id(const core::task_id& task, person_id to) {
  return '<' + core::to_string(task) + '.' + std::to_string(to) + "@bulk.example>";
}

std::string message_of(const mail& what) {
  constexpr std::size_t line_length = 76; // RFC 2045
  std::string copies;                     // a line each: together they could be too long
  for (const auto& address : what.cc)
    copies += (copies.empty() ? "\r\nCc: " : ",\r\n ") + address;
  std::string message = "Date: " + date_text(what.date) + "\r\nFrom: " + what.from
                        + "\r\nTo: " + what.to + copies + "\r\nMessage-ID: " + what.id
                        + "\r\nSubject: " + header_text(what.subject)
                        + "\r\nMIME-Version: 1.0"
                          "\r\nContent-Type: text/plain; charset=utf-8"
                          "\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  // So no line is too long or begins with a dot, whatever the text is.
  const auto body = base64(what.text);
  for (std::size_t at = 0; at < body.size(); at += line_length)
    message += body.substr(at, line_length) + "\r\n";
  return message;
}

} // namespace bulk
