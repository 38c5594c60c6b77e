#pragma once

#include "messages/interfaces.hpp"

#include <caf/actor_system.hpp>
#include <caf/uniform_type_info_map.hpp>

#include <string>
#include <vector>

namespace holdfast::test {

/// Under which a message travels.
template <class Type>
std::string name_of(const caf::actor_system& system) {
  return system.types().portable_name(caf::type_nr<Type>::value, &typeid(Type));
}

/// The names of request and answer of every line of an interface.
template <class... In, class... Out>
std::vector<std::string>
names_in(const caf::actor_system& system,
         caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>) {
  return {name_of<In>(system)..., name_of<Out>(system)...};
}
/// The same of all its lines.
template <class... Signatures>
std::vector<std::vector<std::string>> signature_names(const caf::actor_system& system,
                                                      caf::detail::type_list<Signatures...>) {
  return {names_in(system, Signatures{})...};
}

} // namespace holdfast::test
