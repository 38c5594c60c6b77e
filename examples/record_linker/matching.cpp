#include "examples/record_linker/matching.hpp"

#include "core/invariant.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace linker {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr std::uint64_t link_end = std::uint64_t{1} << 48;

/// The waits after the first try, the second, and all others.
constexpr std::array<core::duration, 3> waits{5s, 30s, 3min};

constexpr std::uint32_t tries = 3;

core::duration wait_after(std::uint32_t attempt, double speed) {
  const auto which = std::min<std::size_t>(std::max(attempt, 1U), waits.size()) - 1;
  return core::duration{
      static_cast<std::int64_t>(static_cast<double>(waits[which].count()) / speed)};
}

/// The low bytes of `number`, high one first, from `place` on.
void put(core::uuid& id, std::size_t place, std::size_t bytes, std::uint64_t number) {
  for (std::size_t i = 0; i < bytes; ++i)
    id.bytes[place + i] = static_cast<std::uint8_t>(number >> 8 * (bytes - 1 - i));
}

/// W3C: 16 hexadecimal digits, not all zero.
std::string span_of(const link_id& which) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text(16, '0');
  auto rest = which.link;
  for (auto at = text.rbegin(); at != text.rend(); ++at, rest >>= 4)
    *at = digits[rest & 15];
  return text;
}

/// Decisions about replies, one for each kind.
struct replied {
  std::uint32_t attempt;
  double speed;

  decision operator()(const found& said) const {
    return conclude{{link_status::completed, said.entity}};
  }
  decision operator()(const no_match&) const { return conclude{{link_status::completed}}; }
  decision operator()(const refused& said) const {
    return conclude{{link_status::failed, {}, said.message}};
  }
  decision operator()(const slow_down& said) const { return hold_off{said.retry_after}; }
  decision operator()(const outage&) const { return try_again{wait_after(attempt, speed)}; }
};

struct ended {
  client::outcome operator()(const conclude& how) const {
    if (how.result.status == link_status::failed)
      return client::failed{error_record, how.result.message, core::failure_kind::permanent};
    return client::done{json{{"entity", how.result.entity}}.dump()};
  }
  client::outcome operator()(const try_again& how) const {
    return client::failed{error_outage, "the API did not answer", core::failure_kind::transient,
                          how.least_wait};
  }
  client::outcome operator()(const hold_off& how) const {
    return client::failed{error_rate_limited, "the API said 429", core::failure_kind::rate_limited,
                          how.retry_after};
  }
};

} // namespace

std::string queue_policy(core::duration ttl, double speed) {
  const std::chrono::duration<double> lease = ttl;
  const auto rate = [&](const char* credential) {
    return json{{"per_second", rate_of(credential) * speed}, {"burst", 1}};
  };
  return json{
      {"lease", {{"ttl_seconds", lease.count()}, {"total_max_seconds", 10 * lease.count()}}},
      {"retry",
       {{"max_attempts", tries},
        {"crashes_max", 3},
        {"least_seconds", 5 / speed},
        {"most_seconds", 600 / speed}}},
      {"rate_without_credential", rate(anonymous)},
      {"credentials", {{institution, rate(institution)}}},
      {"types", {{task_type, {{"running_max", 64}}}}},
      // A day: a bulk request of any size stays behind a person who waits.
      {"aging_seconds", 86400}}
      .dump();
}

core::task_id task_of(const link_id& which) {
  HOLDFAST_INVARIANT(which.link < link_end, "the application numbers its links from 1");
  core::task_id id;
  put(id.value, 0, 4, which.project);
  put(id.value, 4, 2, 0x6c6b); // "lk": an id that is not of a link has something else here
  put(id.value, 6, 2, 0x8000); // RFC 9562: version 8, of the application's own making
  put(id.value, 8, 2, 0x8000); // its variant
  put(id.value, 10, 6, which.link);
  return id;
}

msg::task_request request_for(const link_row& row, const std::string& trace,
                              std::int16_t priority) {
  msg::task_request made;
  made.task = task_of(row.id);
  made.type = task_type;
  made.body = json{
      {"project_id", row.id.project},
      {"task_id", row.id.link},
      {"dataset_entry_id",
       row.entry}}.dump();
  made.priority = priority;
  made.key = "project-" + std::to_string(row.id.project);
  made.credential = row.credential;
  made.trace_id = trace;
  made.span_id = span_of(row.id);
  return made;
}

std::optional<link_id> link_in(const std::string& body) {
  const auto read = json::parse(body, nullptr, false);
  const auto number = [&](const char* name) -> std::uint64_t {
    const auto at = read.find(name);
    return at != read.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
  };
  if (!read.is_object())
    return std::nullopt;
  const auto project = number("project_id");
  const auto link = number("task_id");
  if (project == 0 || project > UINT32_MAX || link == 0 || link >= link_end)
    return std::nullopt;
  return link_id{static_cast<std::uint32_t>(project), link};
}

std::string reason_to_drop(const std::optional<link_row>& row) {
  if (!row)
    return "the record is gone";
  if (row->status == link_status::queued)
    return {};
  return "the record is " + std::string{to_string(row->status)};
}

decision on_reply(const reply& said, std::uint32_t attempt, double speed) {
  return std::visit(replied{attempt, speed}, said);
}

client::outcome outcome_of(const decision& decided) { return std::visit(ended{}, decided); }

} // namespace linker
