#include "bench/fields.hpp"

#include "core/fields/whole_step.hpp"
#include "core/quality/seeded.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::bench {

namespace {

namespace fields = core::fields;

constexpr std::uint32_t judgments_per_unit = 5;
constexpr std::uint32_t field_contributors = 1000;
constexpr std::uint64_t words_per_text = 30;

/// The truth of a unit, or something else: each part is wrong one time in ten.
fields::value made_up_value(fields::field_kind kind, const std::vector<std::string>& labels,
                            std::uint32_t unit, core::quality::seeded_source& random) {
  const auto wrong = [&] { return random.below(10) == 0; };
  const auto label = [&](std::uint64_t truth) {
    return labels[(truth + (wrong() ? 1 + random.below(labels.size() - 1) : 0)) % labels.size()];
  };
  if (kind == fields::field_kind::number)
    return static_cast<double>(unit % 100) + static_cast<double>(random.below(100)) / 100;
  if (kind == fields::field_kind::set) {
    std::vector<std::string> chosen;
    for (std::uint64_t i = 0; i < labels.size(); ++i)
      if (((unit >> i) % 2 == 1) != wrong())
        chosen.push_back(labels[i]);
    return chosen;
  }
  if (kind != fields::field_kind::text)
    return label(unit);
  fields::phrase text;
  for (std::uint64_t i = 0; i < words_per_text; ++i) {
    const auto word = label(unit + i * i);
    text.words.push_back({word, word});
    text.written += (i == 0 ? "" : " ") + word;
  }
  text.compared = text.written;
  return text;
}

/// `judgments` of a step, and those of the same units one unit after the other.
void measure_field(results& out, fields::field_kind kind, std::uint32_t judgments,
                   double judgments_per_second_min) {
  fields::field_rule rule;
  rule.kind = kind;
  rule.labels = {"alder", "birch", "cedar", "elm", "fir"};
  core::quality::seeded_source random{7};
  const auto units = judgments / judgments_per_unit;
  std::vector<fields::step_value> given;
  given.reserve(judgments);
  for (std::uint32_t i = 0; i < judgments; ++i) {
    const auto unit = i / judgments_per_unit;
    const auto who = (unit + i % judgments_per_unit * 197) % field_contributors;
    given.push_back(
        {unit, who, made_up_value(kind, rule.labels, unit, random), 1, random.below(1U << 30U)});
  }
  for (const auto method : fields::methods_of(kind)) {
    rule.method = method;
    const auto began = std::chrono::steady_clock::now();
    const auto found = fields::combine_step(rule, units, field_contributors, given);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const auto name =
        "fields." + std::string{to_string(kind)} + "." + std::string{to_string(method)};
    out.add(name + ".million_judgments", took.count() * 1e6 / judgments, "s", at_most(10));
    if (!fields::looks_at_the_step(kind, method))
      out.add(name + ".judgments", judgments / took.count(), "1/s",
              at_least(judgments_per_second_min));
    else
      out.add(name + ".iterations", found.iterations, "");
  }
}

} // namespace

void measure_fields(results& out) {
  constexpr std::uint32_t million = 1'000'000;
  constexpr std::uint32_t texts = 200'000; // of thirty words; a million take gigabytes
  for (const auto kind : {fields::field_kind::category, fields::field_kind::set,
                          fields::field_kind::number, fields::field_kind::ordinal})
    measure_field(out, kind, million, 100'000);
  measure_field(out, fields::field_kind::text, texts, 10'000);
}

} // namespace holdfast::bench
