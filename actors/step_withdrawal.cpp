#include "actors/consumer.hpp"
#include "actors/fan_in.hpp"
#include "actors/step_state.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::actors {

namespace {

/// Units that are read, and told, at a time.
constexpr std::size_t withdrawn_at_once = 500;

using outcome_user = std::function<void(const core::failure&)>;

core::withdraw command_for(const core::unit_record& unit) {
  core::withdraw command;
  if (unit.state == core::unit_state::finalized)
    command.was = core::withdraw::finished{unit.reopened, unit.result, unit.route};
  return command;
}

void tell_units(step_ptr self, const std::vector<core::unit_record>& units, outcome_user done) {
  auto all = std::make_shared<fan_in>(std::move(done));
  for (const auto& unit : units) {
    all->begin_part();
    with_unit(self, unit.id,
              [=, command = command_for(unit)](const caf::actor& actor, const core::failure& why) {
                if (!actor)
                  return all->end_part(why.code == core::errc::not_found ? core::failure{} : why);
                self->request(actor, delivery_timeout, unit_command{command})
                    .then([=](events_applied) { all->end_part(); },
                          [=](caf::error& error) { all->end_part(msg::failure_of(error)); });
              });
  }
  all->end_part();
}

void withdraw_from(step_ptr self, const std::shared_ptr<const std::vector<core::unit_id>>& units,
                   std::size_t next, const outcome_user& done) {
  if (next == units->size())
    return done({});
  const auto end = std::min(units->size(), next + withdrawn_at_once);
  const auto at = [&](std::size_t place) {
    return units->begin() + static_cast<std::ptrdiff_t>(place);
  };
  auto& st = self->state;
  self->request(st.links.loader, internal_timeout, load_units{{at(next), at(end)}, leases_of(st)})
      .then(
          [=](const units_loaded& loaded) {
            tell_units(self, loaded.units, [=](const core::failure& why) {
              if (why.code == core::errc::none)
                withdraw_from(self, units, end, done);
              else
                done(why);
            });
          },
          [=](caf::error& error) { done(msg::failure_of(error)); });
}

} // namespace

// Not through the inbox: who is canceled already is not found again.
void withdraw_made_from(step_ptr self, const std::vector<core::taken_back>& results,
                        outcome_user done) {
  auto& st = self->state;
  ++st.results_taken_back;
  // What was made from these results before is durable then, and found; what is still to be made
  // from them is not made any more.
  st.pending.after_all([=](const core::failure& lost) {
    if (lost.code != core::errc::none)
      return done(lost);
    auto& state = self->state;
    self->request(state.links.loader, internal_timeout,
                  find_made_from{state.identity.step(), results})
        .then(
            [=](const made_from_found& found) {
              withdraw_from(self, std::make_shared<const std::vector<core::unit_id>>(found.units),
                            0, done);
            },
            [=](caf::error& error) { done(msg::failure_of(error)); });
  });
}

} // namespace holdfast::actors
