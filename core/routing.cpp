#include "core/routing.hpp"

#include "core/decimal.hpp"
#include "core/json_text.hpp"

#include <algorithm>
#include <set>

namespace holdfast::core {

namespace {

bool one_of(const std::vector<std::string>& list, const std::string& answer) {
  return std::find(list.begin(), list.end(), answer) != list.end();
}

/// Collects what holds of a unit, as far as a route asks for it.
class reasons {
public:
  /// One thing that is asked for: whether it holds, and how to say so.
  void expect(bool holds, const std::string& said) {
    all_ = all_ && holds;
    text_ += (text_.empty() ? "" : ", ") + said;
  }
  void expect_below(const char* what, double value, const std::optional<double>& bound) {
    if (bound)
      expect(value < *bound,
             std::string{what} + " " + json_number(value) + " is below " + json_number(*bound));
  }

  bool all() const { return all_; }
  std::string text() const { return text_.empty() ? "every unit" : text_; }

private:
  bool all_ = true;
  std::string text_;
};

void expect_input(reasons& why, const input_condition& asked, const input_values& input) {
  static const input_value nothing;
  const auto at = input.find(asked.pointer);
  const auto& value = at == input.end() ? nothing : at->second;
  // By all of its digits: two identifiers that differ in the last of twenty are one double.
  const auto number = decimal::parse(value.json);
  if (!asked.values.empty())
    why.expect(one_of(asked.values, value.json), asked.pointer + " is " + value.json);
  if (asked.at_least)
    why.expect(number && *number >= decimal::of(*asked.at_least),
               asked.pointer + " is at least " + decimal::of(*asked.at_least).text());
  if (asked.below)
    why.expect(number && *number < decimal::of(*asked.below),
               asked.pointer + " is below " + decimal::of(*asked.below).text());
}

reasons reasons_for(const route_condition& when, const finding& found, std::uint32_t rule) {
  reasons why;
  if (!when.answers.empty())
    why.expect(one_of(when.answers, found.answer), "the answer is " + json_quoted(found.answer));
  if (!when.other_answers.empty())
    why.expect(!one_of(when.other_answers, found.answer),
               "the answer is " + json_quoted(found.answer));
  why.expect_below("confidence", found.confidence, when.confidence_below);
  why.expect_below("agreement", found.agreement, when.agreement_below);
  why.expect_below("trust", found.trust_least, when.trust_below);
  if (when.tied)
    why.expect(found.tied == *when.tied, found.tied ? "it is tied" : "it is not tied");
  if (when.sent_back)
    why.expect(found.loops >= *when.sent_back,
               "it was sent back " + std::to_string(found.loops) + " times");
  if (when.judged_fewer)
    why.expect(found.judged_least.value_or(*when.judged_fewer) < *when.judged_fewer,
               "a contributor had judged " + std::to_string(found.judged_least.value_or(0))
                   + " units of the step, fewer than " + std::to_string(*when.judged_fewer));
  for (const auto& asked : when.input)
    expect_input(why, asked, found.input);
  if (when.sample)
    why.expect(drawn_at(found.unit, rule, when.seed) < *when.sample,
               "drawn for a sample of " + json_number(*when.sample));
  return why;
}

bool leads_back(const way& to) {
  return std::any_of(to.targets.begin(), to.targets.end(),
                     [](const way_target& target) { return target.back; });
}

/// Source: the finalizer of SplitMix64 (S. Vigna), which spreads each bit over all.
std::uint64_t spread(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

route_choice choose_route(const std::vector<way>& ways, const finding& found) {
  std::string passed_over;
  for (std::uint32_t rule = 0; rule < ways.size(); ++rule) {
    const auto& candidate = ways[rule];
    const auto why = reasons_for(candidate.rule.when, found, rule);
    if (!why.all())
      continue;
    if (leads_back(candidate) && found.loops >= candidate.rule.loops_max) {
      passed_over = " (was sent back " + std::to_string(found.loops) + " times already)";
      continue;
    }
    return {static_cast<std::int16_t>(rule), why.text() + passed_over};
  }
  return {no_route, "no route is for it" + passed_over};
}

const way* way_taken(std::int16_t route, const std::vector<way>& ways) {
  const way* taken = nullptr;
  if (route != no_route)
    taken = &ways[static_cast<std::size_t>(route)];
  else if (!ways.empty() && takes_every_unit(ways.front().rule))
    taken = &ways.front();
  return taken != nullptr && !taken->targets.empty() ? taken : nullptr;
}

std::string keys_listed(const way& taken) {
  std::string list = "[";
  for (const auto& key : taken.rule.to)
    list += (list.size() > 1 ? "," : "") + json_quoted(key);
  return list + ']';
}

bool takes_every_unit(const route& rule) {
  const auto& when = rule.when;
  return when.answers.empty() && when.other_answers.empty() && !when.confidence_below
         && !when.agreement_below && !when.trust_below && !when.tied && !when.sent_back
         && !when.judged_fewer && when.input.empty() && !when.sample;
}

std::vector<std::string> pointers_asked(const std::vector<way>& ways) {
  std::set<std::string> pointers;
  for (const auto& on : ways)
    for (const auto& asked : on.rule.when.input)
      pointers.insert(asked.pointer);
  return {pointers.begin(), pointers.end()};
}

exclusion exclusion_by(const route& rule, bool from_review, bool back, bool to_review) {
  if (rule.exclude_judges)
    return *rule.exclude_judges ? exclusion::chain : exclusion::nobody;
  if (to_review)
    return exclusion::authors;
  return from_review && back ? exclusion::who_was_asked : exclusion::nobody;
}

double drawn_at(const unit_id& unit, std::uint32_t rule, std::uint32_t seed) {
  std::uint64_t mixed = std::uint64_t{seed} << 32 | rule;
  for (std::size_t at = 0; at < unit.value.bytes.size(); at += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < 8; ++i)
      word = word << 8 | unit.value.bytes[at + i];
    mixed = spread(mixed ^ word);
  }
  return static_cast<double>(mixed >> 11) * 0x1p-53;
}

std::string child_key(const std::string& parent_key, const unit_id& parent, bool only_way_in,
                      std::optional<std::uint32_t> part, std::uint32_t parent_reopened) {
  if (only_way_in && !part && parent_reopened == 0)
    return parent_key;
  // In place of an earlier id, so that names do not grow with each round.
  const auto earlier = parent_key.rfind('~');
  const bool named_before =
      earlier != std::string::npos && parse_uuid(parent_key.substr(earlier + 1, 36));
  auto key = named_before ? parent_key.substr(0, earlier) : parent_key;
  key += '~' + to_string(parent);
  if (part)
    key += '.' + std::to_string(*part);
  if (parent_reopened > 0)
    key += '/' + std::to_string(parent_reopened + 1);
  return key;
}

} // namespace holdfast::core
