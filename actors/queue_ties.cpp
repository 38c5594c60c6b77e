// The part of the queue actor that ends leases with the connection over which they were claimed.

#include "actors/queue_state.hpp"

#include <algorithm>
#include <map>

namespace holdfast::actors {

namespace {

/// Whether this is the end of the worker, and not of what was between it and the queue: then its
/// leases live on, and it comes back over another node or they run out.
bool is_over(const tied_leases::connection& connection, const caf::error& reason) {
  return !connection.distant || !reason;
}

void forget(tied_leases& ties, const tied_lease& lease) {
  const std::pair held{lease.task, lease.token};
  if (const auto known = ties.connections.find(lease.client); known != ties.connections.end())
    known->second.held.erase(held);
  ties.lost.erase(held);
}

/// Ends leases of `tied_leases::lost`.
void end_lost(queue_ptr self, const tied_leases::leases& lost) {
  if (lost.empty())
    return;
  core::lose_leases command;
  for (const auto& [task, token] : lost)
    command.leases.push_back({task, token});
  auto decided = core::decide(self->state.queue, command, time(self));
  carry_out(self, std::move(decided.changes), [=](const core::failure& why) {
    if (why.code == core::errc::none)
      for (const auto& lease : lost)
        self->state.ties->lost.erase(lease);
  });
}

} // namespace

bool use_connection(queue_ptr self, const caf::actor& client, bool distant) {
  if (!client)
    return true;
  auto& st = self->state;
  auto& connections = st.ties->connections;
  if (connections.size() >= st.context->settings.claim_connections_max
      && connections.count(client.address()) == 0)
    return false;
  const auto [at, fresh] = connections.try_emplace(client.address());
  if (fresh) {
    at->second.client = client;
    at->second.distant = distant;
    self->monitor(client);
  }
  return true;
}

caf::actor_addr connection_of(queue_ptr self, const caf::actor& caller) {
  if (!caller || self->state.ties->connections.count(caller.address()) == 0)
    return {};
  return caller.address();
}

caf::actor_addr connection_of(queue_ptr self, const core::task_id& task) {
  const auto found = self->state.bound.find(task);
  return found == self->state.bound.end() ? caf::actor_addr{} : found->second.client;
}

void bind_leases(queue_ptr self, const caf::actor_addr& client,
                 const std::vector<core::task_id>& tasks) {
  auto& st = self->state;
  auto& connections = st.ties->connections;
  const auto connection = client ? connections.find(client) : connections.end();
  if (connection == connections.end())
    return;
  for (const auto& id : tasks) {
    const auto found = st.queue.tasks.find(id);
    if (found == st.queue.tasks.end() || found->second.held() == nullptr)
      continue;
    std::vector<tied_lease> before;
    unbind_lease(self, id, before);
    forget_leases(self, before);
    const auto token = found->second.held()->token;
    st.bound[id] = {client, token};
    connection->second.held.emplace(id, token);
  }
}

void rebind_lease(queue_ptr self, const caf::actor& caller, const core::held_task& shown) {
  const auto client = connection_of(self, caller);
  const auto before = connection_of(self, shown.task);
  if (client && before && client != before)
    bind_leases(self, client, {shown.task});
}

void unbind_lease(queue_ptr self, const core::task_id& task, std::vector<tied_lease>& over) {
  auto& bound = self->state.bound;
  const auto found = bound.find(task);
  if (found == bound.end())
    return;
  over.push_back({found->second.client, task, found->second.token});
  bound.erase(found);
}

void forget_leases(queue_ptr self, const std::vector<tied_lease>& over) {
  for (const auto& lease : over)
    forget(*self->state.ties, lease);
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
    told.emplace_back(st.ties->connections.at(client).client,
                      msg::tasks_lost{st.queue.name, std::move(tasks)});
  return told;
}

void on_connection_down(queue_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  auto& connections = st.ties->connections;
  const auto found = connections.find(down.source);
  if (found == connections.end())
    return;
  const bool over = is_over(found->second, down.reason);
  const auto gone = std::move(found->second);
  connections.erase(found);
  for (const auto& [task, token] : gone.held)
    if (const auto known = st.bound.find(task);
        known != st.bound.end() && known->second.token == token)
      st.bound.erase(known);
  if (over)
    st.ties->lost.insert(gone.held.begin(), gone.held.end());
  stop_waiting(self, gone.waiting);
  if (over)
    end_lost(self, gone.held);
  look_after(self);
}

void take_ties_over(queue_ptr self) {
  auto& st = self->state;
  // In an order that does not depend on how they lie in memory.
  std::map<caf::actor_addr, caf::actor> clients;
  for (auto& [address, connection] : st.ties->connections) {
    connection.waiting.clear();
    auto& held = connection.held;
    for (auto at = held.begin(); at != held.end();) {
      const auto& [id, token] = *at;
      const auto found = st.queue.tasks.find(id);
      const auto* lease = found == st.queue.tasks.end() ? nullptr : found->second.held();
      if (lease == nullptr || lease->token != token) {
        at = held.erase(at);
        continue;
      }
      st.bound[id] = {address, token};
      ++at;
    }
    clients.emplace(address, connection.client);
  }
  for (const auto& [address, client] : clients)
    self->monitor(client);
  end_lost(self, tied_leases::leases{st.ties->lost});
}

} // namespace holdfast::actors
