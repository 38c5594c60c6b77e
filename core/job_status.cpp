#include "core/job_status.hpp"

#include "core/json_text.hpp"

#include <utility>

namespace holdfast::core {

namespace {

unit_verb verb_of(job_status status) {
  switch (status) {
  case job_status::launched:
  case job_status::finished:
    break;
  case job_status::paused:
    return unit_verb::pause;
  case job_status::canceled:
    return unit_verb::cancel;
  }
  return unit_verb::resume;
}

std::string details_of(const job_news& news) {
  json_object job;
  job.number("revision", static_cast<std::int64_t>(news.revision))
      .text("status", to_string(news.status));
  json_object details;
  details.raw("job", job.str());
  return details.str();
}

} // namespace

job_status job_at_first(job_start starts) {
  return starts == job_start::when_launched ? job_status::paused : job_status::launched;
}

void begin_under(step_row& step, job_status job, std::uint64_t revision) {
  step.job = job;
  step.job_revision = revision;
  if (job == job_status::paused)
    step.status = step_status::paused;
}

decision<job_noted> note_job_status(step& s, const job_news& news, instant now) {
  decision<job_noted> noted;
  noted.answer.revision = s.row.job_revision;
  if (news.revision <= s.row.job_revision)
    return noted;
  if (s.row.job == job_status::canceled && news.status != job_status::canceled)
    return refuse<job_noted>(errc::wrong_state,
                             "the job is canceled as of its revision "
                                 + std::to_string(s.row.job_revision) + ", which is final; it is "
                                 + std::string{to_string(news.status)} + " no more");
  s.row.job = news.status;
  s.row.job_revision = news.revision;
  if (news.status == job_status::finished && s.row.position == 0)
    append(noted.changes, seal(s, now).changes);
  // Refused to what is completed or canceled, which stays so.
  append(noted.changes, decide(s, verb_of(news.status), now).changes);
  if (noted.changes.empty())
    noted.changes.writes.push_back(update_step{s.row});
  noted.answer = {news.revision, true};
  return noted;
}

decision<job_noted> change_job_status(step& first, const std::vector<step_id>& steps,
                                      const job_news& news, instant now) {
  auto noted = note_job_status(first, news, now);
  if (!noted.answer.applied)
    return noted;
  for (const auto& step : steps)
    if (step != first.row.id)
      noted.changes.events.push_back(
          {event_type::job_step_updated, step, {}, {}, now, details_of(news)});
  return noted;
}

} // namespace holdfast::core
