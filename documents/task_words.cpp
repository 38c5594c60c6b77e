#include "documents/task_words.hpp"

#include "core/queue_policy.hpp"
#include "documents/json.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::documents {

namespace {

/// The major version of bodies that this node understands. A task of another one would be read
/// wrongly by every handler.
constexpr std::string_view major_version = "1";

} // namespace

core::failure check_version(const std::string& version) {
  const auto dot = version.find('.');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.size() <= 9
           && std::all_of(text.begin(), text.end(),
                          [](unsigned char c) { return std::isdigit(c); });
  };
  const std::string_view text{version};
  if (dot == std::string::npos || !is_number(text.substr(0, dot))
      || !is_number(text.substr(dot + 1)))
    return {core::errc::invalid_argument, "version must be two numbers with a dot, e.g. 1.0"};
  if (text.substr(0, dot) != major_version)
    return {core::errc::invalid_argument, "version " + version
                                              + " is of another major version than "
                                              + std::string{major_version}};
  return {};
}

core::failure check_word(const std::string& text, std::string_view what) {
  return text.empty() ? core::failure{} : check_text(text, what, core::task_word_bytes_max);
}

} // namespace holdfast::documents
