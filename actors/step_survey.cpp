#include "actors/step_state.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

constexpr std::size_t concerns_most = 1000;

/// Whether the load of the step has left the row out, too, and tells of it.
bool is_known(const step_state& st, const core::step_history::unreadable& row) {
  const auto& known = st.board->damage();
  return std::any_of(known.begin(), known.end(), [&](const auto& one) {
    return one.what == row.what && one.contributor == row.contributor && one.unit == row.unit;
  });
}

msg::step_quality to_view(step_ptr self, const step_surveyed& survey) {
  const auto& st = self->state;
  const auto& mine = definition_of(st);
  const auto& found = survey.found;
  msg::step_quality view;
  view.step = st.identity.step();
  view.judgments = found.judgments;
  view.units = found.units;
  view.labels = found.labels;
  view.comparable = found.krippendorff_alpha && found.fleiss_kappa;
  if (view.comparable) {
    view.krippendorff_alpha = *found.krippendorff_alpha;
    view.fleiss_kappa = *found.fleiss_kappa;
  }
  const auto finished = core::sum_of(survey.finished);
  view.finished_units = finished.units;
  view.sure = core::sure_in(mine.aggregation);
  view.unsure_units = finished.unsure;
  view.judgments_saved = core::judgments_saved(survey.finished, st.workflow, st.step.row.position);
  for (const auto& damage : st.board->damage())
    if (view.concerns.size() < concerns_most)
      view.concerns.push_back({damage.contributor, "damaged", text_of(damage)});
  for (const auto& damage : survey.unreadable)
    if (view.concerns.size() < concerns_most && !is_known(st, damage))
      view.concerns.push_back({damage.contributor, "damaged", text_of(damage)});
  for (const auto& one : found.concerns)
    if (view.concerns.size() < concerns_most)
      view.concerns.push_back({one.contributor, std::string{to_string(one.what)}, one.why});
  return view;
}

/// Once for as long as the same judgments are left out.
void log_left_out(step_ptr self, const step_surveyed& survey) {
  auto& st = self->state;
  if (survey.unreadable.empty()) {
    st.survey_damage.over();
    return;
  }
  const auto number = std::to_string(survey.unreadable.size());
  const auto first = text_of(survey.unreadable.front());
  if (st.survey_damage.met(number + ' ' + first))
    st.context->log(
        log_level::error, "survey_leaves_out",
        {{"step", to_string(st.identity.step())}, {"judgments", number}, {"first", first}});
}

/// Raises the flags that are new; `effect` runs when they are durable.
void raise_flags(step_ptr self, const step_surveyed& survey,
                 std::function<void(const core::failure&)> effect) {
  auto& st = self->state;
  log_left_out(self, survey);
  st.surveys.surveyed(survey.found.judgments);
  auto decided = st.board->flag(core::concerns_to_flag(survey.found.concerns, survey.unreadable),
                                definition_of(st).monitors, now(self, st.context));
  if (decided.answer.empty())
    return st.pending.after_all(std::move(effect));
  for (const auto& one : decided.answer)
    st.context->log(log_level::info, "contributor_flagged",
                    {{"step", to_string(st.identity.step())},
                     {"contributor", one.contributor},
                     {"monitor", std::string{to_string(one.what)}}});
  write(self, std::move(decided.changes), std::move(effect));
}

/// A step of many judgments takes a while to be read, and others may be looked at before this one.
constexpr auto survey_timeout = std::chrono::minutes{2};

/// The reader only fetches the judgments: lists, searches for steps and the profiles that
/// assignments wait for come from it, too, and would wait while it computes.
template <class Done, class Failed>
void survey_now(step_ptr self, Done done, Failed failed) {
  const auto& st = self->state;
  const auto sure = core::sure_in(definition_of(st).aggregation);
  read(
      self, st.links.reader,
      [step = st.identity.step(), sure](persistence::store& db) {
        return db.load_survey(step, sure, core::surveyed_judgments_max);
      },
      survey_timeout)
      .then(
          [=](persistence::survey_material& read) {
            auto material = std::make_shared<const persistence::survey_material>(std::move(read));
            self->request(self->state.links.refitter, survey_timeout,
                          survey_step{std::move(material)})
                .then(done, [=](const caf::error& error) { failed(msg::failure_of(error)); });
          },
          failed);
}

} // namespace

void survey_when_due(step_ptr self) {
  auto& st = self->state;
  if (definition_of(st).monitors.empty() || !st.surveys.judged())
    return;
  survey_now(
      self,
      [=](const step_surveyed& survey) {
        self->state.surveys.ended();
        self->state.survey_fault.over();
        raise_flags(self, survey, [](const core::failure&) {});
      },
      // The next judgments lead to another one.
      [=](const core::failure& why) {
        auto& at = self->state;
        at.surveys.ended();
        if (at.survey_fault.met(why.detail))
          at.context->log(log_level::warning, "survey_failed",
                          {{"step", to_string(at.identity.step())}, {"reason", why.detail}});
      });
}

void on_get_step_quality(step_ptr self, const msg::get_step_quality&) {
  const held_promise promise{self->make_response_promise()};
  survey_now(
      self,
      [=](const step_surveyed& survey) {
        raise_flags(self, survey,
                    [promise, view = to_view(self, survey)](const core::failure& why) {
                      if (why.code == core::errc::none)
                        promise.deliver(view);
                      else
                        promise.deliver(msg::to_error(why));
                    });
      },
      [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace holdfast::actors
