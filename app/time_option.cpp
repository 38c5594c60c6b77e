#include "app/time_option.hpp"

#include "app/cluster_command.hpp"
#include "core/time_text.hpp"

namespace holdfast::app {

bool read_time(const std::string& text, const char* name, core::instant& at) {
  if (text.empty())
    return true;
  const auto read = core::parse_rfc3339(text);
  if (read)
    at = *read;
  else
    refuse({core::errc::invalid_argument,
            std::string{name} + " must be a time like 2026-01-31T06:00:00Z"},
           exit_code::usage);
  return read.has_value();
}

} // namespace holdfast::app
