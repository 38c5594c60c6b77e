// The part of `memory_store` that lists test questions.

#include "core/mended_text.hpp"
#include "persistence/memory_store.hpp"

namespace holdfast::persistence {

core::outcome<listed_questions>
memory_store::list_questions(core::step_id step, std::uint64_t after, std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  if (t.steps.count(step) == 0)
    return core::failure{core::errc::not_found, "no such step"};
  listed_questions listed;
  for (auto entry = t.units_by_ordinal.upper_bound({step, after});
       entry != t.units_by_ordinal.end() && entry->first.first == step; ++entry) {
    const auto& row = t.units.at(entry->second);
    if (row.made.truth.empty())
      continue;
    listed.more = listed.questions.size() == limit;
    if (listed.more)
      break;
    question_summary question;
    question.unit = row.made.id;
    question.ordinal = row.made.ordinal;
    question.source_key = row.made.source_key;
    question.input = core::mended_text(row.made.input, listed_input_bytes_max);
    question.truth = row.made.truth;
    question.state = row.state;
    question.forgiven = row.forgiven_at.has_value();
    const auto [first, last] = memory::rows_of(t.judgments, row.made.id);
    for (auto judgment = first; judgment != last; ++judgment)
      if (const auto& correct = judgment->second.made.test_correct) {
        ++question.answered;
        question.right += *correct ? 1 : 0;
      }
    listed.questions.push_back(std::move(question));
  }
  return listed;
}

} // namespace holdfast::persistence
