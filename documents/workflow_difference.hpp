#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace holdfast::documents {

/// More than anybody would read; and it bounds the answer to whoever asked.
inline constexpr std::size_t definition_differences_max = 1000;

/// What is not the same in two definitions of a workflow.
struct definition_difference {
  std::string place;  ///< JSON pointer, with the key of a step for its index: /steps/label/lease.
  std::string before; ///< JSON; empty: it was not there.
  std::string after;  ///< JSON; empty: it is there no more.
};

/// What is not the same in two valid definitions (JSON), in order of place; the first
/// `definition_differences_max`. Steps are compared by key: one that came or went is one
/// difference, and so are, at /steps, the keys of both when those that stayed have another order.
/// Objects are compared member by member, all else by value, lists other than that of the steps as
/// a whole. What is written is compared, not what it means: a member that is left out differs from
/// one that says the default.
std::vector<definition_difference> differences_between(const std::string& before,
                                                       const std::string& after);

} // namespace holdfast::documents
