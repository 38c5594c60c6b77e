#pragma once

#include "client/task_handler.hpp"
#include "core/ids.hpp"
#include "examples/identity_verification/flow.hpp"
#include "examples/identity_verification/service.hpp"

#include <array>
#include <memory>

namespace identity {

/// What a processor has besides the verification.
struct step_context {
  core::task_id who;
  core::instant now;
};

/// Deals with the verifications in some of the states: asks the world outside, and has `flow`
/// decide. One object serves all threads.
class processor {
public:
  virtual ~processor() = default;
  virtual decision step(const verification& v, const step_context& context) = 0;
};

/// The processor of each state.
using router = std::array<std::shared_ptr<processor>, states>;

router make_router(std::shared_ptr<verification_service> service, const patience& wait);

/// Does the tasks of type `task_type`: hands each to the processor of its state, and a result that
/// can be dealt with at once to the next one, under the same lease.
class verify_handler : public client::task_handler {
public:
  explicit verify_handler(router processors) : processors_(std::move(processors)) {}

  outcome run(const client::task_context& task) override;

private:
  const router processors_;
};

} // namespace identity
