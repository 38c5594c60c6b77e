// The part of the queue actor that ends leases with the connection over which they were claimed.

#include "actors/queue_state.hpp"

#include <algorithm>
#include <map>

namespace holdfast::actors {

namespace {

/// Workers of one connection of which the host is told. More names than that need no program; their
/// leases run out after a crash of the queue, as all do that end with no connection.
constexpr std::size_t noted_max = 1000;

/// Whether this is the end of the worker, and not of what was between it and the queue: then its
/// leases live on, and it comes back over another node or they run out.
bool is_over(const queue_state::connection& connection, const caf::error& reason) {
  return !connection.distant || !reason;
}

void note(queue_ptr self, queue_state::connection& connection, const core::worker_id& worker) {
  auto& st = self->state;
  if (connection.noted.size() >= noted_max || !connection.noted.insert(worker).second)
    return;
  self->send(st.host, note_tie{st.queue.name, {worker, connection.client, connection.distant}});
}

} // namespace

bool use_connection(queue_ptr self, const caf::actor& client, bool distant,
                    const core::worker_id& worker) {
  if (!client)
    return true;
  auto& st = self->state;
  if (st.connections.size() >= st.context->settings.claim_connections_max
      && st.connections.count(client.address()) == 0)
    return false;
  const auto [at, fresh] = st.connections.try_emplace(client.address());
  if (fresh) {
    at->second.client = client;
    at->second.distant = distant;
    self->monitor(client);
  }
  note(self, at->second, worker);
  return true;
}

caf::actor_addr connection_of(queue_ptr self, const caf::actor& caller) {
  if (!caller || self->state.connections.count(caller.address()) == 0)
    return {};
  return caller.address();
}

caf::actor_addr connection_of(queue_ptr self, const core::task_id& task) {
  const auto found = self->state.bound.find(task);
  return found == self->state.bound.end() ? caf::actor_addr{} : found->second;
}

void bind_leases(queue_ptr self, const caf::actor_addr& client,
                 const std::vector<core::task_id>& tasks) {
  auto& st = self->state;
  const auto connection = client ? st.connections.find(client) : st.connections.end();
  if (connection == st.connections.end())
    return;
  for (const auto& id : tasks) {
    const auto found = st.queue.tasks.find(id);
    if (found == st.queue.tasks.end() || found->second.held() == nullptr)
      continue;
    unbind_lease(self, id);
    st.bound[id] = client;
    connection->second.leases[id] = found->second.held()->token;
  }
}

void rebind_lease(queue_ptr self, const caf::actor& caller, const core::held_task& shown) {
  const auto client = connection_of(self, caller);
  const auto before = connection_of(self, shown.task);
  if (client && before && client != before)
    bind_leases(self, client, {shown.task});
}

void unbind_lease(queue_ptr self, const core::task_id& task) {
  auto& st = self->state;
  const auto found = st.bound.find(task);
  if (found == st.bound.end())
    return;
  if (const auto connection = st.connections.find(found->second);
      connection != st.connections.end())
    connection->second.leases.erase(task);
  st.bound.erase(found);
}

std::vector<std::pair<caf::actor, msg::tasks_lost>>
losses_by_connection(queue_ptr self, const std::vector<core::lost_lease>& lost) {
  auto& st = self->state;
  std::map<caf::actor_addr, std::vector<msg::task_ref>> of_client;
  for (const auto& lease : lost)
    if (const auto client = connection_of(self, lease.task))
      of_client[client].push_back({lease.task, lease.token});
  std::vector<std::pair<caf::actor, msg::tasks_lost>> told;
  for (auto& [client, tasks] : of_client)
    told.emplace_back(st.connections.at(client).client,
                      msg::tasks_lost{st.queue.name, std::move(tasks)});
  return told;
}

void on_connection_down(queue_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto found = st.connections.find(down.source);
  if (found == st.connections.end())
    return;
  const bool over = is_over(found->second, down.reason);
  core::lose_leases command;
  for (const auto& [task, token] : found->second.leases) {
    command.leases.push_back({task, token});
    st.bound.erase(task);
  }
  const auto waiting = std::move(found->second.waiting);
  st.connections.erase(found);
  self->send(st.host, forget_ties{st.queue.name, down.source});
  stop_waiting(self, waiting);
  if (over && !command.leases.empty()) {
    // In an order that does not depend on how they lie in memory.
    std::sort(command.leases.begin(), command.leases.end(),
              [](const auto& a, const auto& b) { return a.task < b.task; });
    auto decided = core::decide(st.queue, command, time(self));
    carry_out(self, std::move(decided.changes), [](const core::failure&) {});
  }
  look_after(self);
}

void on_ties(queue_ptr self, const ties_noted& noted) {
  auto& st = self->state;
  std::map<core::worker_id, std::uint32_t> connections_of;
  for (const auto& tie : noted.ties)
    ++connections_of[tie.worker];
  for (const auto& tie : noted.ties) {
    const auto [at, fresh] = st.connections.try_emplace(tie.client.address());
    if (fresh) { // else it has asked this life of the queue already
      at->second.client = tie.client;
      at->second.distant = tie.distant;
      self->monitor(tie.client);
    }
    at->second.noted.insert(tie.worker);
    // Which of two connections of one name has claimed what is not stored. Such leases run out.
    const auto held = st.queue.held.find(tie.worker);
    if (held == st.queue.held.end() || connections_of[tie.worker] > 1)
      continue;
    for (const auto& task : held->second)
      if (!connection_of(self, task))
        bind_leases(self, tie.client.address(), {task});
  }
}

} // namespace holdfast::actors
