#include "examples/identity_verification/processors.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace identity {

namespace {

/// In the states in which the service has to be asked for a check.
class asking : public processor {
public:
  asking(std::shared_ptr<verification_service> service, const patience& wait)
      : service_(std::move(service)), wait_(wait) {}

  decision step(const verification& v, const step_context& context) override {
    return on_asked(v, service_->ask(*to_ask(v), context.who, context.now), context.now, wait_);
  }

private:
  const std::shared_ptr<verification_service> service_;
  const patience wait_;
};

/// In the states in which a check is under way. A callback usually comes first.
class polling : public processor {
public:
  polling(std::shared_ptr<verification_service> service, const patience& wait)
      : service_(std::move(service)), wait_(wait) {}

  decision step(const verification& v, const step_context& context) override {
    return on_polled(v, service_->look(waits_for(v)->tracking, context.now), context.now, wait_);
  }

private:
  const std::shared_ptr<verification_service> service_;
  const patience wait_;
};

/// In the last states. Here whoever asked for the verification would be told.
class concluding : public processor {
public:
  decision step(const verification& v, const step_context&) override { return on_end(v); }
};

/// The graph of states has no circle, so no verification takes more steps in a row.
constexpr std::size_t steps_max = states;

} // namespace

router make_router(std::shared_ptr<verification_service> service, const patience& wait) {
  const auto asks = std::make_shared<asking>(service, wait);
  const auto polls = std::make_shared<polling>(std::move(service), wait);
  const auto concludes = std::make_shared<concluding>();
  router made;
  const auto route = [&](state s, std::shared_ptr<processor> to) {
    made[static_cast<std::size_t>(s)] = std::move(to);
  };
  route(state::submitted, asks);
  route(state::awaiting_document_processing, polls);
  route(state::documents_processed, asks);
  route(state::verifying_face_match, polls);
  route(state::needs_manual_review, asks);
  route(state::in_manual_review, polls);
  route(state::verified, concludes);
  route(state::rejected, concludes);
  return made;
}

client::outcome verify_handler::run(const client::task_context& task) {
  auto stored = verification_of(task.task().state, task.task().data);
  if (!stored)
    return client::failed{"NOT_A_VERIFICATION", stored.error().detail,
                          core::failure_kind::permanent};
  auto& v = *stored;
  for (std::size_t steps = 0; steps < steps_max && !task.canceled(); ++steps) {
    const auto decided = processors_[v.at.index()]->step(v, {task.task().task, task.now()});
    if (const auto* look = std::get_if<look_again>(&decided))
      return client::wait_until{look->at, update_to(look->as)};
    if (const auto* end = std::get_if<conclude>(&decided))
      return client::done{end->result};
    v = std::get<go_on>(decided).to;
    // Durable before the next step. When the lease is over, somebody else knows better: what was
    // found is then handed in all the same, to be recorded and not applied.
    if (!task.save(update_to(v)))
      return client::done{result_of(v)};
  }
  return client::wait_until{}; // to be thrown out is no failure; what is stored is stored
}

} // namespace identity
