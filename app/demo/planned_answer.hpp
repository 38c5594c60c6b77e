#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <string>

namespace holdfast::app::demo {

/// The conduct of a contributor with a unit, beside the answer itself.
enum class habit : std::uint8_t {
  plain,
  lets_expire,    ///< Takes it and forgets it, comes back for it later.
  submits_late,   ///< The same, and hands the answer in when it is too late.
  submits_twice,  ///< Sends the answer again after it was accepted.
  sends_nonsense, ///< First sends a payload that breaks the schema.
  mistakes_token, ///< First sends a token that it was not given.
};

/// The answer that one contributor is to give, and how.
struct planned_answer {
  std::string label;
  core::duration thinking{}; ///< Scaled already.
  habit how = habit::plain;
};

} // namespace holdfast::app::demo
