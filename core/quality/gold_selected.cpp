#include "core/quality/gold_selected.hpp"

#include <array>

namespace holdfast::core::quality {

method most_accurate_on(const answers& given, const known_labels& test_questions) {
  constexpr std::array candidates{method::dawid_skene_map, method::one_coin, method::wawa,
                                  method::majority};
  auto best = candidates.back(); // which always runs
  double most = -1;
  for (const auto candidate : candidates) {
    if (needs_confusion_table(candidate) && !fits_confusion_table(given))
      continue;
    const auto found = aggregate_by(candidate, given, {}).found;
    const auto right = accuracy_of(found, test_questions).shared;
    if (right > most + tie_width) {
      best = candidate;
      most = right;
    }
  }
  return best;
}

} // namespace holdfast::core::quality
