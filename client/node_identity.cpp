#include "client/node_identity.hpp"

#include <caf/node_id.hpp>

#include <random>

namespace holdfast::client {

namespace {

/// CAF 0.17 has no setter. An explicit instantiation may name private members (C++17,
/// [temp.explicit] 12), which is the one legal way in.
struct node_of_system {
  using type = caf::node_id caf::actor_system::*;
  friend type member(node_of_system);
};

template <class Tag, typename Tag::type Member>
struct opened {
  friend typename Tag::type member(Tag) { return Member; }
};

template struct opened<node_of_system, &caf::actor_system::node_>;

} // namespace

void node_identity::init(caf::actor_system_config&) {
  std::random_device random; // getrandom(2): two processes never agree by accident
  caf::node_id::default_data::host_id_type host;
  for (auto& byte : host)
    byte = static_cast<std::uint8_t>(random());
  system_.*member(node_of_system{}) = caf::make_node_id(random() | 1U, host);
}

// A slot that no part of Holdfast uses: the array of modules is as long as its enumeration.
node_identity::id_t node_identity::id() const { return opencl_manager; }

caf::actor_system::module* node_identity::make(caf::actor_system& system,
                                               caf::detail::type_list<>) {
  return new node_identity{system};
}

} // namespace holdfast::client
