#include "core/unit_result.hpp"

#include "core/json_text.hpp"
#include "core/quality/trust.hpp"
#include "core/review.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

std::string route_details(const std::vector<way>& ways, const route_choice& taken) {
  const auto to =
      taken.rule == no_route ? "[]" : keys_listed(ways[static_cast<std::size_t>(taken.rule)]);
  return json_object{}
      .number("rule", static_cast<std::int64_t>(taken.rule))
      .raw("to", to)
      .text("because", taken.because)
      .str();
}

/// What subscribers need to know of a finished unit without asking back: the result, and what each
/// judgment was worth.
std::string finalized_details(const unit& u, const aggregate& consensus, const std::string& result,
                              const std::vector<way>& ways, const route_choice& taken,
                              bool without_result) {
  std::string judgments = "[";
  for (const auto& j : u.judgments) {
    if (judgments.size() > 1)
      judgments += ',';
    json_object judgment;
    judgment.text("judgment_id", to_string(j.id))
        .text("contributor_id", j.contributor)
        .text("answer", j.answer)
        .boolean("agrees", gave(consensus, j.answer))
        .number("trust", j.trust)
        .boolean("tainted", j.tainted);
    if (j.trust_questions)
      judgment.number("trust_questions", static_cast<std::int64_t>(*j.trust_questions))
          .number("trust_low", low(quality::trust_of(j.trust, *j.trust_questions)));
    if (j.judged_before)
      judgment.number("judged_before", static_cast<std::int64_t>(*j.judged_before));
    judgments += judgment.str();
  }
  judgments += ']';
  json_object details;
  details.text("root_data_id", to_string(u.root)).raw("result", result).raw("judgments", judgments);
  if (!ways.empty())
    details.raw("route", route_details(ways, taken));
  if (without_result)
    details.boolean("without_result", true);
  if (u.reopened > 0)
    details.number("revision", static_cast<std::int64_t>(u.reopened) + 1);
  return details.str();
}

/// What routes look at when the unit has got its result. Where no judgment counts, none agrees.
finding finding_of(const unit& u, const aggregate& consensus, const input_values& input) {
  finding found{u.id, u.loops, consensus.answer, consensus.confidence, 0, 1, consensus.tied > 1};
  std::uint32_t agreeing = 0;
  for (const auto& j : u.judgments)
    if (!j.tainted) {
      agreeing += gave(consensus, j.answer) ? 1 : 0;
      found.trust_least = std::min(found.trust_least, j.trust);
      if (j.judged_before)
        found.judged_least =
            std::min(found.judged_least.value_or(*j.judged_before), *j.judged_before);
    }
  if (const auto counted = counted_judgments(u); counted > 0)
    found.agreement = static_cast<double>(agreeing) / counted;
  found.input = input;
  return found;
}

} // namespace

told_result tell_result(const unit& u, const std::vector<way>& ways, const aggregate& found,
                        const std::string& result, const input_values& input, instant now) {
  told_result told;
  if (!ways.empty())
    told.taken = choose_route(ways, finding_of(u, found, input));
  told.without_result = found.method == aggregation_method::review
                        && found.answer == to_string(review_verdict::reject)
                        && way_taken(told.taken.rule, ways) == nullptr;
  told.event = {event_type::unit_finalized,
                u.step,
                u.id,
                {},
                now,
                finalized_details(u, found, result, ways, told.taken, told.without_result)};
  return told;
}

event reopened_event(const unit& u, const told_reopening& what, const way* taken, instant now) {
  json_object details;
  details.text("root_data_id", to_string(u.root))
      .number("revision", static_cast<std::int64_t>(u.reopened) + 1)
      .raw("result", what.result)
      .raw("disregarded", what.disregarded)
      .number("judgments_wanted", static_cast<std::int64_t>(what.wanted));
  if (taken != nullptr)
    details.raw("route", json_object{}.raw("to", keys_listed(*taken)).str());
  if (!what.reason.empty())
    details.raw("correction", json_object{}.text("by", what.by).text("reason", what.reason).str());
  return {event_type::unit_reopened, u.step, u.id, {}, now, details.str()};
}

} // namespace holdfast::core
