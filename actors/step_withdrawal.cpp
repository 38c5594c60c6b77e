#include "actors/consumer.hpp"
#include "actors/fan_in.hpp"
#include "actors/step_state.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace holdfast::actors {

namespace {

/// Units that are read, and told, at a time.
constexpr std::size_t withdrawn_at_once = 500;
/// Of those that are gathered: each may bring along a whole batch.
constexpr std::size_t ungathered_at_once = 20;

using outcome_user = std::function<void(const core::failure&)>;
using units_ptr = std::shared_ptr<const std::vector<core::unit_id>>;

/// At most so many of them, from the one at `next` on.
std::vector<core::unit_id> some_of(const units_ptr& units, std::size_t next, std::size_t most) {
  const auto at = [&](std::size_t place) {
    return units->begin() + static_cast<std::ptrdiff_t>(std::min(units->size(), place));
  };
  return {at(next), at(next + most)};
}

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
                  return all->end_part(why.code == core::errc::not_found ? core::failure{}
                                                                         : unreadable(why));
                self->request(actor, delivery_timeout, unit_command{command})
                    .then([=](events_applied) { all->end_part(); },
                          [=](caf::error& error) { all->end_part(msg::failure_of(error)); });
              });
  }
  all->end_part();
}

void withdraw_from(step_ptr self, const units_ptr& units, std::size_t next,
                   const outcome_user& done);

/// What becomes of `together`, whose batches are canceled by now: of these units the `gone` are
/// canceled, too, and the others wait again. Then it is `over`, or the change is `lost`.
void take_apart(step_ptr self, const std::vector<persistence::gathered_unit>& together,
                const std::set<core::unit_id>& gone, const outcome_user& over,
                const outcome_user& lost) {
  auto& st = self->state;
  std::map<core::unit_id, core::gathered_together> by_batch;
  for (const auto& one : together) {
    auto& group = by_batch[one.batch];
    group.batch = one.batch;
    group.units.push_back(one.unit.unit);
  }
  std::vector<core::gathered_together> these;
  for (auto& [batch, group] : by_batch)
    these.push_back(std::move(group));
  auto decided = core::ungather(st.step, these, gone, now(self, st.context));
  if (decided.changes.empty())
    return over({});
  write(self, std::move(decided.changes), [=](const core::failure& why) {
    // It ends the step, whose state may be going already.
    if (why.code != core::errc::none)
      return lost(why);
    auto& waiting = *self->state.waiting;
    waiting.remove({gone.begin(), gone.end()});
    for (const auto& one : together)
      if (one.batch && gone.count(one.unit.unit) == 0)
        waiting.add(one.unit);
    over({});
  });
}

/// Withdraws what is gathered. A batch that loses one of its units is withdrawn first, like all
/// that was made from what was taken back; nothing else happens to it and to its units until they
/// wait again. When this breaks off in between, they are found as they are when the word comes
/// again.
void ungather_from(step_ptr self, const units_ptr& units, std::size_t next,
                   const outcome_user& done) {
  const auto some = some_of(units, next, ungathered_at_once);
  if (some.empty())
    return done({});
  const auto over = [=](const core::failure& why) {
    regrouped(self);
    gather_when_due(self);
    if (why.code == core::errc::none)
      ungather_from(self, units, next + some.size(), done);
    else
      done(why);
  };
  when_gathering_rests(self, [=] {
    read(self, self->state.links.loader,
         [some](persistence::store& db) { return db.gathered_with(some); })
        .then(
            [=](const std::vector<persistence::gathered_unit>& found) {
              std::set<core::unit_id> batches;
              std::set<core::unit_id> gone;
              for (const auto& one : found) {
                if (one.batch)
                  batches.insert(one.batch);
                if (std::find(some.begin(), some.end(), one.unit.unit) != some.end())
                  gone.insert(one.unit.unit);
              }
              withdraw_from(self,
                            std::make_shared<const std::vector<core::unit_id>>(batches.begin(),
                                                                               batches.end()),
                            0, [=, together = found](const core::failure& why) {
                              if (why.code == core::errc::none)
                                take_apart(self, together, gone, over, done);
                              else
                                over(why);
                            });
            },
            [=](const core::failure& why) { over(unreadable(why)); });
  });
}

void withdraw_from(step_ptr self, const units_ptr& units, std::size_t next,
                   const outcome_user& done) {
  auto some = some_of(units, next, withdrawn_at_once);
  if (some.empty())
    return done({});
  const auto end = next + some.size();
  const auto then_next = [=](const core::failure& why) {
    if (why.code == core::errc::none)
      withdraw_from(self, units, end, done);
    else
      done(why);
  };
  read_units(self, std::move(some))
      .then(
          [=](std::vector<core::unit_record>& read) {
            const auto gathered = std::partition(read.begin(), read.end(), [](const auto& unit) {
              return unit.state != core::unit_state::gathered;
            });
            auto ids = std::make_shared<std::vector<core::unit_id>>();
            for (auto unit = gathered; unit != read.end(); ++unit)
              ids->push_back(unit->id);
            read.erase(gathered, read.end());
            tell_units(self, read, [=](const core::failure& why) {
              if (why.code == core::errc::none)
                ungather_from(self, ids, 0, then_next);
              else
                done(why);
            });
          },
          [=](const core::failure& why) { done(unreadable(why)); });
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
    read(self, state.links.loader,
         [step = state.identity.step(), results](persistence::store& db) {
           return db.made_from(step, results);
         })
        .then(
            [=](std::vector<core::unit_id>& units) {
              withdraw_from(self,
                            std::make_shared<const std::vector<core::unit_id>>(std::move(units)), 0,
                            done);
            },
            [=](const core::failure& why) { done(unreadable(why)); });
  });
}

} // namespace holdfast::actors
