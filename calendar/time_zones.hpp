#pragma once

#include "core/cron.hpp"

#include <memory>
#include <string>

/// The clocks of the world, from the time zone database of the system.
namespace holdfast::calendar {

/// The time zone of this IANA name, e.g. `Europe/Berlin`; null for a name that the system does not
/// know. The database is read once, at the first call: a newer one counts from the next start on.
/// Nothing is ever downloaded. Thread-safe.
std::shared_ptr<const core::time_zone> find_zone(const std::string& name);

} // namespace holdfast::calendar
