#pragma once

#include "http/fields.hpp"
#include "messages/reason.hpp"

/// The shape of the part that all explanations share.
namespace holdfast::http {

template <class Fields>
void describe(Fields& f, msg::reason& x) {
  f.required("code", x.code, "The reason, for programs; docs/API.md lists all of them.");
  f.required("text", x.text, "The same for people.");
}

} // namespace holdfast::http
