#pragma once

#include "connectors/webhook_sender.hpp"

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace holdfast::test {

/// A receiver in memory: keeps what is posted, and answers as it is told.
class recording_sender : public connectors::webhook_sender {
public:
  struct attempt {
    connectors::webhook_post post;
    std::function<void(core::post_answer)> done;
  };

  /// What is answered at once; null: attempts wait for `answer`.
  std::function<core::post_answer(const connectors::webhook_post&)> at_once;
  std::vector<attempt> attempts; ///< All there ever were.

  void send(connectors::webhook_post what, std::function<void(core::post_answer)> done) override {
    attempts.push_back({std::move(what), std::move(done)});
    if (at_once) {
      auto& last = attempts.back();
      last.done(at_once(last.post));
    }
  }

  /// Answers the newest attempt.
  void answer(const core::post_answer& how) { attempts.back().done(how); }
};

inline core::post_answer answered(std::uint32_t status) {
  return {
      core::verdict_on(status), status, {}, status < 300 ? "" : "HTTP " + std::to_string(status)};
}

} // namespace holdfast::test
