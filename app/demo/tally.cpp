#include "app/demo/tally.hpp"

namespace holdfast::app::demo {

namespace {
/// More examples than these help nobody.
constexpr std::size_t wrongs_kept_max = 10;
} // namespace

void tally::granted(core::instant granted_at) {
  ++offers;
  kills_.assignment_granted(granted_at);
}

void tally::acknowledged(core::judgment_id id, std::size_t set) {
  {
    const std::lock_guard lock{mutex_};
    acknowledged_.push_back({id, set});
  }
  kills_.judgment_acknowledged(++acknowledged_count_);
}

void tally::wrong(const std::string& what) {
  const std::lock_guard lock{mutex_};
  ++wrong_count_;
  if (wrongs_.size() < wrongs_kept_max)
    wrongs_.push_back(what);
}

std::vector<acknowledged_judgment> tally::acknowledged_judgments() const {
  const std::lock_guard lock{mutex_};
  return acknowledged_;
}

std::uint64_t tally::wrong_count() const {
  const std::lock_guard lock{mutex_};
  return wrong_count_;
}

std::vector<std::string> tally::wrongs() const {
  const std::lock_guard lock{mutex_};
  return wrongs_;
}

} // namespace holdfast::app::demo
