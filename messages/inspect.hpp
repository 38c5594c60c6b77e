#pragma once

#include "core/ids.hpp"

#include <caf/meta/type_name.hpp>

/// How values of core travel between processes. Inspectors never throw: an exception inside CAF's
/// deserializer ends the process.
namespace holdfast::core {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, uuid& x) {
  return f(caf::meta::type_name("hf1.uuid"), x.bytes);
}

template <class Inspector, class Tag>
typename Inspector::result_type inspect(Inspector& f, strong_id<Tag>& x) {
  return f(x.value);
}

} // namespace holdfast::core

/// Declares the wire form of a message: its fields, in this order, for ever. CAF 0.17 sends no
/// field tags, so a changed layout needs a new struct with a new name. `wire_name` is the name
/// under which the type is registered.
#define HOLDFAST_WIRE(Type, ...)                                                                   \
  constexpr const char* wire_name(const Type*) { return "hf1." #Type; }                            \
  template <class Inspector>                                                                       \
  typename Inspector::result_type inspect(Inspector& f, Type& x) {                                 \
    return f(caf::meta::type_name(wire_name(&x)), __VA_ARGS__);                                    \
  }
