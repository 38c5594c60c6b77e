#pragma once

#include "messages/registry.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>

namespace holdfast::test {

/// One thread and the clock of the test.
struct testing_system : caf::actor_system_config {
  testing_system() {
    set("scheduler.policy", caf::atom("testing"));
    msg::register_messages(*this);
  }
};

} // namespace holdfast::test
