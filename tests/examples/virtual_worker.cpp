#include "tests/examples/virtual_worker.hpp"

#include "client/lease_end.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>
#include <variant>

namespace holdfast::test {

namespace lib = holdfast::client; // `client` is one of the tests' own here

virtual_worker::virtual_worker(node_fixture& world, core::queue_name queue, core::worker_id name)
    : world_(&world),
      queue_(std::move(queue)),
      name_(std::move(name)),
      line_(std::make_unique<client>(world)) {}

template <class Request>
msg::answer_to<Request> virtual_worker::ask(Request request) {
  const auto result = send(std::move(request));
  world_->settle();
  BOOST_REQUIRE(result->value);
  return *result->value;
}

msg::claim_tasks virtual_worker::claim(const std::string& type, std::uint32_t most) {
  msg::claim_tasks made;
  made.queue = queue_;
  made.worker = name_;
  made.claim = world_->fresh<core::assignment_id>();
  made.most = most;
  made.types = {type};
  return made;
}

core::errc virtual_worker::save(const msg::leased_task& task, const msg::task_update& update) {
  return ask(msg::save_task{queue_, name_, {task.task, task.token}, update}).refusal;
}

core::errc virtual_worker::hand_in(const msg::leased_task& task, const lib::outcome& how) {
  const lib::lease_holder by{queue_, name_, {task.task, task.token}};
  if (const auto* done = std::get_if<lib::done>(&how))
    return ask(msg::complete_tasks{queue_, name_, {lib::lease_end(by, *done)}})
        .outcomes.front()
        .refusal;
  if (const auto* failed = std::get_if<lib::failed>(&how))
    return ask(lib::lease_end(by, *failed)).refusal;
  return ask(lib::lease_end(by, std::get<lib::wait_until>(how))).refusal;
}

void virtual_worker::disconnect() {
  line_ = std::make_unique<client>(*world_);
  world_->settle();
}

} // namespace holdfast::test
