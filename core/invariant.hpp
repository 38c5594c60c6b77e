#pragma once

#include <stdexcept>
#include <string>

namespace holdfast::core {

/// A bug in Holdfast itself. Ends the actor it happens in; its supervisor restarts it from the
/// database.
class broken_invariant : public std::logic_error {
public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void break_invariant(const char* condition, const char* reason,
                                         const char* file, int line) {
  throw broken_invariant(std::string{file} + ':' + std::to_string(line) + ": " + reason + " ("
                         + condition + ')');
}

} // namespace holdfast::core

/// An assertion that stays on in release builds. `reason` says who guarantees the condition. Never
/// reachable by user input: that is refused with an errc where it enters.
#define HOLDFAST_INVARIANT(condition, reason)                                                      \
  ((condition) ? static_cast<void>(0)                                                              \
               : ::holdfast::core::break_invariant(#condition, reason, __FILE__, __LINE__))
