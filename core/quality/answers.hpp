#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// Aggregation and quality control. Units, contributors and labels are numbers from 0 here; their
/// names stay with the caller.
namespace holdfast::core::quality {

/// What one contributor said about a unit.
struct vote {
  std::uint32_t contributor = 0;
  std::uint32_t label = 0;
};

/// The votes of one unit.
class vote_range {
public:
  vote_range(const vote* first, const vote* last) : first_(first), last_(last) {}

  const vote* begin() const { return first_; }
  const vote* end() const { return last_; }
  std::size_t size() const { return static_cast<std::size_t>(last_ - first_); }

private:
  const vote* first_;
  const vote* last_;
};

/// The judgments of a step: what every method of aggregation works on. One array for all votes,
/// because the methods pass over ten million of them again and again.
struct answers {
  std::uint32_t labels = 0;
  std::uint32_t contributors = 0;
  std::vector<vote> votes;            ///< By unit.
  std::vector<std::size_t> begins{0}; ///< Where each unit's votes begin, and where the last end.

  std::size_t units() const { return begins.size() - 1; }
  vote_range of(std::size_t unit) const {
    return {votes.data() + begins[unit], votes.data() + begins[unit + 1]};
  }
};

/// In place of a label: nobody knows the true one.
inline constexpr std::uint32_t unknown_label = std::numeric_limits<std::uint32_t>::max();
/// In place of a label: the true one is known, and no contributor ever gave it.
inline constexpr std::uint32_t unheard_label = unknown_label - 1;

/// The true label of each unit, or one of the two above; empty when nothing is known.
using known_labels = std::vector<std::uint32_t>;

/// What becomes of a second judgment of a contributor on a unit.
enum class repeats {
  first_counts,
  all_count, ///< As in the table of Dawid and Skene, where one observer answered three times.
};

/// Answers with the names of their numbers.
struct named_answers {
  answers given;
  std::vector<std::string> units;        ///< By bytes.
  std::vector<std::string> contributors; ///< By bytes.
  std::vector<std::string> labels;       ///< In label order.
  std::size_t repeated = 0;              ///< Judgments left out.
};

/// Collects judgments by name. What it makes of them does not depend on their order, except for
/// which of several judgments of a contributor on a unit is the first.
class answers_builder {
public:
  void add(std::string_view contributor, std::string_view unit, std::string_view label);

  /// Ends the collection; the builder is used up.
  named_answers finish(repeats rule);

private:
  /// Numbers names in order of appearance. A deque, because the keys refer to its strings.
  struct register_of_names {
    std::uint32_t number_of(std::string_view name);
    /// Renumbers by `order`; returns the new number of each old one.
    std::vector<std::uint32_t> renumber(const std::vector<std::string>& order) const;

    std::deque<std::string> names;
    std::unordered_map<std::string_view, std::uint32_t> numbers;
  };

  struct judgment {
    std::uint32_t unit = 0;
    vote what;
  };

  register_of_names units_;
  register_of_names contributors_;
  register_of_names labels_;
  std::vector<judgment> rows_; ///< In order of arrival.
};

} // namespace holdfast::core::quality
