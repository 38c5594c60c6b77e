// libFuzzer target of cron expressions. Four bytes of an input are a time, two say how the clocks
// are changed; the rest is the expression.
//
// The next time is the first minute that the fields name, as a search minute by minute finds it;
// times are the same however a span is divided; and what names no date never comes.

#include "core/cron.hpp"
#include "core/never_due.hpp"
#include "tests/fuzz/oracle.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <vector>

namespace {

using namespace holdfast;
using namespace std::chrono_literals;
using fuzz::demand;

struct changing_clocks : core::time_zone {
  core::duration before{0};
  core::duration after{0};
  core::instant change{};

  core::duration offset_at(core::instant at) const override { return at < change ? before : after; }
};

/// Whether `c` names the minute of `utc` by the C library's calendar.
bool names(const core::cron& c, core::instant utc) {
  const auto seconds = static_cast<std::time_t>(
      std::chrono::floor<std::chrono::seconds>(utc).time_since_epoch() / 1s);
  std::tm on{};
  gmtime_r(&seconds, &on);
  if (!c.minutes.test(static_cast<std::size_t>(on.tm_min))
      || !c.hours.test(static_cast<std::size_t>(on.tm_hour))
      || !c.months.test(static_cast<std::size_t>(on.tm_mon + 1)))
    return false;
  const bool day = c.days.test(static_cast<std::size_t>(on.tm_mday));
  const bool weekday = c.weekdays.test(static_cast<std::size_t>(on.tm_wday));
  return c.any_day || c.any_weekday ? day && weekday : day || weekday;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 6)
    return 0;
  std::uint32_t seconds = 0; // 1970 to 2106
  for (int i = 0; i < 4; ++i)
    seconds = seconds << 8 | data[i];
  const core::instant start{std::chrono::seconds{seconds}};
  const std::string_view expression{reinterpret_cast<const char*>(data) + 6, size - 6};
  const auto parsed = core::parse_cron(expression);
  if (!parsed) {
    demand(!parsed.error().detail.empty(), "a refusal says why");
    return 0;
  }
  const auto& c = *parsed;

  const changing_clocks utc;
  const auto next = core::next_after(c, utc, start);
  demand(next.has_value() == core::names_a_date(c), "what names a date comes, and nothing else");
  if (next) {
    demand(*next > start && names(c, *next), "the next time is one that is named");
    auto minute = core::instant{std::chrono::floor<std::chrono::minutes>(start.time_since_epoch())};
    constexpr int minutes_tried = 3 * 24 * 60;
    for (int i = 0; i < minutes_tried; ++i) {
      minute += 1min;
      if (minute >= *next)
        break;
      demand(!names(c, minute), "no time before the next one is named");
    }
  }

  changing_clocks zone;
  zone.before = std::chrono::minutes{(data[4] % 57 - 28) * 30};
  zone.after = zone.before + std::chrono::minutes{(data[5] % 17 - 8) * 15};
  zone.change = start + std::chrono::minutes{data[5] * 7 + data[4]};
  const auto middle = start + 20h;
  const auto end = start + 48h;
  constexpr std::size_t all = 48 * 60 + 300;
  const auto whole = core::due_between(c, zone, start, end, all);
  auto parts = core::due_between(c, zone, start, middle, all);
  for (const auto at : core::due_between(c, zone, middle, end, all))
    parts.push_back(at);
  demand(parts == whole, "times are the same however a span is divided");
  auto after = start;
  for (std::size_t i = 0; i < whole.size() && i < 50; ++i) {
    const auto following = core::next_after(c, zone, after);
    demand(following && *following == whole[i], "the next times are those that are due");
    after = *following;
  }
  const auto latest = core::due_between(c, zone, start, end, 3);
  demand(latest.size() == std::min<std::size_t>(3, whole.size())
             && std::equal(latest.rbegin(), latest.rend(), whole.rbegin()),
         "of many times the latest are given");
  return 0;
}
