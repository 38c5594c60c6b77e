#include "documents/schedule_document.hpp"

#include "core/never_due.hpp"
#include "core/queue_policy.hpp"
#include "documents/json.hpp"
#include "documents/member_reader.hpp"
#include "documents/parse.hpp"
#include "documents/task_words.hpp"

#include <ctime>
#include <utility>

namespace holdfast::documents {

using nlohmann::json;

namespace {

/// A time in UTC to the second as RFC 3339 has it, e.g. `2026-01-31T06:00:00Z`; none for anything
/// else.
std::optional<core::instant> instant_of(const std::string& text) {
  constexpr const char* form = "%Y-%m-%dT%H:%M:%SZ";
  std::tm parts{};
  const auto* end = strptime(text.c_str(), form, &parts);
  if (end == nullptr || *end != '\0')
    return std::nullopt;
  const auto seconds = timegm(&parts);
  // The 30th of February would be taken for a day of March, and single digits for two.
  char back[32];
  std::tm again{};
  std::strftime(back, sizeof back, form, gmtime_r(&seconds, &again));
  return back == text ? std::optional{core::instant{std::chrono::seconds{seconds}}} : std::nullopt;
}

class plan_reader {
public:
  core::schedule_plan plan;
  std::vector<core::definition_problem> problems;

  void read(const json& document, const core::zone_finder& find_zone) {
    member_reader from{document, "", problems};
    if (const auto* cron = from.required("cron", "e.g. \"0 6 * * MON-FRI\""))
      read_cron(from, *cron);
    from.text("time_zone", plan.time_zone);
    plan.zone = find_zone(plan.time_zone);
    if (!plan.zone)
      from.problem("time_zone", "is not a time zone that is known here, e.g. \"Europe/Berlin\"");
    if (const auto* task = from.required("task", "it says what is to be made"))
      read_task(*task);
    read_backfill(from);
    from.flag("paused", plan.paused);
    read_instant(from, "from", plan.from);
    read_instant(from, "until", plan.until);
    if (plan.from && plan.until && *plan.from > *plan.until)
      from.problem("until", "must not be before from");
    from.refuse_unknown();
  }

private:
  void read_cron(member_reader& from, const json& source) {
    from.text(source, "cron", plan.cron);
    if (!source.is_string())
      return;
    const auto times = core::parse_cron(plan.cron);
    if (!times)
      return from.problem("cron", times.error().detail);
    plan.times = *times;
    if (!core::names_a_date(plan.times))
      from.problem("cron", "is never due: no month that it names has a day that it names");
  }

  void read_backfill(member_reader& from) {
    std::string policy = "latest";
    from.text("backfill", policy);
    if (policy == "none")
      plan.backfill = core::backfill::none;
    else if (policy == "all")
      plan.backfill = core::backfill::all;
    else if (policy != "latest")
      from.problem("backfill", "must be none, latest or all");
    from.count("backfill_max", plan.backfill_max);
    if (plan.backfill_max < 1 || plan.backfill_max > core::backfill_max_most)
      from.problem("backfill_max",
                   "must be between 1 and " + std::to_string(core::backfill_max_most));
    from.seconds("grace", plan.grace);
    if (plan.grace < core::duration::zero() || plan.grace > core::grace_most)
      from.problem("grace", "must be between 0 and 86400 seconds");
  }

  static void read_instant(member_reader& from, std::string_view name,
                           std::optional<core::instant>& into) {
    const auto* value = from.member(name);
    if (value == nullptr)
      return;
    if (value->is_string())
      into = instant_of(value->get<std::string>());
    if (!into)
      from.problem(name, "must be a time in UTC, e.g. \"2026-01-31T06:00:00Z\"");
  }

  void read_task(const json& source) {
    member_reader from{source, "/task", problems};
    auto& task = plan.task;
    auto& spec = task.spec;
    from.required("type", "it chooses the handler");
    from.text("type", spec.type);
    if (source.contains("type"))
      refuse_if(from, "type", check_text(spec.type, "type", core::task_word_bytes_max));
    spec.version = "1.0";
    from.text("version", spec.version);
    refuse_if(from, "version", check_version(spec.version));
    spec.body = "{}";
    read_document(from, "body", spec.body);
    read_document(from, "data", task.data);
    for (const auto& [name, into] : {std::pair<const char*, std::string*>{"state", &task.state},
                                     {"key", &spec.key},
                                     {"credential", &spec.credential},
                                     {"unique_key", &spec.unique_key},
                                     {"owner_id", &spec.owner_id},
                                     {"run_as_id", &spec.run_as_id}}) {
      from.text(name, *into);
      refuse_if(from, name, check_word(*into, name));
    }
    read_priority(from);
    from.count("max_attempts", spec.max_attempts);
    if (spec.max_attempts > core::max_attempts_most)
      from.problem("max_attempts", "must be at most " + std::to_string(core::max_attempts_most));
    from.refuse_unknown();
  }

  void read_priority(member_reader& from) {
    const auto* value = from.member("priority");
    if (value == nullptr)
      return;
    if (value->is_number_integer() && value->get<std::int64_t>() >= -core::priority_max
        && value->get<std::int64_t>() <= core::priority_max)
      plan.task.spec.priority = value->get<std::int16_t>();
    else
      from.problem("priority", "must be a whole number between -1000 and 1000");
  }

  static void read_document(member_reader& from, std::string_view name, std::string& into) {
    if (const auto* value = from.member(name))
      into = value->dump();
  }

  static void refuse_if(member_reader& from, std::string_view name, core::failure why) {
    if (why.code != core::errc::none)
      from.problem(name, std::move(why.detail));
  }
};

} // namespace

core::outcome<core::schedule_plan> parse_schedule(std::string_view text, const json_limits& limits,
                                                  const core::zone_finder& find_zone) {
  const auto document = parse_json(text, limits);
  if (!document)
    return document.error();
  plan_reader reader;
  reader.read(*document, find_zone);
  if (!reader.problems.empty())
    return refusal_of(reader.problems);
  return std::move(reader.plan);
}

} // namespace holdfast::documents
