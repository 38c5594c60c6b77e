#pragma once

#include "core/contributor.hpp"

#include <sstream>
#include <string>

namespace holdfast::test {

/// The history on one line for each of its rows, in their order.
inline std::string history_text(const core::step_history& history) {
  std::ostringstream out;
  for (const auto& q : history.questions)
    out << "question " << to_string(q.unit) << ' ' << q.ordinal << ' ' << q.truth
        << (q.open ? " open" : " closed") << (q.forgiven ? " forgiven" : "")
        << (q.reconsidered ? " reconsidered" : "") << '\n';
  for (const auto& w : history.contributors)
    out << "worked " << w.contributor << ' ' << w.assignments << '\n';
  for (const auto& a : history.asked_questions)
    out << "asked " << a.contributor << ' ' << to_string(a.unit)
        << (!a.correct   ? " unanswered"
            : *a.correct ? " right"
                         : " wrong")
        << ' ' << a.when.at.time_since_epoch().count() << ' ' << to_string(a.when.id) << '\n';
  for (const auto& s : history.standings)
    out << "standing " << s.contributor << ' ' << static_cast<int>(s.what) << ' '
        << static_cast<int>(s.why) << (s.by_removal ? " by removal" : "") << '\n';
  for (const auto& f : history.flags)
    out << "flag " << f.contributor << ' ' << to_string(f.what) << '\n';
  for (const auto& u : history.unsettled_units)
    out << "unsettled " << u.contributor << ' ' << to_string(u.unit) << '\n';
  for (const auto& u : history.reinstatable_units)
    out << "reinstatable " << u.contributor << ' ' << to_string(u.unit) << '\n';
  for (const auto& j : history.trusted_judgments)
    out << "trusted " << j.contributor << ' ' << to_string(j.unit) << ' '
        << j.when.at.time_since_epoch().count() << ' ' << to_string(j.when.id) << ' '
        << j.trust.mean << ' ' << (j.trust.questions ? std::to_string(*j.trust.questions) : "-")
        << '\n';
  for (const auto& v : history.votes)
    out << "vote " << v.contributor << ' ' << to_string(v.unit) << ' ' << v.answer << '\n';
  if (history.judged)
    for (const auto& j : *history.judged)
      out << "judged " << j.contributor << ' ' << j.units << '\n';
  for (const auto& d : history.damage)
    out << "damage " << text_of(d) << '\n';
  return out.str();
}

} // namespace holdfast::test
