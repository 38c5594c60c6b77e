#pragma once

#include "actors/context.hpp"
#include "core/outcome.hpp"
#include "messages/errors.hpp"
#include "persistence/store.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/duration.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace holdfast::actors {

/// Any actor → reader: run this over the database. Answered by the `found` of its outcome.
struct read_request {
  std::function<caf::message(persistence::store&)> run;
};

/// Reader → the actor that asked. `outcome` is a `core::outcome`.
template <class Outcome>
struct found {
  std::shared_ptr<Outcome> outcome;
};

/// A read on its way to a reader; see `read`.
template <class Self, class Question>
class reading {
public:
  reading(Self self, caf::actor reader, Question question, caf::duration timeout)
      : self_(self),
        reader_(std::move(reader)),
        question_(std::move(question)),
        timeout_(timeout) {}

  /// Sends it. `use(value)` runs with a reference to what was found, `fail(core::failure)` when the
  /// store has refused, and when the reader did not answer in time (`unavailable`).
  template <class Use, class Fail>
  void then(Use use, Fail fail) && {
    using outcome = std::invoke_result_t<Question&, persistence::store&>;
    read_request request{[question = std::move(question_)](persistence::store& db) mutable {
      return caf::make_message(found<outcome>{std::make_shared<outcome>(question(db))});
    }};
    self_->request(reader_, timeout_, std::move(request))
        .then(
            [use = std::move(use), fail](const found<outcome>& answer) mutable {
              if (auto& read = *answer.outcome)
                use(*read);
              else
                fail(read.error());
            },
            [fail](const caf::error& error) mutable { fail(msg::failure_of(error)); });
  }

private:
  Self self_;
  caf::actor reader_;
  Question question_;
  caf::duration timeout_;
};

/// Runs `question`, a function over the store to a `core::outcome`, on the reader, which does one
/// after the other on a thread of its own. It holds all that it needs by value: nothing of the
/// actor that asks.
///
///     read(self, reader, [id](persistence::store& db) { return db.find_repair(id); })
///         .then([=](const core::repair_row& row) { ... },
///               [=](const core::failure& why) { ... });
template <class Self, class Question, class Timeout = std::chrono::seconds>
reading<Self, Question> read(Self self, const caf::actor& reader, Question question,
                             Timeout timeout = internal_timeout) {
  return {self, reader, std::move(question), caf::duration{timeout}};
}

} // namespace holdfast::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::actors::read_request)

namespace caf {

template <class Outcome>
struct allowed_unsafe_message_type<holdfast::actors::found<Outcome>> : std::true_type {};

} // namespace caf
