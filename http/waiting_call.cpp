#include "http/waiting_call.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::http {

waiting_call::waiting_call(const visit& from, std::function<void()> given_up)
    : from_(from), given_up_(std::move(given_up)) {}

waiting_call_ptr waiting_call::begin_without_place(const visit& from,
                                                   std::function<void()> given_up) {
  return std::make_shared<waiting_call>(from, std::move(given_up));
}

waiting_call_ptr waiting_call::begin(const door& through, const visit& from,
                                     std::function<void()> given_up) {
  auto made = begin_without_place(from, std::move(given_up));
  auto place = through.waits().begin([weak = made->weak_from_this()] {
    if (const auto self = weak.lock())
      self->give_up(problem_of(node_drains()));
  });
  if (!place) {
    from.call->answer(problem_of(place.error()));
    return nullptr;
  }
  const std::lock_guard lock{made->mutex_};
  if (!made->is_settled()) // else the node drains
    made->place_ = std::move(*place);
  return made;
}

bool waiting_call::settle() {
  open_waits::place_ptr left; // destroyed without the mutex
  const std::lock_guard lock{mutex_};
  left.swap(place_);
  return !settled_.exchange(true);
}

void waiting_call::arm() {
  // The call keeps this function, which therefore must not keep the call.
  from_.call->on_abandoned([weak = weak_from_this()] {
    if (const auto self = weak.lock())
      self->give_up(no_content());
  });
  bool late = false;
  {
    const std::lock_guard lock{mutex_};
    armed_ = true;
    late = is_given_up_;
  }
  if (late && given_up_)
    given_up_();
}

void waiting_call::give_up(response with) {
  if (!settle())
    return;
  from_.call->answer(std::move(with));
  bool now = false;
  {
    const std::lock_guard lock{mutex_};
    is_given_up_ = true;
    now = armed_;
  }
  if (now && given_up_)
    given_up_();
}

response no_content() {
  response none;
  none.status = 204;
  none.content_type.clear();
  return none;
}

bool names_wait(const visit& from) {
  const auto& query = from.parts.query;
  return std::any_of(query.begin(), query.end(),
                     [](const auto& one) { return one.name == "wait"; });
}

} // namespace holdfast::http
