#pragma once

#include "core/occurrence.hpp"
#include "core/queue_schedules.hpp"
#include "tests/core/scenario_worlds.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace holdfast::test {

/// Clocks that stand ahead of UTC by an amount that changes at some instants.
class story_clocks : public core::time_zone {
public:
  explicit story_clocks(core::duration at_first) : at_first_(at_first) {}

  void change(core::instant at, core::duration ahead) { later_[at] = ahead; }

  core::duration offset_at(core::instant at) const override {
    const auto after = later_.upper_bound(at);
    return after == later_.begin() ? at_first_ : std::prev(after)->second;
  }

private:
  core::duration at_first_;
  std::map<core::instant, core::duration> later_;
};

/// One schedule, with its queue.
class schedule_world : public world {
public:
  explicit schedule_world(const std::string& expression) {
    plan_.zone = core::find_utc("UTC");
    plan_.task.spec.type = "report";
    plan_.task.spec.version = "1.0";
    plan_.task.spec.body = "{}";
    set_cron(plan_, expression);
    load();
  }

  bool given(word_reader& words) override {
    if (words.take("clocks"))
      read_clocks(words);
    else if (words.take("backfill"))
      read_backfill(words);
    else if (words.take("a grace of"))
      plan_.grace = words.duration("how late an occurrence may be");
    else if (words.take("no occurrence before"))
      plan_.from = words.time("a time");
    else if (words.take("no occurrence after"))
      plan_.until = words.time("a time");
    else if (words.take("a unique key"))
      plan_.task.spec.unique_key = "report";
    else if (words.take("depth"))
      policy_.depth_max = static_cast<std::uint32_t>(words.number("how many live tasks"));
    else
      return false;
    load();
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now + ahead_;
    if (words.take("time passes"))
      return pass(!words.take("and the host dies before the commit"));
    if (words.take("the host dies")) {
      load();
      return standing();
    }
    if (words.take("the clock stands ahead by")) {
      ahead_ = words.duration("how much");
      return utc_text(now + ahead_);
    }
    if (words.take("the clock is right again")) {
      ahead_ = {};
      return utc_text(now);
    }
    if (words.take("the queue is"))
      return pause_queue(words.word("what is done to the queue"));
    if (words.take("the task of"))
      return cancel(words);
    words.expect("the schedule");
    return steer(words);
  }

private:
  static void set_cron(core::schedule_plan& plan, const std::string& expression) {
    auto times = core::parse_cron(expression);
    if (!times)
      throw bad_line(times.error().detail);
    plan.cron = expression;
    plan.times = *times;
  }

  /// `1h ahead of UTC, 2h from 2026-03-29T01:00Z`
  void read_clocks(word_reader& words) {
    const auto clocks = std::make_shared<story_clocks>(words.duration("how far they are ahead"));
    words.expect("ahead of UTC");
    while (!words.done()) {
      const auto ahead = words.duration("how far they are ahead");
      words.expect("from");
      clocks->change(words.time("when they are changed"), ahead);
    }
    plan_.zone = clocks;
    plan_.time_zone = "the story's";
  }

  void read_backfill(word_reader& words) {
    const auto policy = words.word("what becomes of missed occurrences");
    const std::map<std::string, core::backfill> all{{"none", core::backfill::none},
                                                    {"latest", core::backfill::latest},
                                                    {"all", core::backfill::all}};
    const auto known = all.find(policy);
    if (known == all.end())
      throw bad_line("backfill is none, latest or all");
    plan_.backfill = known->second;
    if (words.take("at most"))
      plan_.backfill_max = static_cast<std::uint32_t>(words.number("how many occurrences"));
  }

  std::string steer(word_reader& words) {
    if (words.take("has"))
      return standing();
    if (words.take("is removed")) {
      const auto d = decide(queue_, core::remove_schedule{name}, now_);
      commit(d.changes);
      return d.answer ? "removed" : "there was none";
    }
    auto plan = plan_;
    if (words.take("is paused"))
      plan.paused = true;
    else if (words.take("is resumed"))
      plan.paused = false;
    else
      words.expect("is put");
    if (words.take("with the times"))
      set_cron(plan, words.word("a cron expression"));
    if (words.take("with the body"))
      plan.task.spec.body = "\"" + words.word("a body") + "\"";
    return put(plan);
  }

  std::string put(const core::schedule_plan& plan) {
    core::put_schedule command{name, definition_of(plan), plan, {}};
    command.known = look_up(core::owed_tasks(queue_, command, now_));
    const auto d = decide(queue_, command, now_);
    if (d.refusal != core::errc::none)
      return d.changes.empty() ? "refused " + std::string{to_string(d.refusal)}
                               : throw broken_rule("a refusal writes something");
    if ((d.answer.changed || d.answer.owes_more) == d.changes.empty())
      throw broken_rule("a plan that is taken is written, and one that stood before is not");
    if (d.answer.changed) {
      plan_ = plan;
      plans_[command.definition] = plan;
    }
    return told(d.changes)
           + (d.answer.owes_more ? ", more to make first"
              : d.answer.changed ? ""
                                 : ", as it was");
  }

  /// Differs where plans do that a story may put.
  static std::string definition_of(const core::schedule_plan& plan) {
    return plan.cron + " " + plan.task.spec.body + (plan.paused ? " paused" : "");
  }

  /// Runs what is due, as the queue does when it wakes.
  std::string pass(bool committed) {
    auto d = decide(queue_, core::run_schedules{}, now_);
    if (!d.answer.unsure.empty()) {
      if (!d.changes.empty())
        throw broken_rule("tasks are made before it is known whether they were made already");
      d = decide(queue_, core::run_schedules{look_up(d.answer.unsure)}, now_);
    }
    if (committed)
      return told(d.changes);
    load();
    return standing();
  }

  /// What the database says of these ids.
  core::looked_up_tasks look_up(const std::vector<core::task_id>& ids) const {
    core::looked_up_tasks known;
    known.looked_for = {ids.begin(), ids.end()};
    for (const auto& id : ids)
      if (made_.count(id) != 0)
        known.exist.insert(id);
    return known;
  }

  std::string pause_queue(const std::string& verb) {
    if (verb != "paused" && verb != "resumed")
      throw bad_line("no queue with a schedule can be '" + verb + "'");
    commit(decide(queue_, core::pause_queue{verb == "paused", ""}, now_).changes);
    return verb;
  }

  std::string cancel(word_reader& words) {
    const auto at = words.time("an occurrence");
    words.expect("is canceled");
    const auto& s = queue_.schedules.at(name);
    const auto d = decide(queue_, core::task_verb::cancel,
                          core::occurrence_id({queue_.name, name, s.created_at}, at), now_);
    commit(d.changes);
    return d.refusal != core::errc::none ? "refused " + std::string{to_string(d.refusal)}
                                         : "canceled";
  }

  std::string told(const core::change& changes) {
    commit(changes);
    std::string made;
    for (const auto& write : changes.writes)
      if (const auto* task = std::get_if<core::insert_task>(&write))
        made += (made.empty() ? " " : ", ") + utc_text(*core::occurrence_of(task->spec.id));
    return "makes" + (made.empty() ? " nothing" : made) + "; " + standing();
  }

  std::string standing() const {
    const auto found = queue_.schedules.find(name);
    if (found == queue_.schedules.end())
      return "no schedule";
    const auto& s = found->second;
    return "next " + (s.next ? utc_text(*s.next) : std::string{"never"})
           + (s.problem.empty() ? "" : "; problem " + s.problem);
  }

  void commit(const core::change& changes) {
    core::change of_tasks;
    for (const auto& write : changes.writes) {
      if (const auto* row = std::get_if<core::put_schedule_row>(&write)) {
        row_ = *row;
        continue;
      }
      if (std::holds_alternative<core::delete_schedule_row>(write)) {
        row_.reset();
        continue;
      }
      const auto* task = std::get_if<core::insert_task>(&write);
      if (task != nullptr && !made_.insert(task->spec.id).second)
        throw broken_rule("an occurrence makes a second task");
      of_tasks.writes.push_back(write);
    }
    mirror_.apply(of_tasks);
    const auto found = queue_.schedules.find(name);
    if ((found != queue_.schedules.end()) != row_.has_value())
      throw broken_rule("the stored schedule is not the one in memory");
    if (row_
        && (found->second.handled_until != row_->handled_until
            || found->second.revision != row_->revision))
      throw broken_rule("a restart would find the schedule at another occurrence");
    if (const auto difference = mirror_.difference(queue_); !difference.empty())
      throw broken_rule("the changes tell another story than the queue: " + difference);
  }

  void load() {
    queue_ = mirror_.load(policy_);
    if (!row_)
      return;
    core::schedule s;
    s.name = name;
    s.definition = row_->definition;
    s.plan = plans_.at(row_->definition);
    s.created_at = row_->created_at;
    s.handled_until = row_->handled_until;
    s.last_made = row_->last_made;
    s.revision = row_->revision;
    enter(queue_, std::move(s));
  }

  static constexpr const char* name = "s";

  core::schedule_plan plan_;                         ///< As it was put last.
  std::map<std::string, core::schedule_plan> plans_; ///< By definition.
  core::queue_policy policy_;
  queue_mirror mirror_{"work"};
  std::optional<core::put_schedule_row> row_;
  std::set<core::task_id> made_; ///< All that were ever.
  core::queue queue_;
  core::instant now_;
  core::duration ahead_{};
};

} // namespace holdfast::test
