#pragma once

#include <string_view>
#include <vector>

namespace holdfast::app {

/// How an operation of `msg::operations` is reached from the command line.
struct operation_verb {
  std::string_view operation; ///< The name of the request.
  std::string_view command;   ///< Without the program: `tasks list`. Empty: no command asks for it.
  std::string_view reason;    ///< Then the reason.
};

/// One row for each operation, in their order. An operation without a row does not compile.
const std::vector<operation_verb>& operation_verbs();

} // namespace holdfast::app
