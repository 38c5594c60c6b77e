#include "client/courier.hpp"

#include "client/frame_guard.hpp"
#include "core/supervision.hpp"
#include "messages/errors.hpp"

#include <caf/actor_cast.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace holdfast::client {

namespace {

using self_ptr = courier_actor::stateful_pointer<courier_state>;
using phase = courier_state::phase;

/// Fine enough for deadlines of seconds, coarse enough to cost nothing.
constexpr auto deadline_granularity = std::chrono::milliseconds{100};

/// A frame also carries type names, ids and lengths.
constexpr std::size_t frame_overhead = 64 * 1024;

template <class Request>
std::size_t payload_bytes(const Request&) {
  return 0; // bounded by its type
}

std::size_t payload_bytes(const msg::create_workflow& request) { return request.definition.size(); }
std::size_t payload_bytes(const msg::update_workflow& request) { return request.definition.size(); }

std::size_t payload_bytes(const msg::submit_judgment& request) { return request.payload.size(); }

std::size_t payload_bytes(const msg::add_source_data& request) {
  std::size_t bytes = 0;
  for (const auto& row : request.rows)
    bytes += row.key.size() + row.input.size() + 16;
  return bytes;
}

std::size_t payload_bytes(const msg::add_test_questions& request) {
  std::size_t bytes = 0;
  for (const auto& row : request.rows)
    bytes += row.key.size() + row.input.size() + row.truth.size() + 16;
  return bytes;
}

std::size_t payload_bytes(const msg::put_queue& request) { return request.policy.size(); }
std::size_t payload_bytes(const msg::put_schedule& request) { return request.definition.size(); }
std::size_t payload_bytes(const msg::put_webhook& request) { return request.definition.size(); }

std::size_t payload_bytes(const msg::task_update& update) {
  return update.data.size() + update.execution_state.size();
}

std::size_t payload_bytes(const msg::task_request& task) {
  return task.body.size() + task.data.size() + 256; // the other texts are short
}

std::size_t payload_bytes(const msg::enqueue_tasks& request) {
  std::size_t bytes = 0;
  for (const auto& task : request.tasks)
    bytes += payload_bytes(task);
  return bytes;
}

std::size_t payload_bytes(const msg::enqueue_envelopes& request) {
  std::size_t bytes = 0;
  for (const auto& task : request.envelopes)
    bytes += task.envelope.size() + 256; // the other texts are short
  return bytes;
}

std::size_t payload_bytes(const msg::complete_tasks& request) {
  std::size_t bytes = 0;
  for (const auto& task : request.tasks)
    bytes += task.result.size() + 32;
  return bytes;
}

std::size_t payload_bytes(const msg::follow_task& request) {
  return request.done.result.size() + payload_bytes(request.next);
}

std::size_t payload_bytes(const msg::save_task& request) { return payload_bytes(request.update); }
std::size_t payload_bytes(const msg::release_task& request) {
  return payload_bytes(request.update);
}
std::size_t payload_bytes(const msg::fail_task& request) {
  return request.detail.size() + payload_bytes(request.update);
}
std::size_t payload_bytes(const msg::eject_task& request) { return payload_bytes(request.update); }

double random_unit(courier_state& state) {
  // xorshift64 (Marsaglia 2003): spreads retries, decides nothing.
  auto& x = state.jitter;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return static_cast<double>(x >> 11) / 9007199254740992.0; // 2^53
}

core::duration left(const courier_state::call& call, courier_state::time_point now) {
  return std::chrono::duration_cast<core::duration>(call.deadline - now);
}

bool worth_repeating(const caf::error& error) {
  // The node runs another version: it will not understand the second time either.
  if (error == caf::sec::unexpected_message || error == caf::sec::unexpected_response)
    return false;
  const auto code = msg::failure_of(error).code;
  return code == core::errc::unavailable || code == core::errc::overloaded
         || code == core::errc::fenced;
}

core::failure seen_by_caller(const caf::error& error) {
  if (error == caf::sec::unexpected_message || error == caf::sec::unexpected_response)
    return {core::errc::invalid_argument,
            "the node does not understand this request; it may be of another version"};
  return msg::failure_of(error);
}

void fail(self_ptr self, std::uint64_t id, const core::failure& why) {
  const auto found = self->state.calls.find(id);
  const auto give_up = std::move(found->second.give_up);
  self->state.calls.erase(found);
  give_up(why);
}

void watch_deadlines(self_ptr self) {
  if (self->state.checking_deadlines)
    return;
  self->state.checking_deadlines = true;
  self->delayed_send(self, deadline_granularity, check_deadlines{});
}

void send_or_park(self_ptr self, std::uint64_t id) {
  auto& state = self->state;
  auto& call = state.calls.at(id);
  const auto remaining = left(call, self->clock().now());
  if (remaining <= core::duration::zero()) {
    fail(self, id,
         {core::errc::unavailable,
          "no success within the deadline; the last problem was: " + state.last_problem});
    return;
  }
  if (!state.gateway) {
    call.now = phase::parked;
    watch_deadlines(self);
    return;
  }
  call.now = phase::in_flight;
  ++call.attempt;
  call.send(call.attempt, std::min(remaining, state.deps.retry.try_timeout));
}

void try_failed(self_ptr self, std::uint64_t id, std::uint32_t attempt, const caf::error& error) {
  auto& state = self->state;
  const auto found = state.calls.find(id);
  // An earlier try of a call that went on since, when its connection broke.
  if (found == state.calls.end() || found->second.attempt != attempt
      || found->second.now != phase::in_flight)
    return;
  auto& call = found->second;
  if (!worth_repeating(error)) {
    fail(self, id, seen_by_caller(error));
    return;
  }
  const auto problem = msg::failure_of(error);
  state.last_problem = std::string{core::to_string(problem.code)};
  if (!problem.detail.empty())
    state.last_problem += ": " + problem.detail;
  call.now = phase::backing_off;
  const auto& retry = state.deps.retry;
  const auto pause =
      core::backoff(call.attempt, retry.backoff_min, retry.backoff_max, random_unit(state));
  const auto remaining =
      std::max(left(call, self->clock().now()), core::duration{std::chrono::milliseconds{1}});
  self->delayed_send(self, std::min(pause, remaining), call_again{id});
}

void connection_lost(self_ptr self, const caf::error& reason) {
  auto& state = self->state;
  state.gateway = nullptr;
  state.last_problem = "the connection broke: " + caf::deep_to_string(reason);
  // CAF leaves requests to a lost node to their timeout; whether they were carried out is unknown,
  // which is what ids chosen by the caller are for.
  for (auto& [id, call] : state.calls)
    if (call.now == phase::in_flight)
      call.now = phase::parked;
  if (!state.calls.empty())
    watch_deadlines(self);
  state.deps.on_lost();
}

/// The handler of one kind of request.
template <class Request>
auto carry(self_ptr self) {
  using answer_type = msg::answer_to<Request>;
  return [self](const Request& request) -> caf::result<answer_type> {
    auto& state = self->state;
    if (payload_bytes(request) + frame_overhead > frame_bytes_max)
      return msg::to_error(core::errc::too_large, "a request may have up to "
                                                      + std::to_string(frame_bytes_max)
                                                      + " bytes; send it in parts");
    const auto id = ++state.last_call;
    auto promise = self->template make_response_promise<answer_type>();
    auto& call = state.calls[id];
    call.deadline = self->clock().now() + state.deps.retry.deadline;
    call.send = [self, id, promise, kept = std::make_shared<const Request>(request)](
                    std::uint32_t attempt, core::duration timeout) {
      self->request(self->state.gateway, timeout, *kept)
          .then(
              [self, id, promise](answer_type& answer) mutable {
                // The answer of any try will do: the request is the same.
                if (self->state.calls.erase(id) > 0)
                  promise.deliver(std::move(answer));
              },
              [self, id, attempt](caf::error& error) { try_failed(self, id, attempt, error); });
    };
    call.give_up = [promise](const core::failure& why) mutable {
      promise.deliver(msg::to_error(why));
    };
    send_or_park(self, id);
    return promise;
  };
}

} // namespace

courier_actor::behavior_type courier(self_ptr self, courier_deps deps) {
  self->state.deps = std::move(deps);
  self->state.jitter = self->state.deps.seed | 1; // xorshift stays at zero for ever

  self->set_down_handler([self](caf::down_msg& down) {
    if (self->state.gateway && self->state.gateway.address() == down.source)
      connection_lost(self, down.reason);
  });
  self->set_exit_handler([self](caf::exit_msg& exit) {
    while (!self->state.calls.empty())
      fail(self, self->state.calls.begin()->first,
           {core::errc::unavailable, "the connection was closed by its owner"});
    self->quit(exit.reason);
  });

  return {
      carry<msg::create_workflow>(self),
      carry<msg::update_workflow>(self),
      carry<msg::job_status_changed>(self),
      carry<msg::get_workflow>(self),
      carry<msg::add_source_data>(self),
      carry<msg::seal_step>(self),
      carry<msg::add_test_questions>(self),
      carry<msg::remove_contributor>(self),
      carry<msg::forgive_question>(self),
      carry<msg::repair_contributor>(self),
      carry<msg::list_contributors>(self),
      carry<msg::explain_unit>(self),
      carry<msg::explain_contributor>(self),
      carry<msg::get_step_quality>(self),
      carry<msg::change_step>(self),
      carry<msg::change_unit>(self),
      carry<msg::list_steps>(self),
      carry<msg::get_unit>(self),
      carry<msg::get_lineage>(self),
      carry<msg::list_results>(self),
      carry<msg::get_step_statistics>(self),
      carry<msg::ask_assignment>(self),
      carry<msg::release_assignment>(self),
      carry<msg::extend_assignment>(self),
      carry<msg::submit_judgment>(self),
      carry<msg::end_session>(self),
      carry<msg::put_profile>(self),
      carry<msg::get_profile>(self),
      carry<msg::find_steps>(self),
      carry<msg::get_node_status>(self),
      carry<msg::get_link_status>(self),
      carry<msg::put_queue>(self),
      carry<msg::pause_queue>(self),
      carry<msg::list_queues>(self),
      carry<msg::get_queue_statistics>(self),
      carry<msg::enqueue_tasks>(self),
      carry<msg::enqueue_envelopes>(self),
      carry<msg::get_task>(self),
      carry<msg::explain_task>(self),
      carry<msg::change_task>(self),
      carry<msg::eject_task>(self),
      carry<msg::redrive_tasks>(self),
      carry<msg::claim_tasks>(self),
      carry<msg::extend_tasks>(self),
      carry<msg::save_task>(self),
      carry<msg::release_task>(self),
      carry<msg::complete_tasks>(self),
      carry<msg::follow_task>(self),
      carry<msg::fail_task>(self),
      carry<msg::put_schedule>(self),
      carry<msg::remove_schedule>(self),
      carry<msg::list_schedules>(self),
      carry<msg::put_webhook>(self),
      carry<msg::change_webhook>(self),
      carry<msg::list_webhooks>(self),
      carry<msg::list_dead_letters>(self),
      carry<msg::replay_webhook>(self),
      carry<msg::read_events>(self),
      [self](const msg::tasks_lost& lost) {
        if (self->state.deps.on_tasks_lost)
          self->state.deps.on_tasks_lost(lost);
      },
      [self](const gateway_found& found) {
        auto& state = self->state;
        if (state.gateway)
          self->demonitor(caf::actor_cast<caf::actor_addr>(state.gateway));
        state.gateway = found.gateway;
        self->monitor(state.gateway);
        std::vector<std::uint64_t> parked;
        for (const auto& [id, call] : state.calls)
          if (call.now == phase::parked)
            parked.push_back(id);
        for (const auto id : parked)
          send_or_park(self, id);
      },
      [self](const gateway_unreachable& why) { self->state.last_problem = why.why; },
      [self](const call_again& again) {
        const auto found = self->state.calls.find(again.call);
        if (found != self->state.calls.end() && found->second.now == phase::backing_off)
          send_or_park(self, again.call);
      },
      [self](const check_deadlines&) {
        auto& state = self->state;
        state.checking_deadlines = false;
        std::vector<std::uint64_t> parked;
        for (const auto& [id, call] : state.calls)
          if (call.now == phase::parked)
            parked.push_back(id);
        // Without a gateway this fails what is overdue, parks the rest and arms the next check.
        for (const auto id : parked)
          send_or_park(self, id);
      },
  };
}

} // namespace holdfast::client
