// The part of `memory_store` that is about what is known of contributors.

#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

core::outcome<stored_profile> memory_store::load_profile(const core::contributor_id& contributor) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  stored_profile read;
  if (const auto put = t.profiles.find(contributor); put != t.profiles.end()) {
    read.profile = put->second.profile;
    read.changed_at = put->second.at;
  }
  for (const auto& [key, judgment] : t.judgments)
    if (key.second == contributor && judgment.made.test_correct
        && !t.units.at(key.first).forgiven_at) {
      ++read.tests.answered;
      read.tests.right += *judgment.made.test_correct ? 1 : 0;
    }
  return read;
}

core::outcome<core::tests_seen> memory_store::load_tests_in(const core::contributor_id& contributor,
                                                            core::step_id step) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  core::tests_seen seen;
  const auto here = t.steps.find(step);
  if (here == t.steps.end())
    return seen;
  for (const auto& [key, judgment] : t.judgments) {
    const auto& unit = t.units.at(key.first);
    if (key.second != contributor || !judgment.made.test_correct || unit.forgiven_at
        || t.steps.at(unit.made.step).row.workflow != here->second.row.workflow)
      continue;
    auto& of = unit.made.step == step ? seen.here : seen.in_workflow;
    ++of.answered;
    of.right += *judgment.made.test_correct ? 1 : 0;
  }
  return seen;
}

} // namespace holdfast::persistence
