#pragma once

#include <string_view>

namespace holdfast::persistence {

/// The remedy for an error that the server reports.
enum class remedy {
  refuse,      ///< The data or the statement is at fault: the same again fails again.
  retry,       ///< It passes: the same again, on the same session.
  new_session, ///< It passes for a new session alone: this one has kept what is not true any more.
  ended,       ///< The server has ended the session.
};

/// The remedy for an SQLSTATE; an empty one stands for a connection that broke. An SQLSTATE that is
/// not in the table is refused: an error that nobody has thought of must not be tried for ever.
remedy remedy_for(std::string_view sqlstate);

} // namespace holdfast::persistence
