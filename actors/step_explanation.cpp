#include "actors/step_state.hpp"
#include "core/explanation.hpp"
#include "core/object_ref.hpp"

#include <memory>
#include <utility>

namespace holdfast::actors {

namespace {

/// Answers, once it is known whether the unit still has its input. Somebody who only asks does not
/// wait for a store that is away, or busy.
void answer_with_input(step_ptr self, const held_promise& promise, const core::unit_record& unit,
                       msg::unit_explanation answer) {
  const bool needed = core::is_open(unit.state) || unit.state == core::unit_state::gathered;
  if (!needed || !core::begins_like_object_ref(unit.input))
    return promise.deliver(std::move(answer));
  const auto input = std::make_shared<std::string>(unit.input);
  get_payloads(self, self->state.links.objects, {input.get()}, internal_timeout,
               [promise, input,
                told = std::move(answer)](const std::vector<core::failure>& outcomes) mutable {
                 if (const auto& lost = outcomes.front(); is_lost(lost)) {
                   auto why = core::input_lost(lost.detail);
                   told.reasons.push_back({std::move(why.code), std::move(why.text)});
                 }
                 promise.deliver(std::move(told));
               });
}

/// `lacks` is what the contributor lacks, if one is named.
void explain_unit(step_ptr self, const msg::explain_unit& request, const held_promise& promise,
                  const std::vector<std::string>& lacks) {
  // As committed: what is decided and not durable yet will be in a moment.
  read_units(self, {request.unit})
      .then(
          [=](const std::vector<core::unit_record>& units) {
            const auto& st = self->state;
            if (units.empty() || units[0].step != st.identity.step())
              return promise.deliver(msg::to_error(
                  core::errc::not_found, "the step has no unit " + to_string(request.unit)));
            const auto& unit = units[0];
            std::optional<core::candidate> who;
            if (!request.contributor.empty())
              who = core::candidate{request.contributor,
                                    st.board->next_for(request.contributor, true), lacks,
                                    removal_of(self, request.contributor)};
            msg::unit_explanation answer{unit.id, unit.state, {}};
            const auto& shared = *context_of(st, unit);
            const auto at = now(self, st.context);
            const auto& asks = definition_of(st).asks;
            const core::workforce workers{asks, st.profiles.eligible(asks, at)};
            for (auto& why :
                 core::explain(st.step.row, unit, shared.lease, shared.ways, workers, who, at))
              answer.reasons.push_back({std::move(why.code), std::move(why.text)});
            if (const auto* rest = st.waiting->rest_of(unit.id)) {
              auto why = core::batch_put_off(*rest);
              answer.reasons.push_back({std::move(why.code), std::move(why.text)});
            }
            answer_with_input(self, promise, unit, std::move(answer));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

/// Once what it has seen is durable.
void explain_contributor(step_ptr self, const msg::explain_contributor& request,
                         const held_promise& promise, const std::vector<std::string>& lacks) {
  auto& st = self->state;
  msg::contributor_explanation answer{request.contributor, {}};
  for (auto& why : core::explain(st.step.row, *st.board, st.ready, request.contributor, lacks,
                                 now(self, st.context), removal_of(self, request.contributor)))
    answer.reasons.push_back({std::move(why.code), std::move(why.text)});
  if (auto capped = cap_reached(self, request.contributor))
    answer.reasons.insert(answer.reasons.begin(), {"cap_reached", std::move(*capped)});
  st.pending.answer(self, st.context, st.identity.shard,
                    [=, answer = std::move(answer)](const core::failure& lost) {
                      if (lost.code == core::errc::none)
                        promise.deliver(answer);
                      else
                        promise.deliver(msg::to_error(lost));
                    });
}

} // namespace

void on_explain_unit(step_ptr self, const msg::explain_unit& request) {
  const held_promise promise{self->make_response_promise()};
  if (request.contributor.empty())
    return explain_unit(self, request, promise, {});
  with_lacks(self, request.contributor, [=](const core::failure& why, const auto& lacks) {
    if (why.code == core::errc::none)
      explain_unit(self, request, promise, lacks);
    else
      promise.deliver(msg::to_error(why));
  });
}

void on_explain_contributor(step_ptr self, const msg::explain_contributor& request) {
  const held_promise promise{self->make_response_promise()};
  with_lacks(self, request.contributor, [=](const core::failure& why, const auto& lacks) {
    if (why.code == core::errc::none)
      explain_contributor(self, request, promise, lacks);
    else
      promise.deliver(msg::to_error(why));
  });
}

} // namespace holdfast::actors
