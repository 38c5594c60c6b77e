#include "actors/listings.hpp"

#include <utility>

namespace holdfast::actors {

msg::workflow_page page_of(persistence::listed_workflows&& listed) {
  msg::workflow_page page;
  page.more = listed.more;
  for (auto& w : listed.workflows)
    page.workflows.push_back({w.id, std::move(w.name), w.created_at, w.latest, w.open, w.paused,
                              w.completed, w.canceled, w.job_revision,
                              static_cast<std::uint8_t>(w.job)});
  return page;
}

msg::test_question_page page_of(persistence::listed_questions&& listed) {
  msg::test_question_page page;
  page.more = listed.more;
  for (auto& q : listed.questions)
    page.questions.push_back({q.unit, q.ordinal, std::move(q.source_key), std::move(q.input),
                              std::move(q.truth), q.state, q.forgiven, q.answered, q.right});
  return page;
}

} // namespace holdfast::actors
