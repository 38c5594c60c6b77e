#pragma once

#include <caf/actor_system.hpp>
#include <caf/detail/type_list.hpp>

namespace holdfast::client {

/// Gives the actor system a random node id. CAF makes one from the MAC address and the process id,
/// and two containers with the same ones (pid 1 behind equal virtual cards) then take each other
/// for themselves; a restarted container is taken for its earlier life, whose small actor ids now
/// name other actors.
///
/// Load it after the middleman: it must run before any actor is spawned.
class node_identity : public caf::actor_system::module {
public:
  explicit node_identity(caf::actor_system& system) : system_(system) {}

  void start() override {}
  void stop() override {}
  void init(caf::actor_system_config&) override;
  id_t id() const override;
  void* subtype_ptr() override { return this; }

  static caf::actor_system::module* make(caf::actor_system& system, caf::detail::type_list<>);

private:
  caf::actor_system& system_;
};

} // namespace holdfast::client
