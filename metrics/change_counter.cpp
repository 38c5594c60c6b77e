#include "metrics/change_counter.hpp"

#include <cctype>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <variant>

namespace holdfast::metrics {

namespace {

/// Counters that are remembered, of all queues and their types.
constexpr std::size_t remembered_max = 10000;

/// `rate_limited` of `RateLimited`, the form of such words in SQL and events.
std::string label_of(std::string_view word) {
  std::string made;
  for (const char c : word) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isupper(letter) != 0 && !made.empty())
      made += '_';
    made += static_cast<char>(std::tolower(letter));
  }
  return made;
}

double seconds(core::duration span) { return std::chrono::duration<double>(span).count(); }

} // namespace

change_counter::change_counter(std::shared_ptr<registry> into)
    : registry_(std::move(into)),
      granted_(registry_->count(metric::assignments_total, {"granted"})),
      submitted_(registry_->count(metric::assignments_total, {"submitted"})),
      in_time_(registry_->count(metric::judgments_total, {"in_time"})),
      late_(registry_->count(metric::judgments_total, {"late"})),
      surplus_(registry_->count(metric::judgments_total, {"surplus"})),
      units_expired_(registry_->count(metric::leases_expired_total, {"unit"})),
      tasks_expired_(registry_->count(metric::leases_expired_total, {"task"})),
      units_made_(registry_->count(metric::units_made_total)),
      units_finalized_(registry_->count(metric::units_finalized_total)),
      units_reopened_(registry_->count(metric::units_reopened_total)),
      dead_letters_(registry_->count(metric::webhook_dead_letters_total)) {
  using core::lease_end;
  for (const auto how : {lease_end::expired, lease_end::released, lease_end::declined,
                         lease_end::ejected, lease_end::canceled})
    assignments_[how] = &registry_->count(metric::assignments_total, {label_of(to_string(how))});
}

change_counter::queue_counters& change_counter::of_queue(const core::queue_name& name) {
  if (remembered_ >= remembered_max) {
    queues_.clear();
    remembered_ = 0;
  }
  auto& known = queues_[name];
  if (known.wait == nullptr) {
    known.wait = &registry_->distribute(metric::task_wait_seconds, {name});
    known.run = &registry_->distribute(metric::task_run_seconds, {name});
    ++remembered_;
  }
  return known;
}

struct change_counter::visitor {
  change_counter& self;
  const core::queue_name* queue; ///< Null for a change of a step.

  void operator()(const core::insert_lease&) const { self.granted_.add(); }
  void operator()(const core::end_lease_row& w) const {
    self.assignments_.at(w.how)->add();
    if (w.how == core::lease_end::expired)
      self.units_expired_.add();
  }
  void operator()(const core::insert_judgment&) const {
    self.submitted_.add();
    self.in_time_.add();
  }
  void operator()(const core::insert_late_judgment&) const { self.late_.add(); }
  void operator()(const core::insert_surplus_judgment&) const { self.surplus_.add(); }
  void operator()(const core::insert_unit&) const { self.units_made_.add(); }
  void operator()(const core::finalize_unit&) const { self.units_finalized_.add(); }
  void operator()(const core::reopen_unit&) const { self.units_reopened_.add(); }
  void operator()(const core::override_unit& w) const {
    if (w.found == core::overridden_state::taken_back)
      self.units_reopened_.add();
    if (w.found != core::overridden_state::stands)
      self.units_finalized_.add();
  }
  void operator()(const core::put_dead_letter&) const { self.dead_letters_.add(); }

  void operator()(const core::insert_task& w) const {
    auto& made = self.of_queue(w.queue).made[w.spec.type];
    if (made == nullptr) {
      made = &self.registry_->count(metric::tasks_made_total, {w.queue, w.spec.type});
      ++self.remembered_;
    }
    made->add();
  }
  void operator()(const core::insert_task_lease& w) const {
    if (queue != nullptr)
      self.of_queue(*queue).wait->observe(seconds(w.lease.granted_at - w.due));
  }
  void operator()(const core::finish_task& w) const {
    if (queue == nullptr)
      return;
    auto& known = self.of_queue(*queue);
    auto& finished = known.finished[{w.type, w.ending}];
    if (finished == nullptr) {
      finished = &self.registry_->count(metric::tasks_finished_total,
                                        {*queue, w.type, label_of(to_string(w.ending))});
      ++self.remembered_;
    }
    finished->add();
    if (w.token != 0)
      known.run->observe(seconds(w.at - w.leased_at));
  }
  void operator()(const core::end_task_lease& w) const {
    if (queue == nullptr)
      return;
    auto& ended = self.of_queue(*queue).ended[w.how];
    if (ended == nullptr)
      ended = &self.registry_->count(metric::task_attempts_ended_total,
                                     {*queue, label_of(to_string(w.how))});
    ended->add();
    if (w.how == core::attempt_ending::expired)
      self.tasks_expired_.add();
  }
  void operator()(const core::refuse_staged&) const {
    if (queue != nullptr)
      self.registry_->count(metric::tasks_refused_total, {*queue}).add();
  }
  template <class Other>
  void operator()(const Other&) const {}
};

void change_counter::count(const core::change& durable, const core::hosted_item& by) {
  const visitor each{*this, std::get_if<core::queue_name>(&by)};
  for (const auto& write : durable.writes)
    std::visit(each, write);
}

} // namespace holdfast::metrics
