#include "actors/step_state.hpp"
#include "core/job_status.hpp"

namespace holdfast::actors {

void on_job_status_changed(step_ptr self, const msg::job_status_changed& request) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  const auto& row = st.step.row;
  if (row.workflow != request.workflow || row.position != 0)
    return refuse(self, promise,
                  {core::errc::invalid_argument,
                   "step must be the first one of workflow " + to_string(request.workflow)});
  auto noted = core::change_job_status(
      st.step, st.siblings, {request.revision, static_cast<core::job_status>(request.status)},
      now(self, st.context));
  if (noted.refusal != core::errc::none)
    return refuse(self, promise, {noted.refusal, std::move(noted.detail)});
  const msg::job_status_noted answer{request.workflow, noted.answer.revision, noted.answer.applied};
  auto effect = [promise, answer](const core::failure& why) {
    if (why.code == core::errc::none)
      promise.deliver(answer);
    else
      promise.deliver(msg::to_error(why));
  };
  if (noted.changes.empty())
    st.pending.answer(self, st.context, st.identity.shard, std::move(effect));
  else
    write(self, promise.noted(std::move(noted.changes)), std::move(effect));
  gather_when_due(self); // it may be sealed now
  cancel_open_units(self);
}

} // namespace holdfast::actors
