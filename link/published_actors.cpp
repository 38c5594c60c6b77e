#include "link/published_actors.hpp"

namespace holdfast::link {

published_actors& published_actors::of_process() {
  static published_actors all;
  return all;
}

void published_actors::publish(std::uint64_t actor, audience who) {
  const std::lock_guard lock{mutex_};
  actors_[actor] = who;
  has_gateway_ = has_gateway_ || who == audience::anybody;
}

void published_actors::withdraw(std::uint64_t actor) {
  const std::lock_guard lock{mutex_};
  if (actors_.count(actor) == 0)
    return;
  former_.push_back(actor);
  if (former_.size() <= former_max)
    return;
  actors_.erase(former_.front());
  former_.pop_front();
}

std::shared_ptr<void> published_actors::published(std::uint64_t actor, audience who) {
  publish(actor, who);
  return {this, [actor](void* all) { static_cast<published_actors*>(all)->withdraw(actor); }};
}

std::optional<audience> published_actors::who_reaches(std::uint64_t actor) const {
  const std::lock_guard lock{mutex_};
  const auto found = actors_.find(actor);
  if (found == actors_.end())
    return std::nullopt;
  return found->second;
}

bool published_actors::has_gateway() const {
  const std::lock_guard lock{mutex_};
  return has_gateway_;
}

} // namespace holdfast::link
