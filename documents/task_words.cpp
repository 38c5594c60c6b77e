#include "documents/task_words.hpp"

#include "core/queue_policy.hpp"
#include "documents/json.hpp"

#include <algorithm>
#include <cctype>

namespace holdfast::documents {

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
  return {};
}

core::failure check_word(const std::string& text, std::string_view what) {
  return text.empty() ? core::failure{} : check_text(text, what, core::task_word_bytes_max);
}

} // namespace holdfast::documents
