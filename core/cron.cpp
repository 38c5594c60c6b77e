#include "core/cron.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

namespace holdfast::core {

namespace {

using namespace std::chrono_literals;

constexpr duration one_day = 24h;

/// The rules of one field.
struct field {
  std::string_view name;
  int least;
  int most;
  std::string_view names; ///< Of three letters each, for the numbers from `least` on.
};

constexpr field minute_field{"minute", 0, 59, ""};
constexpr field hour_field{"hour", 0, 23, ""};
constexpr field day_field{"day of the month", 1, 31, ""};
constexpr field month_field{"month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"};
constexpr field weekday_field{"day of the week", 0, 7, "SUNMONTUEWEDTHUFRISAT"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> shorthands{{
    {"@hourly", "0 * * * *"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@weekly", "0 0 * * 0"},
    {"@monthly", "0 0 1 * *"},
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
}};

/// Everything up to `separator`, which is taken off `text` with it.
std::string_view take_up_to(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::optional<int> number_of(std::string_view text, const field& rules) {
  int number = 0;
  const auto* end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, number);
      read.ec == std::errc{} && read.ptr == end && text.front() != '-')
    return number;
  if (text.size() == 3)
    for (std::size_t at = 0; at < rules.names.size(); at += 3)
      if (std::equal(text.begin(), text.end(), rules.names.begin() + at,
                     [](char a, char b) { return upper(a) == b; }))
        return rules.least + static_cast<int>(at / 3);
  return std::nullopt;
}

failure wrong(const field& rules, std::string_view text, const std::string& why) {
  return {errc::invalid_argument,
          std::string{rules.name} + " \"" + std::string{text} + "\": " + why};
}

struct range {
  int first = 0;
  int last = 0;
  int step = 1;
};

/// One member of a list: `*`, `7`, `7-9`, and any of them followed by `/2`.
outcome<range> parse_range(std::string_view text, const field& rules) {
  auto rest = text;
  const auto which = take_up_to(rest, '/');
  range parsed{rules.least, rules.most, 1};
  const bool stepped = which.size() < text.size();
  if (which != "*") {
    auto ends = which;
    const auto first = number_of(take_up_to(ends, '-'), rules);
    const bool open = which.find('-') == std::string_view::npos;
    const auto last = open ? first : number_of(ends, rules);
    const auto bounds = "from " + std::to_string(rules.least) + " to " + std::to_string(rules.most);
    if (!first || !last)
      return wrong(rules, text, "not a number " + bounds);
    if (*first < rules.least || *last > rules.most)
      return wrong(rules, text, "must be " + bounds);
    if (*first > *last)
      return wrong(rules, text, "ends before it begins");
    parsed.first = *first;
    parsed.last = open && stepped ? rules.most : *last;
  }
  if (stepped) {
    const auto step = number_of(rest, {rules.name, 1, rules.most, ""});
    if (!step || *step < 1)
      return wrong(rules, text, "the step after / must be a number from 1");
    // A longer one leaves the first number alone, as this one does.
    parsed.step = std::min(*step, rules.most - rules.least + 1);
  }
  return parsed;
}

/// All numbers of a field.
outcome<std::bitset<64>> parse_field(std::string_view text, const field& rules) {
  std::bitset<64> numbers;
  for (auto rest = text;;) {
    const bool last = rest.find(',') == std::string_view::npos;
    const auto member = parse_range(take_up_to(rest, ','), rules);
    if (!member)
      return member.error();
    for (int number = member->first; number <= member->last; number += member->step)
      numbers.set(static_cast<std::size_t>(number));
    if (last)
      return numbers;
  }
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty())
    if (const auto word = take_up_to(text, ' '); !word.empty())
      words.push_back(word);
  return words;
}

// --- the calendar ---

struct date {
  int month;
  int day;
};

/// The proleptic Gregorian date of a day since 1970-01-01. Source: H. Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", `civil_from_days`, 2013.
date date_of(std::int64_t day_number) {
  const auto shifted = day_number + 719468; // from 0000-03-01
  const auto era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const auto of_era = shifted - era * 146097;
  const auto year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const auto of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto from_march = (5 * of_year + 2) / 153;
  return {static_cast<int>(from_march < 10 ? from_march + 3 : from_march - 9),
          static_cast<int>(of_year - (153 * from_march + 2) / 5 + 1)};
}

std::size_t weekday_of(std::int64_t day_number) {
  return static_cast<std::size_t>(((day_number + 4) % 7 + 7) % 7); // 1970-01-01 was a Thursday
}

bool is_on(const cron& c, std::int64_t day_number) {
  const auto on = date_of(day_number);
  if (!c.months.test(static_cast<std::size_t>(on.month)))
    return false;
  const bool day = c.days.test(static_cast<std::size_t>(on.day));
  const bool weekday = c.weekdays.test(weekday_of(day_number));
  return c.any_day || c.any_weekday ? day && weekday : day || weekday;
}

/// The number of the day on which `local` lies, which is a local time read as if it were UTC.
std::int64_t day_number_of(instant local) {
  const auto since = local.time_since_epoch();
  return since.count() >= 0 ? since / one_day : (since - one_day + duration{1}) / one_day;
}

/// The instant at which the clocks are changed in (`before`, `after`].
instant change_between(const time_zone& zone, instant before, instant after) {
  const auto offset = zone.offset_at(after);
  while (after - before > 1s) {
    const auto middle = std::chrono::time_point_cast<duration>(
        std::chrono::ceil<std::chrono::seconds>(before + (after - before) / 2));
    if (middle >= after)
      break;
    (zone.offset_at(middle) == offset ? after : before) = middle;
  }
  return after;
}

/// The clocks of one local day, with the changes before and after it in sight.
class local_day {
public:
  local_day(const time_zone& zone, std::int64_t day_number)
      : zone_(zone),
        begin_(instant{one_day * day_number}),
        before_(zone.offset_at(begin_ - one_day)),
        after_(zone.offset_at(begin_ + 2 * one_day)) {}

  /// Appends the instants at which the clocks show `time`: none, one or two.
  void append(std::vector<instant>& out, duration time, bool every_hour) const {
    const auto local = begin_ + time;
    const auto early = local - std::max(before_, after_);
    const auto late = local - std::min(before_, after_);
    if (before_ == after_) {
      out.push_back(early);
      return;
    }
    const bool first = zone_.offset_at(early) == local - early;
    const bool second = zone_.offset_at(late) == local - late;
    if (first)
      out.push_back(early);
    if (second && (every_hour || !first))
      out.push_back(late);
    if (!first && !second && !every_hour)
      out.push_back(change_between(zone_, early, late));
  }

  bool has_change() const { return before_ != after_; }

  /// Whether the clocks may show a time of the hour from `time` on in (`after`, `until`].
  bool may_show(duration time, instant after, instant until) const {
    const auto local = begin_ + time;
    return local + std::chrono::hours{1} - std::min(before_, after_) > after
           && local - std::max(before_, after_) <= until;
  }

private:
  const time_zone& zone_;
  instant begin_;
  duration before_;
  duration after_;
};

/// What is wanted of a day: instants in (`after`, `until`].
struct window {
  instant after;
  instant until = instant::max();
  bool first_only = false;
};

/// The instants of a local day at which `c` is due, in order, as far as they are wanted.
std::vector<instant> due_on(const cron& c, const time_zone& zone, std::int64_t day_number,
                            const window& wanted) {
  std::vector<instant> due;
  const local_day day{zone, day_number};
  for (std::size_t hour = 0; hour < c.hours.size(); ++hour) {
    if (!c.hours.test(hour) || !day.may_show(std::chrono::hours{hour}, wanted.after, wanted.until))
      continue;
    for (std::size_t minute = 0; minute < c.minutes.size(); ++minute)
      if (c.minutes.test(minute))
        day.append(due, std::chrono::hours{hour} + std::chrono::minutes{minute}, c.hours.all());
    due.erase(std::remove_if(due.begin(), due.end(),
                             [&](instant at) { return at <= wanted.after || at > wanted.until; }),
              due.end());
    if (wanted.first_only && !due.empty() && !day.has_change())
      return {due.front()};
  }
  std::sort(due.begin(), due.end());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

} // namespace

outcome<cron> parse_cron(std::string_view expression) {
  for (const auto& [shorthand, meaning] : shorthands)
    if (expression == shorthand)
      return parse_cron(meaning);
  const auto words = words_of(expression);
  if (words.size() != 5)
    return failure{errc::invalid_argument,
                   "needs five fields: minute, hour, day of the month, month, day of the week"};
  constexpr std::array<const field*, 5> fields{&minute_field, &hour_field, &day_field, &month_field,
                                               &weekday_field};
  std::array<std::bitset<64>, 5> numbers;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto parsed = parse_field(words[i], *fields[i]);
    if (!parsed)
      return parsed.error();
    numbers[i] = *parsed;
  }
  cron c;
  c.minutes = numbers[0].to_ullong();
  c.hours = numbers[1].to_ullong();
  c.days = numbers[2].to_ullong();
  c.months = numbers[3].to_ullong();
  c.weekdays = numbers[4].to_ullong() | (numbers[4].test(7) ? 1U : 0U);
  c.any_day = words[2] == "*";
  c.any_weekday = words[4] == "*";
  return c;
}

std::optional<instant> next_after(const cron& c, const time_zone& zone, instant after) {
  // Leap years can be eight years apart: 2096 and 2104.
  constexpr std::int64_t days_most = 8 * 366;
  const auto today = day_number_of(after + zone.offset_at(after));
  for (auto day = today - 1; day <= today + days_most; ++day) {
    if (!is_on(c, day))
      continue;
    auto due = due_on(c, zone, day, {after, instant::max(), true});
    if (due.empty())
      continue;
    // Clocks that are set back over midnight show the first minutes of a day before the last ones
    // of the day before it.
    if (is_on(c, day + 1) && local_day{zone, day + 1}.has_change()) {
      const auto following = due_on(c, zone, day + 1, {after, due.front()});
      if (!following.empty())
        return following.front();
    }
    return due.front();
  }
  return std::nullopt;
}

std::vector<instant> due_between(const cron& c, const time_zone& zone, instant after, instant until,
                                 std::size_t most) {
  std::vector<instant> latest;
  const auto last = day_number_of(until + zone.offset_at(until)) + 1;
  bool enough = most == 0;
  for (auto day = last; day >= day_number_of(after + zone.offset_at(after)) - 1; --day) {
    if (!is_on(c, day))
      continue;
    const auto due = due_on(c, zone, day, {after, until});
    latest.insert(latest.end(), due.begin(), due.end());
    // One day more, as above: some of its minutes may come after some of these.
    if (enough)
      break;
    enough = latest.size() >= most;
  }
  std::sort(latest.begin(), latest.end());
  latest.erase(std::unique(latest.begin(), latest.end()), latest.end());
  latest.erase(latest.begin(),
               latest.end() - static_cast<std::ptrdiff_t>(std::min(most, latest.size())));
  return latest;
}

} // namespace holdfast::core
