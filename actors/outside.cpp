#include "actors/outside.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

outside& rules_of_process() {
  static outside rules;
  return rules;
}

} // namespace

void set_outside(outside rules) { rules_of_process() = std::move(rules); }
const outside& what_is_outside() { return rules_of_process(); }

} // namespace holdfast::actors
