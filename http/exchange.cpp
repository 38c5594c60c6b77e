#include "http/exchange.hpp"

#include <utility>

namespace holdfast::http {

void exchange::answer(response with) { deliver(std::move(with)); }

void exchange::give_up() { deliver(std::nullopt); }

void exchange::deliver(std::optional<response> with) {
  delivery used; // destroyed without the mutex
  const std::lock_guard lock{mutex_};
  if (!deliver_)
    return;
  used.swap(deliver_);
  used(std::move(with));
}

void exchange::on_abandoned(std::function<void()> then) {
  {
    const std::lock_guard lock{mutex_};
    if (!abandoned_) {
      if (!detached_)
        then_.swap(then);
      return; // the argument, with the function that it has now, is destroyed without the mutex
    }
  }
  if (then)
    then();
}

void exchange::note_route(std::string_view name) {
  const std::lock_guard lock{mutex_};
  route_ = name;
}

std::string_view exchange::route() {
  const std::lock_guard lock{mutex_};
  return route_;
}

void exchange::abandon() {
  std::function<void()> then;
  {
    const std::lock_guard lock{mutex_};
    if (detached_)
      return;
    abandoned_ = true;
    then.swap(then_);
  }
  if (then)
    then();
}

void exchange::detach() {
  std::function<void()> then;
  delivery unused;
  const std::lock_guard lock{mutex_};
  detached_ = true;
  then.swap(then_);
  unused.swap(deliver_);
}

} // namespace holdfast::http
