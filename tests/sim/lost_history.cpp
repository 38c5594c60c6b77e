// The database forgets commits: a standby is promoted that had not got the last of them, or an
// older copy is restored under the nodes. What follows is audited as if these commits had never
// been, except for the numbers that were given out by them (history_audit.cpp).

#include "tests/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// How much is forgotten at most.
constexpr core::duration forgotten_max = 6s;

/// Within which the nodes notice a loss: the longest outage, and several of the longest renewals.
constexpr core::duration notice_bound = 120s;

/// Messages between nodes may be this late.
constexpr core::duration late_most = 2s;

} // namespace

bool world::all_know_the_history() const {
  return kept_->processes_started == processes_started_
         && std::all_of(processes_.begin(), processes_.end(), [this](const process_ptr& p) {
              return kept_->running.count(p->number) != 0 && !p->dead && !p->cut && !p->no_renewals
                     && !p->frozen;
            });
}

void world::copy_history() {
  const auto& t = virtual_.database->tables();
  const auto& steps = field_.steps;
  const bool has_steps =
      !steps.empty() && std::all_of(steps.begin(), steps.end(), [&](const core::step_id& step) {
        return t.steps.count(step) != 0;
      });
  if (kept_ || loss_ || t.shards.empty() || t.server.empty() || (plan_.units > 0 && !has_steps))
    return;
  forget_ended();
  kept_history kept{t, audit_.remember(), processes_started_, {}};
  bool all_ready = true;
  for (const auto& p : processes_) {
    all_ready = all_ready && p->gateway && !p->cut && !p->frozen;
    kept.running.insert(p->number);
  }
  if (!all_ready)
    kept.running.clear();
  kept_ = std::move(kept);
  log_.note([] { return std::string{"the database is copied"}; });
  after(random_.span(10ms, forgotten_max), [this] { lose_history(); });
}

void world::lose_history() {
  seen_.count(event_kind::history_lost);
  ready_.interrupt();
  forget_ended();
  ++losses_;
  const bool could_notice = !processes_.empty() && all_know_the_history();
  audit_.go_back(kept_->audit);
  database_faults_.drop_late();
  virtual_.database->restore(std::move(kept_->tables));
  const bool same_server = could_notice && audit_.lacks_numbers() && random_.below(2) == 0;
  if (!same_server)
    virtual_.database->set_server("server " + std::to_string(losses_));
  log_.note([&] {
    return std::string{"the database goes back to its copy"}
           + (same_server ? "" : ", on another server");
  });
  kept_.reset();
  const auto& t = virtual_.database->tables();
  loss_ = history_loss{virtual_.elapsed(), same_server, t.generation, {}};
  ++field_.era;
  while (!field_.steps.empty() && t.steps.count(field_.steps.back()) == 0)
    field_.steps.pop_back();
}

void world::say_restored() {
  if (!loss_is_unnoticed())
    return;
  constexpr core::duration retry_after = 500ms;
  log_.note([] { return std::string{"a person says that the database was restored"}; });
  if (!persistence::memory_store{virtual_.database}.begin_generation({}, true))
    return after(retry_after, [this] { say_restored(); });
  look_for_generation();
}

void world::look_for_generation() {
  const auto generation = virtual_.database->tables().generation;
  audit_.generation_begun();
  if (!loss_ || loss_->noticed || generation <= loss_->generation)
    return;
  seen_.count(event_kind::generation_begun);
  loss_->noticed = virtual_.elapsed();
}

/// A node that has not noticed by then has no lease any more, and decides nothing.
void world::watch_loss() {
  if (!loss_)
    return;
  if (!loss_->noticed && virtual_.elapsed() > loss_->at + notice_bound)
    audit_.blame("generations", "no node has noticed that the database has forgotten commits");
  if (!loss_->noticed || virtual_.elapsed() < *loss_->noticed + plan_.node_lease_time + late_most)
    return;
  log_.note([] { return std::string{"the loss of commits is over"}; });
  loss_.reset();
  ++field_.era;
}

} // namespace holdfast::sim
