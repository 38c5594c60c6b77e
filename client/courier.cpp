#include "client/courier.hpp"

#include "client/frame_guard.hpp"
#include "core/backoff.hpp"
#include "link/published_actors.hpp"
#include "messages/errors.hpp"
#include "messages/operations.hpp"

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

/// How long a host may take to answer before home is asked whether it still is one.
constexpr auto host_patience = std::chrono::seconds{1};

/// How long a node may take to say what time it is: an answer that takes longer says little.
constexpr core::duration clock_patience = std::chrono::seconds{2};

/// A frame also carries type names, ids and lengths.
constexpr std::size_t frame_overhead = 64 * 1024;

template <class Request>
std::size_t payload_bytes(const Request&) {
  return 0; // bounded by its type
}

std::size_t payload_bytes(const msg::create_workflow& request) { return request.definition.size(); }
std::size_t payload_bytes(const msg::update_workflow& request) { return request.definition.size(); }

std::size_t payload_bytes(const msg::submit_judgment& request) { return request.payload.size(); }

std::size_t bytes_of_rows(const std::vector<msg::source_row>& rows) {
  std::size_t bytes = 0;
  for (const auto& row : rows)
    bytes += row.key.size() + row.input.size() + 16;
  return bytes;
}

std::size_t payload_bytes(const msg::add_source_data& request) {
  return bytes_of_rows(request.rows);
}

std::size_t payload_bytes(const msg::load_source_data& request) {
  return bytes_of_rows(request.rows);
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
std::size_t payload_bytes(const msg::save_task_in_order& request) {
  return payload_bytes(request.update);
}
std::size_t payload_bytes(const msg::release_task& request) {
  return payload_bytes(request.update);
}
std::size_t payload_bytes(const msg::fail_task& request) {
  return request.detail.size() + payload_bytes(request.update);
}
std::size_t payload_bytes(const msg::eject_task& request) { return payload_bytes(request.update); }

core::duration left(const courier_state::call& call, courier_state::time_point now) {
  return std::chrono::duration_cast<core::duration>(call.deadline - now);
}

bool worth_repeating(const caf::error& error) {
  // The node runs another version: it will not understand the second time either.
  if (error == caf::sec::unexpected_message || error == caf::sec::unexpected_response)
    return false;
  return core::is_transient(msg::failure_of(error).code);
}

core::failure seen_by_caller(const caf::error& error) {
  if (error == caf::sec::unexpected_message || error == caf::sec::unexpected_response)
    return {core::errc::invalid_argument,
            "the node does not understand this request; it may be of another version"};
  return msg::failure_of(error);
}

/// The call is not in flight any more.
void land(courier_state& state, courier_state::call& call, phase next) {
  call.now = next;
  if (call.shard)
    state.routes.arrive(*call.shard);
  call.shard.reset();
  call.host = {};
}

/// Takes the call out of the books.
courier_state::call close(courier_state& state,
                          std::map<std::uint64_t, courier_state::call>::iterator at) {
  auto call = std::move(at->second);
  state.calls.erase(at);
  land(state, call, phase::parked);
  return call;
}

void fail(self_ptr self, std::uint64_t id, const core::failure& why) {
  auto& state = self->state;
  close(state, state.calls.find(id)).give_up(why);
}

void watch_deadlines(self_ptr self) {
  if (self->state.checking_deadlines)
    return;
  self->state.checking_deadlines = true;
  self->delayed_send(self, deadline_granularity, check_deadlines{});
}

/// One look each second, so long as there is something to look after.
void watch_hosts(self_ptr self) {
  if (self->state.checking_hosts)
    return;
  self->state.checking_hosts = true;
  self->delayed_send(self, host_patience, check_hosts{});
}

void send_or_park(self_ptr self, std::uint64_t id);

// --- placement ---

/// A host that has stopped does not say so. What is under way to one that is none any more goes on
/// at once, in its order.
void follow_moved(self_ptr self) {
  auto& state = self->state;
  std::vector<std::uint64_t> moved;
  for (auto& [id, call] : state.calls) {
    if (call.now != phase::in_flight || !call.shard || !call.host)
      continue;
    const auto host = state.routes.host_of(*call.shard);
    if (!host || host == call.host)
      continue;
    state.routes.turn(*call.shard);
    land(state, call, phase::parked);
    moved.push_back(id);
  }
  for (const auto id : moved)
    send_or_park(self, id);
}

void on_placement(self_ptr self, way_number way, const msg::gateway_actor& by,
                  const msg::placement& said) {
  auto& state = self->state;
  const auto found = state.gateways.find(way);
  if (found == state.gateways.end() || found->second != by)
    return;
  const bool first = state.routes.shards() == 0;
  state.routes.learn(way, said);
  if (first && state.routes.shards() > 0)
    for (auto& [id, call] : state.calls) // later requests for the same shards stay behind them
      if (call.now == phase::in_flight && call.shard_of && !call.shard) {
        call.shard = call.shard_of(state.routes.shards());
        state.routes.join(*call.shard);
      }
  follow_moved(self);
}

/// Looks whether the hints are too old to be good. Needs no timer: without requests nobody asks.
void refresh_placement(self_ptr self) {
  auto& state = self->state;
  if (!state.deps.follows_placement)
    return;
  for (const auto way : state.routes.questions(self->clock().now())) {
    const auto& gateway = state.gateways.at(way);
    self->request(gateway, state.deps.retry.try_timeout, msg::get_placement{})
        .then([=](const msg::placement& said) { on_placement(self, way, gateway, said); },
              [](const caf::error&) {}); // requests find their way all the same
  }
}

/// Asks a node what time it is, if that is worth knowing again. Without requests nobody asks; one
/// that was lost is asked again by its timeout.
void refresh_clock(self_ptr self, const msg::gateway_actor& gateway) {
  auto& state = self->state;
  if (!state.deps.clock || state.asking_the_time)
    return;
  const auto asked = self->clock().now();
  if (!state.deps.clock->wants_to_ask(asked))
    return;
  state.asking_the_time = true;
  self->request(gateway, std::min<core::duration>(state.deps.retry.try_timeout, clock_patience),
                msg::get_node_status{})
      .then(
          [=](const msg::node_status& said) {
            self->state.asking_the_time = false;
            self->state.deps.clock->note(asked, self->clock().now(), said.now);
          },
          [=](const caf::error&) { self->state.asking_the_time = false; });
}

void look_after_hosts(self_ptr self) {
  auto& state = self->state;
  state.checking_hosts = false;
  const auto late = self->clock().now() - host_patience;
  bool any = false;
  bool any_late = false;
  for (const auto& [id, call] : state.calls) {
    const bool at_host = call.now == phase::in_flight && call.host;
    any = any || at_host;
    any_late = any_late || (at_host && call.sent_at <= late);
  }
  if (any_late) {
    state.routes.doubt();
    refresh_placement(self);
  }
  if (any)
    watch_hosts(self);
}

way_number way_of(self_ptr self, courier_state::call& call) {
  auto& routes = self->state.routes;
  if (!call.shard_of || call.by_home || routes.shards() == 0)
    return routes.home();
  const auto now = self->clock().now();
  call.shard = call.shard_of(routes.shards());
  const auto way = routes.depart(*call.shard, now);
  if (const auto node = routes.node_at(way); node && node == routes.host_of(*call.shard))
    call.host = node;
  if (self->state.deps.on_detours && routes.wants_ways(now))
    self->state.deps.on_detours();
  return way;
}

// --- tries ---

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
  if (!state.routes.any_open()) {
    call.now = phase::parked;
    watch_deadlines(self);
    return;
  }
  call.now = phase::in_flight;
  ++call.attempt;
  call.sent_at = self->clock().now();
  call.way = way_of(self, call);
  if (call.host)
    watch_hosts(self);
  refresh_clock(self, state.gateways.at(call.way)); // ahead of it: leases in its answer need that
  call.send(state.gateways.at(call.way), call.attempt,
            std::min(remaining, state.deps.retry.try_timeout));
  refresh_placement(self);
}

/// Sends all that wait for a connection, in their order; without one, those fail that are overdue.
void send_parked(self_ptr self) {
  std::vector<std::uint64_t> parked;
  for (const auto& [id, call] : self->state.calls)
    if (call.now == phase::parked)
      parked.push_back(id);
  for (const auto id : parked)
    send_or_park(self, id);
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
  if (problem.code != core::errc::overloaded) { // that is the host's word, whichever the way
    if (call.shard)
      state.routes.distrust(*call.shard);
    call.by_home = call.shard.has_value(); // and the next time again as is best
  }
  land(state, call, phase::backing_off);
  const auto& retry = state.deps.retry;
  const auto pause =
      core::full_jitter(call.attempt, retry.backoff_min, retry.backoff_max, state.random());
  const auto remaining =
      std::max(left(call, self->clock().now()), core::duration{std::chrono::milliseconds{1}});
  self->delayed_send(self, std::min(pause, remaining), call_again{id});
}

// --- connections ---

bool is_reached(const courier_state& state, const caf::actor_addr& gateway) {
  return std::any_of(state.gateways.begin(), state.gateways.end(),
                     [&](const auto& one) { return one.second.address() == gateway; });
}

void on_found(self_ptr self, const gateway_found& found) {
  auto& state = self->state;
  auto& gateway = state.gateways[found.way];
  const auto before = std::exchange(gateway, nullptr);
  if (before && !is_reached(state, before.address()))
    self->demonitor(caf::actor_cast<caf::actor_addr>(before));
  if (!is_reached(state, found.gateway.address())) // two ways may lead to one node
    self->monitor(found.gateway);
  gateway = found.gateway;
  state.routes.open(found.way);
  refresh_clock(self, found.gateway);
  refresh_placement(self);
  send_parked(self);
}

void on_down(self_ptr self, const caf::down_msg& down) {
  auto& state = self->state;
  std::vector<way_number> lost;
  for (const auto& [way, gateway] : state.gateways)
    if (gateway.address() == down.source)
      lost.push_back(way);
  if (lost.empty())
    return;
  state.last_problem = "the connection broke: " + caf::deep_to_string(down.reason);
  for (const auto way : lost) {
    state.gateways.erase(way);
    state.routes.close(way);
    // CAF leaves requests to a lost node to their timeout; whether they were carried out is
    // unknown, which is what ids chosen by the caller are for.
    for (auto& [id, call] : state.calls)
      if (call.now == phase::in_flight && call.way == way)
        land(state, call, phase::parked);
    state.deps.on_lost(way);
  }
  send_parked(self);
}

/// What becomes of one try. Compiled for each kind of answer, of which there are fewer than
/// requests.
template <class Answer, class Promise, class Response>
void pass_back(self_ptr self, std::uint64_t id, std::uint32_t attempt, Promise promise,
               Response response) {
  response.then(
      [self, id, attempt, promise](Answer& answer) mutable {
        // Of an earlier try it may be old: that of a host that had stopped and knows no better yet.
        // The request is the same, and so is what becomes of it.
        const auto found = self->state.calls.find(id);
        if (found == self->state.calls.end() || found->second.attempt != attempt)
          return;
        close(self->state, found);
        promise.deliver(std::move(answer));
      },
      [self, id, attempt](caf::error& error) { try_failed(self, id, attempt, error); });
}

/// Takes a request in.
template <class Request>
caf::result<msg::answer_to<Request>>
take(self_ptr self, std::shared_ptr<const Request> request,
     std::function<core::shard_id(std::uint32_t shards)> shard_of) {
  using answer_type = msg::answer_to<Request>;
  auto& state = self->state;
  if (payload_bytes(*request) + frame_overhead > frame_bytes_max)
    return msg::to_error(core::errc::too_large, "a request may have up to "
                                                    + std::to_string(frame_bytes_max)
                                                    + " bytes; send it in parts");
  if (state.calls.size() >= state.deps.retry.open_calls_max)
    return msg::to_error(core::errc::overloaded,
                         std::to_string(state.calls.size())
                             + " requests of this connection wait for their answers already");
  const auto id = ++state.last_call;
  auto promise = self->template make_response_promise<answer_type>();
  auto& call = state.calls[id];
  call.deadline = self->clock().now() + state.deps.retry.deadline;
  call.shard_of = std::move(shard_of);
  call.send = [self, id, promise, kept = std::move(request)](const msg::gateway_actor& gateway,
                                                             std::uint32_t attempt,
                                                             core::duration timeout) {
    pass_back<answer_type>(self, id, attempt, promise, self->request(gateway, timeout, *kept));
  };
  call.give_up = [promise](const core::failure& why) mutable {
    promise.deliver(msg::to_error(why));
  };
  send_or_park(self, id);
  return promise;
}

/// The handler of one kind of request. Where the request tells which host decides, it goes there at
/// once.
template <class Request>
auto carry(self_ptr self) {
  return [self](const Request& request) {
    auto kept = std::make_shared<const Request>(request);
    std::function<core::shard_id(std::uint32_t)> shard_of;
    if constexpr (msg::names_its_host<Request>)
      shard_of = [kept](std::uint32_t shards) { return msg::shard_of_request(*kept, shards); };
    return take(self, std::move(kept), std::move(shard_of));
  };
}

/// The handlers of all operations, and those of the courier's own.
template <class... Rows>
courier_actor::behavior_type handlers(self_ptr self, caf::detail::type_list<Rows...>) {
  return {
      carry<typename Rows::request>(self)...,
      [self](const msg::tasks_lost& lost) {
        if (self->state.deps.on_tasks_lost)
          self->state.deps.on_tasks_lost(lost);
      },
      [self](const gateway_found& found) { on_found(self, found); },
      [self](const gateway_unreachable& why) { self->state.last_problem = why.why; },
      [self](const call_again& again) {
        const auto found = self->state.calls.find(again.call);
        if (found != self->state.calls.end() && found->second.now == phase::backing_off)
          send_or_park(self, again.call);
      },
      [self](const check_deadlines&) {
        self->state.checking_deadlines = false;
        send_parked(self); // those that stay so arm the next check
      },
      [self](const check_hosts&) { look_after_hosts(self); },
  };
}

} // namespace

courier_actor::behavior_type courier(self_ptr self, courier_deps deps) {
  self->state.deps = std::move(deps);
  self->state.random.seed(self->state.deps.seed);
  // Nodes report lost leases to it.
  self->attach_functor([kept = link::published_actors::of_process().published(
                            self->id(), link::audience::nodes)] {});

  self->set_down_handler([self](caf::down_msg& down) { on_down(self, down); });
  self->set_exit_handler([self](caf::exit_msg& exit) {
    while (!self->state.calls.empty())
      fail(self, self->state.calls.begin()->first,
           {core::errc::unavailable, "the connection was closed by its owner"});
    self->quit(exit.reason);
  });

  return handlers(self, msg::operations{});
}

} // namespace holdfast::client
