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

} // namespace holdfast::persistence
