#include "actors/step_state.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

constexpr std::size_t concerns_most = 1000;
/// How sure a result is to be where no stopping rule says it.
constexpr double usually_sure = 0.9;

const core::step_definition& definition_of(step_ptr self) {
  return self->state.definition.steps[self->state.step.row.position];
}

double sure_in(const core::step_definition& step) {
  const auto& rule = step.aggregation.stopping;
  return rule && rule->stop_at ? *rule->stop_at : usually_sure;
}

msg::step_quality to_view(step_ptr self, const step_reviewed& review) {
  const auto& mine = definition_of(self);
  const auto& found = review.found;
  msg::step_quality view;
  view.step = self->state.identity.step();
  view.judgments = found.judgments;
  view.units = found.units;
  view.labels = found.labels;
  view.comparable = found.krippendorff_alpha && found.fleiss_kappa;
  if (view.comparable) {
    view.krippendorff_alpha = *found.krippendorff_alpha;
    view.fleiss_kappa = *found.fleiss_kappa;
  }
  view.finished_units = review.finished.units;
  view.sure = sure_in(mine);
  view.unsure_units = review.finished.unsure;
  if (mine.aggregation.stopping)
    view.judgments_saved = core::judgments_saved(review.finished, mine.aggregation.stopping->max);
  for (const auto& one : found.concerns)
    if (view.concerns.size() < concerns_most)
      view.concerns.push_back({one.contributor, std::string{to_string(one.what)}, one.why});
  return view;
}

/// Raises the flags that are new; `effect` runs when they are durable.
void raise_flags(step_ptr self, const step_reviewed& review,
                 std::function<void(const core::failure&)> effect) {
  auto& st = self->state;
  st.judgments = review.found.judgments;
  st.next_review = core::next_review_after(st.judgments);
  auto decided =
      st.board->flag(review.found.concerns, definition_of(self).monitors, now(self, st.context));
  if (decided.answer.empty())
    return st.pending.after_all(std::move(effect));
  for (const auto& one : decided.answer)
    st.context->log(log_level::info, "contributor_flagged",
                    {{"step", to_string(st.identity.step())},
                     {"contributor", one.contributor},
                     {"monitor", std::string{to_string(one.what)}}});
  write(self, std::move(decided.changes), std::move(effect));
}

/// A step of many judgments takes a while to be read.
constexpr auto review_timeout = std::chrono::minutes{2};

} // namespace

void review_when_due(step_ptr self) {
  auto& st = self->state;
  ++st.judgments;
  const auto& mine = definition_of(self);
  if (mine.monitors.empty() || st.reviewing || st.judgments < st.next_review)
    return;
  st.reviewing = true;
  self->request(st.links.reader, review_timeout, review_step{st.identity.step(), sure_in(mine)})
      .then(
          [=](const step_reviewed& review) {
            self->state.reviewing = false;
            raise_flags(self, review, [](const core::failure&) {});
          },
          [=](const caf::error&) {
            // The next judgments lead to another one.
            auto& late = self->state;
            late.reviewing = false;
            late.next_review = core::next_review_after(late.judgments);
          });
}

void on_get_step_quality(step_ptr self, const msg::get_step_quality&) {
  const held_promise promise{self->make_response_promise()};
  self->request(self->state.links.reader, review_timeout,
                review_step{self->state.identity.step(), sure_in(definition_of(self))})
      .then(
          [=](const step_reviewed& review) {
            raise_flags(self, review,
                        [promise, view = to_view(self, review)](const core::failure& why) {
                          if (why.code == core::errc::none)
                            promise.deliver(view);
                          else
                            promise.deliver(msg::to_error(why));
                        });
          },
          [=](caf::error& error) { promise.deliver(std::move(error)); });
}

} // namespace holdfast::actors
