#include "http/open_waits.hpp"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::http {

open_waits::place::~place() {
  std::function<void()> unused; // destroyed without the mutex: it may hold the last of a call
  const std::lock_guard lock{all_->mutex_};
  const auto mine = all_->waits_.find(number_);
  if (mine == all_->waits_.end())
    return;
  unused.swap(mine->second);
  all_->waits_.erase(mine);
}

core::outcome<open_waits::place_ptr> open_waits::begin(std::function<void()> on_drain) {
  const std::lock_guard lock{mutex_};
  if (draining_)
    return node_drains();
  if (waits_.size() >= most_)
    return core::failure{core::errc::overloaded,
                         std::to_string(most_) + " requests wait at this node already"};
  const auto number = ++numbers_;
  waits_.emplace(number, std::move(on_drain));
  return std::make_shared<const place>(shared_from_this(), number);
}

void open_waits::drain() {
  std::vector<std::function<void()>> all;
  {
    const std::lock_guard lock{mutex_};
    draining_ = true;
    all.reserve(waits_.size());
    for (auto& [number, on_drain] : waits_)
      all.push_back(std::move(on_drain));
    waits_.clear();
  }
  for (const auto& on_drain : all)
    on_drain();
}

std::size_t open_waits::count() const {
  const std::lock_guard lock{mutex_};
  return waits_.size();
}

core::failure node_drains() {
  return {core::errc::unavailable, "the node ends; ask again, of this node or another"};
}

} // namespace holdfast::http
