#include "core/quality/overlap_replay.hpp"

#include "core/invariant.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/seeded.hpp"
#include "core/quality/voting.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace holdfast::core::quality {

namespace {

class run {
public:
  run(const answers& recorded, const stopping_rule& rule, const known_labels& test_questions,
      std::uint64_t seed)
      : shuffled_(recorded),
        rule_(rule),
        test_questions_(test_questions),
        source_(seed),
        live_(recorded.labels),
        used_(recorded.units(), 0) {
    for (std::size_t unit = 0; unit < shuffled_.units(); ++unit)
      source_.shuffle(shuffled_.votes.begin() + begin_of(unit),
                      shuffled_.votes.begin() + begin_of(unit + 1));
  }

  overlap_replay operator()(std::uint32_t fixed) {
    ask_test_questions();
    std::vector<std::size_t> open;
    for (std::size_t unit = 0; unit < shuffled_.units(); ++unit)
      if (!is_test(unit))
        open.push_back(unit);
    while (!open.empty()) {
      source_.shuffle(open.begin(), open.end());
      open.erase(std::remove_if(open.begin(), open.end(), [&](auto unit) { return !ask(unit); }),
                 open.end());
    }
    return figures(fixed);
  }

private:
  std::ptrdiff_t begin_of(std::size_t unit) const {
    return static_cast<std::ptrdiff_t>(shuffled_.begins[unit]);
  }

  bool is_test(std::size_t unit) const {
    return !test_questions_.empty() && test_questions_[unit] != unknown_label;
  }

  void ask_test_questions() {
    for (std::size_t unit = 0; unit < shuffled_.units(); ++unit)
      if (is_test(unit)) {
        live_.hold(unit, test_questions_[unit]);
        for (const auto& one : shuffled_.of(unit))
          live_.add(unit, one);
        used_[unit] = shuffled_.of(unit).size();
      }
  }

  /// Takes one more judgment. False when the unit is done.
  bool ask(std::size_t unit) {
    const auto all = shuffled_.of(unit);
    if (used_[unit] == all.size())
      return false;
    live_.add(unit, all.begin()[used_[unit]++]);
    const vote_range so_far{all.begin(), all.begin() + used_[unit]};
    const auto* shares = live_.shares(unit);
    const auto confidence = *std::max_element(shares, shares + shuffled_.labels);
    return !enough(rule_, so_far, shuffled_.labels, confidence);
  }

  /// The first votes of each unit.
  answers cut(const std::vector<std::size_t>& counts) const {
    answers some{shuffled_.labels, shuffled_.contributors, {}, {0}};
    for (std::size_t unit = 0; unit < shuffled_.units(); ++unit) {
      const auto* first = shuffled_.of(unit).begin();
      some.votes.insert(some.votes.end(), first, first + counts[unit]);
      some.begins.push_back(some.votes.size());
    }
    return some;
  }

  overlap_replay figures(std::uint32_t fixed) const {
    overlap_replay result;
    std::vector<std::size_t> of_fixed;
    for (std::size_t unit = 0; unit < shuffled_.units(); ++unit) {
      of_fixed.push_back(std::min<std::size_t>(fixed, shuffled_.of(unit).size()));
      if (!is_test(unit)) {
        result.judgments += used_[unit];
        result.judgments_fixed += of_fixed.back();
      }
    }
    result.found = rule_.stop_at ? live_.found() : majority(cut(used_));
    result.fixed = majority(cut(of_fixed));
    return result;
  }

  answers shuffled_;
  const stopping_rule& rule_;
  const known_labels& test_questions_;
  seeded_source source_;
  incremental live_;
  std::vector<std::size_t> used_; ///< Judgments of each unit.
};

} // namespace

overlap_replay replay(const answers& recorded, const stopping_rule& rule,
                      const known_labels& test_questions, std::uint32_t fixed, std::uint64_t seed) {
  HOLDFAST_INVARIANT(test_questions.empty() || test_questions.size() == recorded.units(),
                     "the caller has one entry per unit");
  return run{recorded, rule, test_questions, seed}(fixed);
}

} // namespace holdfast::core::quality
