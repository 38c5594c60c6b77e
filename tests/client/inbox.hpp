#pragma once

#include <boost/test/unit_test.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>
#include <caf/send.hpp>
#include <caf/typed_response_promise.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <utility>

namespace holdfast::test {

/// Something that the fake gateway does: CAF wants promises kept by the actor that made them.
struct errand {
  std::function<void()> run;
};

} // namespace holdfast::test

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::test::errand)

namespace holdfast::test {

/// A request that waits for what the test answers.
template <class Request, class Answer>
struct asked {
  Request request;
  caf::typed_response_promise<Answer> promise;
};

/// What a fake gateway was asked and has not answered yet, in order.
template <class Request, class Answer>
class inbox {
public:
  auto keep_in(caf::event_based_actor* self) {
    gateway_ = self;
    return [this, self](const Request& request) -> caf::result<Answer> {
      auto promise = self->make_response_promise<Answer>();
      open_.push_back({request, promise});
      return promise;
    };
  }

  std::size_t size() const { return open_.size(); }
  const Request& first() const {
    BOOST_REQUIRE(!open_.empty());
    return open_.front().request;
  }
  const Request& last() const {
    BOOST_REQUIRE(!open_.empty());
    return open_.back().request;
  }
  template <class What>
  void answer(What what) {
    BOOST_REQUIRE(!open_.empty());
    auto promise = std::move(open_.front().promise);
    open_.pop_front();
    caf::anon_send(gateway_, errand{[promise, what = std::move(what)]() mutable {
                     promise.deliver(std::move(what));
                   }});
  }
  void clear() { open_.clear(); }

private:
  std::deque<asked<Request, Answer>> open_;
  caf::event_based_actor* gateway_ = nullptr;
};

} // namespace holdfast::test
