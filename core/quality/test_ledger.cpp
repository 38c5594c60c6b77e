#include "core/quality/test_ledger.hpp"

#include <algorithm>
#include <limits>

namespace holdfast::core::quality {

void test_ledger::record(std::uint32_t contributor, std::uint32_t question, bool was_right) {
  if (entries_.size() <= contributor)
    entries_.resize(contributor + std::size_t{1});
  auto& own = entries_[contributor];
  if (std::none_of(own.begin(), own.end(),
                   [&](const entry& one) { return one.question == question; }))
    own.push_back({question, was_right});
}

std::vector<std::uint32_t> test_ledger::forgive(std::uint32_t question) {
  return forgiven_.insert(question).second ? who_answered(question) : std::vector<std::uint32_t>{};
}

std::vector<std::uint32_t> test_ledger::count_again(std::uint32_t question) {
  return forgiven_.erase(question) > 0 ? who_answered(question) : std::vector<std::uint32_t>{};
}

const std::vector<test_ledger::entry>& test_ledger::entries_of(std::uint32_t contributor) const {
  static const std::vector<entry> none;
  return contributor < entries_.size() ? entries_[contributor] : none;
}

std::vector<std::uint32_t> test_ledger::who_answered(std::uint32_t question) const {
  std::vector<std::uint32_t> who;
  for (std::uint32_t contributor = 0; contributor < entries_.size(); ++contributor)
    for (const auto& one : entries_[contributor])
      if (one.question == question)
        who.push_back(contributor);
  return who;
}

test_record test_ledger::record_of(std::uint32_t contributor) const {
  return record_of_first(contributor, std::numeric_limits<std::uint32_t>::max());
}

test_record test_ledger::record_of_first(std::uint32_t contributor, std::uint32_t answers) const {
  test_record record;
  for (const auto& one : entries_of(contributor)) {
    if (record.asked >= answers)
      break;
    if (is_forgiven(one.question))
      continue;
    ++record.asked;
    record.right += one.was_right ? 1 : 0;
  }
  return record;
}

trust test_ledger::trust_of(std::uint32_t contributor) const {
  return trust_after({}, record_of(contributor));
}

bool test_ledger::tainted(std::uint32_t contributor) const {
  test_record so_far;
  for (const auto& one : entries_of(contributor)) {
    if (is_forgiven(one.question))
      continue;
    ++so_far.asked;
    so_far.right += one.was_right ? 1 : 0;
    if (rule_.sequential) {
      if (const auto verdict = standing_of(*rule_.sequential, so_far);
          verdict != standing::undecided)
        return verdict == standing::bad;
    } else if (!one.was_right && is_tainted(rule_, trust_after({}, so_far))) {
      return true;
    }
  }
  return false;
}

answers untainted(const answers& given, const test_ledger& ledger) {
  std::vector<bool> out(given.contributors);
  for (std::uint32_t who = 0; who < given.contributors; ++who)
    out[who] = ledger.tainted(who);
  answers left{given.labels, given.contributors, {}, {0}};
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    for (const auto& one : given.of(unit))
      if (!out[one.contributor])
        left.votes.push_back(one);
    left.begins.push_back(left.votes.size());
  }
  return left;
}

} // namespace holdfast::core::quality
