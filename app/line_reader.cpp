#include "app/line_reader.hpp"

#include "documents/file_text.hpp"

#include <string_view>
#include <utility>

namespace holdfast::app {

namespace {

constexpr int end_of_file = std::char_traits<char>::eof();

void trim(std::string& text) {
  constexpr std::string_view around = " \t";
  text.erase(text.find_last_not_of(around) + 1);
  text.erase(0, text.find_first_not_of(around));
}

} // namespace

line_reader::line_reader(std::istream& from, std::size_t bytes_max)
    : from_(from), bytes_max_(bytes_max) {}

/// False when nothing of it can be read as lines.
bool line_reader::begin() {
  constexpr std::size_t enough_for_an_encoding = 4;
  begun_ = true;
  while (first_.size() < enough_for_an_encoding) {
    const auto byte = from_.get();
    if (byte == end_of_file)
      break;
    first_ += static_cast<char>(byte);
    // A line that is shorter says it as well, and whoever types waits for nothing.
    if (byte == '\n' && first_.find('\0') == std::string::npos)
      break;
  }
  const auto text = documents::text_of_file(first_);
  if (!text)
    failure_ = text.error();
  else
    first_at_ = first_.size() - text->size();
  return static_cast<bool>(text);
}

int line_reader::take() {
  if (first_at_ < first_.size())
    return static_cast<unsigned char>(first_[first_at_++]);
  // Past the stream, whose own way of a byte takes ten times as long.
  try {
    return from_.good() ? from_.rdbuf()->sbumpc() : end_of_file;
  } catch (const std::ios_base::failure&) {
    from_.setstate(std::ios_base::badbit);
    return end_of_file;
  }
}

bool line_reader::next(file_line& line) {
  if (!begun_ && !begin())
    return false;
  if (failure_.code != core::errc::none)
    return false;
  for (bool ended = false; !ended;) {
    line.text.clear();
    line.problem = {};
    std::uint64_t bytes = 0;
    for (;;) {
      const auto byte = take();
      if (byte == '\n' && std::exchange(after_return_, false))
        continue;
      after_return_ = byte == '\r';
      ended = byte == end_of_file;
      if (ended || byte == '\n' || byte == '\r')
        break;
      if (++bytes <= bytes_max_)
        line.text += static_cast<char>(byte);
    }
    if (ended && bytes == 0)
      break;
    line.number = ++number_;
    if (bytes > bytes_max_) {
      line.text.clear();
      line.problem = {core::errc::too_large, "the line has " + std::to_string(bytes)
                                                 + " bytes; at most " + std::to_string(bytes_max_)
                                                 + " are read"};
      return true;
    }
    trim(line.text);
    if (!line.text.empty())
      return true;
  }
  if (from_.bad())
    failure_ = {core::errc::not_found,
                "the file cannot be read behind line " + std::to_string(number_)};
  return false;
}

} // namespace holdfast::app
