#include "app/logging.hpp"

#include "app/printable.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>

namespace holdfast::app {

namespace {

std::string quoted(const std::string& text) {
  return printable(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

bool reads_as_one_word(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\';
  });
}

spdlog::level::level_enum to_spdlog(config::log_level level) {
  switch (level) {
  case config::log_level::trace:
    return spdlog::level::trace;
  case config::log_level::debug:
    return spdlog::level::debug;
  case config::log_level::info:
    return spdlog::level::info;
  case config::log_level::warn:
    return spdlog::level::warn;
  case config::log_level::error:
    return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::level::level_enum to_spdlog(actors::log_level level) {
  switch (level) {
  case actors::log_level::debug:
    return spdlog::level::debug;
  case actors::log_level::info:
    return spdlog::level::info;
  case actors::log_level::warning:
    return spdlog::level::warn;
  case actors::log_level::error:
    return spdlog::level::err;
  }
  return spdlog::level::info;
}

} // namespace

std::string log_line(config::log_format format, const std::string& event,
                     const actors::log_fields& fields) {
  if (format == config::log_format::json) {
    auto line = "\"event\":" + quoted(event);
    for (const auto& [key, value] : fields)
      line += ',' + quoted(key) + ':' + quoted(value);
    return line;
  }
  auto line = reads_as_one_word(event) ? event : quoted(event);
  for (const auto& [key, value] : fields)
    line += ' ' + key + '=' + (reads_as_one_word(value) ? value : quoted(value));
  return line;
}

log_stream::log_stream(config::log_level least, config::log_format format)
    : lines_(std::make_shared<spdlog::logger>("holdfast",
                                              std::make_shared<spdlog::sinks::stderr_sink_mt>())),
      format_(format) {
  const auto* pattern = format == config::log_format::json
                            ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                            : "%Y-%m-%dT%H:%M:%S.%eZ %l %v";
  lines_->set_pattern(pattern, spdlog::pattern_time_type::utc);
  lines_->set_level(to_spdlog(least));
}

void log_stream::write(actors::log_level level, const std::string& event,
                       const actors::log_fields& fields) const {
  const auto spdlog_level = to_spdlog(level);
  if (lines_->should_log(spdlog_level))
    lines_->log(spdlog_level, spdlog::string_view_t{log_line(format_, event, fields)});
}

void log_stream::info(const std::string& event, const actors::log_fields& fields) const {
  write(actors::log_level::info, event, fields);
}

void log_stream::error(const std::string& event, const actors::log_fields& fields) const {
  write(actors::log_level::error, event, fields);
}

void log_stream::flush() const { lines_->flush(); }

actors::logger log_stream::as_function() const {
  return [stream = *this](actors::log_level level, const std::string& event,
                          const actors::log_fields& fields) { stream.write(level, event, fields); };
}

} // namespace holdfast::app
