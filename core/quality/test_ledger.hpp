#pragma once

#include "core/quality/standing.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace holdfast::core::quality {

/// Who answered which test question of a step, and how. Trust and taint are always found from here
/// and never stored by themselves, so that a question taken back leaves nothing behind.
class test_ledger {
public:
  explicit test_ledger(const taint_rule& rule) : rule_(rule) {}

  /// Writes down an answer. A second one of the contributor to the same question is not counted.
  void record(std::uint32_t contributor, std::uint32_t question, bool was_right);

  /// The question was wrong or unfair: nobody's answer to it counts any more, from the beginning.
  /// Returns whose trust that changes.
  std::vector<std::uint32_t> forgive(std::uint32_t question);

  /// The reverse of `forgive`.
  std::vector<std::uint32_t> count_again(std::uint32_t question);

  bool is_forgiven(std::uint32_t question) const { return forgiven_.count(question) > 0; }

  test_record record_of(std::uint32_t contributor) const;
  /// Of the first answers that count, at most so many.
  test_record record_of_first(std::uint32_t contributor, std::uint32_t answers) const;
  trust trust_of(std::uint32_t contributor) const;

  /// Whether the rule was broken after any of the answers that count: once is enough, because
  /// whoever is tainted gets no further question to recover by. A sequential test is over at its
  /// first verdict.
  bool tainted(std::uint32_t contributor) const;

private:
  struct entry {
    std::uint32_t question = 0;
    bool was_right = false;
  };

  const std::vector<entry>& entries_of(std::uint32_t contributor) const;
  std::vector<std::uint32_t> who_answered(std::uint32_t question) const;

  taint_rule rule_;
  std::vector<std::vector<entry>> entries_; ///< By contributor, in order of answering.
  std::set<std::uint32_t> forgiven_;
};

/// What is left of `given` without the judgments of tainted contributors; units keep their numbers.
answers untainted(const answers& given, const test_ledger& ledger);

} // namespace holdfast::core::quality
