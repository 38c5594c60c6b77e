#include "app/demo/main_job.hpp"

#include "app/data_dir.hpp"
#include "app/demo/crew.hpp"
#include "app/demo/quality_act.hpp"
#include "app/demo/workload.hpp"
#include "persistence/verify.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace holdfast::app::demo {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto restart_limit = 60s;
/// Nothing happens for so long only if something hangs.
constexpr auto stall_limit = 60s;
/// From the last judgment to the end of the steps: events are handled within moments.
constexpr auto completion_limit = 30s;
constexpr int wake_interval_ms = 50;
constexpr auto observe_interval = 500ms;

std::uint64_t count_units(const std::vector<dataset>& sets) {
  std::uint64_t count = 0;
  for (const auto& set : sets)
    count += set.units.size();
  return count;
}

std::uint64_t count_answers(const std::vector<dataset>& sets) {
  std::uint64_t count = 0;
  for (const auto& set : sets)
    count += set.answers();
  return count;
}

} // namespace

main_job::main_job(const std::vector<dataset>& sets, const main_job_settings& settings,
                   node_process& node, const std::string& data_dir, progress_bar& bar,
                   main_loop& loop)
    : sets_(sets),
      settings_(settings),
      node_(node),
      data_dir_(data_dir),
      bar_(bar),
      loop_(loop),
      units_(count_units(sets)),
      judgments_(count_answers(sets)),
      kills_(settings.kills, judgments_, [&node] { node.kill(); }),
      tally_(std::make_shared<tally>(kills_)),
      seen_(std::make_shared<observed>()) {}

main_job::~main_job() = default;

demo_report main_job::run() {
  report_.kills_wanted = settings_.kills;
  peer_ = std::make_unique<demo_peer>(node_.port(), settings_.seed);
  if (load()) {
    const auto began = steady_clock::now();
    start_contributors();
    const bool done = await_contributors();
    report_.work_time = std::chrono::duration_cast<core::duration>(steady_clock::now() - began);
    if (done && await_completion() && play_second_act())
      inspect();
  }
  auto& conduct = report_.conduct;
  conduct.offers = tally_->offers;
  conduct.declined = tally_->declined;
  conduct.let_expire = tally_->let_expire;
  conduct.late_submissions = tally_->late_submissions;
  conduct.double_submissions = tally_->double_submissions;
  conduct.invalid_payloads = tally_->invalid_payloads;
  conduct.stale_tokens = tally_->stale_tokens;
  conduct.lost_leases = tally_->lost_leases;
  report_.kills = kills_.kills();
  report_.recoveries = kills_.recoveries();
  for (const auto& wrong : tally_->wrongs())
    report_.problems.push_back(wrong);
  if (tally_->wrong_count() > tally_->wrongs().size())
    report_.problems.push_back("and " + std::to_string(tally_->wrong_count()) + " such in all");
  return std::move(report_);
}

bool main_job::failed(const std::string& what) {
  report_.problems.push_back(what);
  return false;
}

bool main_job::load() {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    const auto& set = sets_[i];
    auto loaded = load_set(*peer_, set, i, demo_lease());
    if (!loaded)
      return failed(loaded.error().detail);
    loaded_.push_back(std::move(*loaded));
    bar_.say("loaded " + set.name + ": " + std::to_string(set.units.size()) + " units, "
             + std::to_string(set.contributors.size()) + " contributors, "
             + std::to_string(set.answers()) + " answers");
  }
  return true;
}

void main_job::start_contributors() {
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    const auto& of = loaded_[i];
    report_.conduct.contributors += of.set->contributors.size();
    demo::start_contributors(*peer_, of,
                             {i, plan_answers(*of.set, settings_.speed, settings_.seed + i),
                              demo_lease(), settings_.seed, tally_, nullptr});
  }
  peer_->actors.push_back(peer_->system.spawn(
      observer, observer_deps{peer_->node.gateway(), peer_->node.request_timeout(),
                              observe_interval, steps_of(loaded_), seen_}));
}

void main_job::show_progress() {
  progress_state state;
  state.units = units_;
  state.units_done = seen_->units_done;
  state.judgments = judgments_;
  state.judgments_done = tally_->acknowledged_count();
  state.leases = static_cast<std::uint64_t>(std::max<std::int64_t>(0, tally_->holding));
  bar_.show(state, progress_bar::clock::now());
}

bool main_job::await_contributors() {
  auto moved_at = steady_clock::now();
  std::uint64_t moved = 0;
  while (tally_->working > 0 || kills_.is_away()) {
    loop_.run_for(wake_interval_ms);
    if (loop_.signaled() != 0)
      return failed("interrupted");
    const auto ended = node_.ended();
    if (kills_.take_killed()) {
      if (!restart_node())
        return false;
      moved_at = steady_clock::now();
    } else if (ended) {
      return failed("the node ended by itself with code " + std::to_string(*ended));
    }
    show_progress();
    const auto now_moved = tally_->acknowledged_count() + tally_->offers;
    if (now_moved != moved) {
      moved = now_moved;
      moved_at = steady_clock::now();
    } else if (steady_clock::now() - moved_at > stall_limit) {
      return failed("nothing has happened for a minute with " + std::to_string(tally_->working)
                    + " contributors at work");
    }
  }
  return true;
}

bool main_job::restart_node() {
  bar_.say("killed the node (SIGKILL) after " + std::to_string(tally_->acknowledged_count())
           + " judgments; starting it again");
  if (!node_.ended_within(restart_limit))
    return failed("the killed node did not end");
  if (const auto started = node_.start(restart_limit); !started)
    return failed("the node did not start again: " + started.error().detail);
  kills_.node_is_up();
  return true;
}

bool main_job::await_completion() {
  const auto until = steady_clock::now() + completion_limit;
  while (loop_.signaled() == 0) {
    const auto steps = peer_->node.ask<msg::step_list>(msg::list_steps{{}, 1000});
    if (!steps)
      return failed("the steps could not be listed: " + in_words(steps.error()));
    const auto open = std::count_if(steps->steps.begin(), steps->steps.end(), [](const auto& step) {
      return step.status != core::step_status::completed;
    });
    if (open == 0) {
      seen_->units_done = units_;
      bar_.hurry();
      show_progress();
      return true;
    }
    if (steady_clock::now() > until)
      return failed(std::to_string(open) + " steps were not completed in time");
    loop_.run_for(wake_interval_ms);
  }
  return failed("interrupted");
}

bool main_job::play_second_act() {
  const auto fit = std::find_if(sets_.begin(), sets_.end(), fit_for_quality_act);
  if (fit == sets_.end())
    return true;
  const auto running = read_node_file(data_dir_);
  if (!running)
    return failed(running.error().detail);
  auto played = run_quality_act(*fit, peer_->node, running->database, settings_.seed,
                                [this](const std::string& what) { bar_.say(what); });
  if (!played)
    return failed("the second act failed: " + in_words(played.error()));
  report_.quality = std::move(*played);
  return true;
}

void main_job::inspect() {
  const auto running = read_node_file(data_dir_);
  if (!running) {
    failed(running.error().detail);
    return;
  }
  auto sets = audit(peer_->node, running->database, loaded_, tally_->acknowledged_judgments());
  if (!sets) {
    failed("the results could not be read: " + in_words(sets.error()));
    return;
  }
  report_.sets = std::move(*sets);
  const auto checks = persistence::verify(running->database);
  if (!checks) {
    failed("the database could not be verified: " + in_words(checks.error()));
    return;
  }
  for (const auto& check : *checks)
    report_.checks.push_back({check.what.name, check.violations,
                              check.samples.empty() ? std::string{} : check.samples.front()});
}

} // namespace holdfast::app::demo
