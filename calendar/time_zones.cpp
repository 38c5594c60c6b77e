#include "calendar/time_zones.hpp"

#include <date/tz.h>

#include <stdexcept>

namespace holdfast::calendar {

namespace {

class located_zone : public core::time_zone {
public:
  explicit located_zone(const date::time_zone* zone) : zone_(zone) {}

  core::duration offset_at(core::instant at) const override {
    return zone_->get_info(std::chrono::floor<std::chrono::seconds>(at)).offset;
  }

private:
  const date::time_zone* zone_; ///< Of the library's database, which is never freed.
};

} // namespace

std::shared_ptr<const core::time_zone> find_zone(const std::string& name) {
  try {
    auto zone = std::make_shared<const located_zone>(date::locate_zone(name));
    zone->offset_at({}); // the zone's own file is read at the first question
    return zone;
  } catch (const std::runtime_error&) {
    return nullptr; // unknown, or the system has no database
  }
}

} // namespace holdfast::calendar
