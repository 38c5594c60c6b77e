#pragma once

#include "actors/log.hpp"
#include "config/settings.hpp"

#include <memory>
#include <string>

namespace spdlog {
class logger;
}

namespace holdfast::app {

/// The log of a process: structured lines on stderr, which belongs to whoever started it.
///
///     2026-03-01T12:00:00.123Z info node_ready port=4747 data_dir="/var/lib/my data"
///     {"time":"2026-03-01T12:00:00.123Z","level":"info","event":"node_ready","port":"4747"}
///
/// Copies write to the same place. Safe to use from any thread.
class log_stream {
public:
  log_stream(config::log_level least, config::log_format format);

  void write(actors::log_level level, const std::string& event,
             const actors::log_fields& fields) const;
  void info(const std::string& event, const actors::log_fields& fields) const;
  void error(const std::string& event, const actors::log_fields& fields) const;

  /// Returns once everything written is with the operating system.
  void flush() const;

  /// For actors.
  actors::logger as_function() const;

private:
  std::shared_ptr<spdlog::logger> lines_;
  config::log_format format_;
};

/// What follows level and time in a line: the event and its particulars. Bytes that are no UTF-8
/// are replaced, so that one bad name does not make a line unreadable to a log collector.
std::string log_line(config::log_format format, const std::string& event,
                     const actors::log_fields& fields);

} // namespace holdfast::app
