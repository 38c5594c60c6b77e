#pragma once

#include "bench/soak/striking.hpp"

/// Wall clocks that somebody sets. All other clocks go on.
namespace holdfast::soak {

/// That of a node is an hour ahead, then an hour behind. Its leases are the server's affair, and
/// its timers go by a clock that nobody sets. It reads the wall clock for the certificates of
/// peers.
void jump_clock_of_node(const striking& with);

/// That of the server is set back, and right again. A lease that was granted before lasts longer by
/// the step (docs/adr/0078), so the step is less than the time by which users hand in results late.
void set_back_clock_of_server(const striking& with);

/// That of all users is an hour ahead, then an hour behind.
void jump_clock_of_users(const striking& with);

} // namespace holdfast::soak
