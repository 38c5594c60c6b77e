#include "core/quality/labels.hpp"

#include "core/decimal.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace holdfast::core::quality {

namespace {

bool is_integer(const std::string& text) {
  const std::size_t first = !text.empty() && text[0] == '-' ? 1 : 0;
  // 18 digits always fit into 64 bits; longer ones are ordered as text.
  return text.size() > first && text.size() <= first + 18
         && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first), text.end(),
                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

} // namespace

void sort_labels(std::vector<std::string>& labels) {
  if (!std::all_of(labels.begin(), labels.end(), is_integer)) {
    std::sort(labels.begin(), labels.end());
    return;
  }
  std::sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
    const auto x = std::stoll(a);
    const auto y = std::stoll(b);
    return x != y ? x < y : a < b; // "01" and "1" are different labels with a fixed order
  });
}

std::optional<std::pair<std::string, std::string>>
two_of_one_number(const std::vector<std::string>& labels) {
  std::map<std::string, std::string> spelled;
  for (const auto& label : labels)
    if (auto number = canonical_number(label)) {
      const auto [first, fresh] = spelled.emplace(std::move(*number), label);
      if (!fresh && first->second != label)
        return std::pair{first->second, label};
    }
  return std::nullopt;
}

} // namespace holdfast::core::quality
