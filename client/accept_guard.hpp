#pragma once

#include "link/loopback_user.hpp"

#include <functional>

/// CAF takes connections from whoever reaches its port. On loopback that is every user of the
/// machine. It accepts through the dynamic linker, so a definition of our own takes the place of
/// the library's, as with the frame guard, and hangs up on processes of other users.
namespace holdfast::client {

/// Does nothing. A reference to it keeps the linker from leaving the guard behind in its archive.
void keep_accept_guard();

/// Sets the users whose processes may connect over loopback to the ports that this process
/// publishes. Before the first call only processes of its own user may; processes of root always
/// may. `on_refused` is told, on a thread of CAF, of each that is refused: its user, or -1 when the
/// system does not say.
void accept_from(link::local_users users, std::function<void(long)> on_refused = {});

} // namespace holdfast::client
