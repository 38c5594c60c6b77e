#pragma once

#include "core/node_worker.hpp"
#include "core/queue.hpp"
#include "core/ready_set.hpp"
#include "core/step.hpp"
#include "core/unit.hpp"
#include "tests/core/describe.hpp"
#include "tests/core/queue_mirror.hpp"
#include "tests/core/scenario_language.hpp"
#include "tests/core/unit_mirror.hpp"

#include <map>
#include <memory>
#include <string>

/// The machines of core as scenarios drive them: each turns a command into what happened.
namespace holdfast::test {

/// A rule that every command must keep was broken: the machine is wrong, whatever the file expects.
class broken_rule : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class world {
public:
  virtual ~world() = default;
  /// Takes a further `given`; false when it is not about this machine.
  virtual bool given(word_reader& words) = 0;
  /// Carries out a command and tells what happened.
  virtual std::string carry_out(word_reader& words, core::instant now) = 0;
};

template <class Id>
Id numbered(std::uint64_t n) {
  Id id;
  for (std::size_t i = 0; i < 8; ++i)
    id.value.bytes[15 - i] = static_cast<std::uint8_t>(n >> (8 * i));
  return id;
}

inline std::string events_of(const core::change& c) {
  std::string text;
  for (const auto& e : c.events)
    text += (text.empty() ? "; tells " : " ") + std::string{to_string(e.type)};
  return text;
}

/// One unit, with its lease policy.
class unit_world : public world {
public:
  explicit unit_world(std::uint32_t slots) {
    unit_.id = numbered<core::unit_id>(1);
    unit_.step = numbered<core::step_id>(2);
    unit_.root = unit_.id;
    unit_.slots = slots;
    mirror_ = std::make_unique<unit_mirror>(unit_, policy_);
  }

  bool given(word_reader& words) override {
    if (words.take("a route for units of those who have judged fewer than")) {
      core::route rule;
      rule.when.judged_fewer = static_cast<std::uint32_t>(words.number("units"));
      ways_.push_back({rule, {}});
      return true;
    }
    if (!words.take("leases of"))
      return false;
    policy_.ttl = words.duration("how long a lease lives");
    policy_.total_max = policy_.ttl;
    policy_.regrant_after = core::duration::zero();
    if (words.take("at most"))
      policy_.total_max = words.duration("the longest life of a lease");
    if (words.take("again after"))
      policy_.regrant_after = words.duration("the time a contributor waits after an expiry");
    if (words.take("late")) {
      const auto late = core::late_submit_named(words.word("what becomes of late judgments"));
      if (!late)
        throw bad_line("late judgments are for reject, accept_if_free or surplus");
      policy_.late_submit = *late;
    }
    mirror_ = std::make_unique<unit_mirror>(unit_, policy_);
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now;
    if (words.take("time passes")) {
      const auto before = unit_.leases.active;
      const auto d = decided(decide(unit_, policy_, core::expire{}, now));
      std::string owners;
      for (const auto& l : before)
        if (find_lease(unit_.leases, l.owner) == nullptr)
          owners += (owners.empty() ? "" : " ") + l.owner;
      return "expired " + (d.answer == 0 ? "nobody" : owners);
    }
    if (words.take("the unit is aggregated"))
      return aggregate();
    if (words.take("the unit is paused"))
      return steer(core::unit_verb::pause);
    if (words.take("the unit is resumed"))
      return steer(core::unit_verb::resume);
    if (words.take("the unit is canceled"))
      return steer(core::unit_verb::cancel);
    if (words.take("the unit is withdrawn"))
      return withdraw(words);
    if (words.take("the unit gets the input"))
      return replace_input(words.word("an input"));
    if (words.take("the unit has"))
      return look(words);
    return by_contributor(words.word("a contributor"), words);
  }

private:
  std::string by_contributor(const core::contributor_id& who, word_reader& words) {
    const auto verb = words.word("what the contributor does");
    if (verb == "asks")
      return ask(who, words.take("again"));
    if (verb == "extends")
      return extend(who, token(words));
    if (verb == "releases")
      return give_back(who, token(words), false);
    if (verb == "declines")
      return give_back(who, token(words), true);
    if (verb == "submits") {
      const auto answer = words.word("an answer");
      const bool again = words.take("again");
      const auto under = token(words);
      std::optional<std::uint32_t> before;
      if (words.take("having judged"))
        before = static_cast<std::uint32_t>(words.number("units"));
      return submit(who, answer, under, again, before);
    }
    throw bad_line("nobody can '" + verb + "'");
  }

  static core::token token(word_reader& words) {
    words.expect("under token");
    return words.number("a token");
  }

  std::string ask(const core::contributor_id& who, bool again) {
    auto& id = assignments_[who];
    if (!again)
      id = numbered<core::assignment_id>(++ids_);
    const auto d = decided(decide(unit_, policy_, core::ask{who, id}, now_));
    if (d.refusal != core::errc::none)
      return refused(d);
    if (!again && d.changes.empty())
      throw broken_rule("a lease is granted but not written");
    return "granted token " + std::to_string(d.answer.token) + " until "
           + describe(d.answer.expires_at);
  }

  std::string extend(const core::contributor_id& who, core::token presented) {
    const auto d = decided(decide(unit_, policy_, core::extend{who, presented}, now_));
    return d.refusal != core::errc::none ? refused(d)
                                         : "extended until " + describe(d.answer.expires_at);
  }

  std::string give_back(const core::contributor_id& who, core::token presented, bool decline) {
    const auto d = decided(decide(unit_, policy_, core::give_back{who, presented, decline}, now_));
    if (d.refusal != core::errc::none)
      return refused(d);
    if (!d.answer)
      throw broken_rule("what is not refused is given back, now or earlier");
    return d.changes.empty() ? "nothing to give back" : decline ? "declined" : "released";
  }

  std::string submit(const core::contributor_id& who, const std::string& answer,
                     core::token presented, bool again, std::optional<std::uint32_t> before) {
    auto& id = judgments_[who];
    if (!again)
      id = numbered<core::judgment_id>(++ids_);
    const auto d = decided(
        decide(unit_, policy_,
               core::submit{who, presented, id, "{}", answer, {}, {}, false, before}, now_));
    if (d.refusal != core::errc::none)
      return refused(d);
    if (d.answer.judgment != id || d.answer.repeated != d.changes.empty())
      throw broken_rule("a judgment is written once, and answered with its id");
    const std::string how = d.answer.surplus ? "kept as surplus" : "accepted";
    return d.answer.repeated ? how + " before" : how + events_of(d.changes);
  }

  std::string aggregate() {
    const auto d = decided(
        decide(unit_, {}, ways_, core::aggregate_if_ready{"aggregation", {3, ++messages_}}, now_));
    if (!d.answer.finalized)
      return d.changes.empty() ? "not ready" : "not ready, but something is written";
    std::string result;
    for (const auto& write : d.changes.writes)
      if (const auto* finalized = std::get_if<core::finalize_unit>(&write))
        result = finalized->result
                 + (ways_.empty() ? "" : " by route " + std::to_string(finalized->route));
    return "finalized " + result + events_of(d.changes);
  }

  std::string steer(core::unit_verb verb) {
    const auto d = decided(decide(unit_, policy_, verb, now_));
    if (d.refusal != core::errc::none)
      return refused(d);
    return std::string{to_string(d.answer)} + (d.changes.empty() ? ", as it was" : "")
           + events_of(d.changes);
  }

  /// `as it was read open`: by somebody who has not seen that it was finalized since.
  std::string withdraw(word_reader& words) {
    core::withdraw command;
    if (unit_.state == core::unit_state::finalized && !words.take("as it was read open"))
      command.was = core::withdraw::finished{unit_.reopened, R"({"answer":"cat"})", core::no_route};
    const auto d = decided(decide(unit_, policy_, {}, command, now_));
    if (d.refusal != core::errc::none)
      return refused(d);
    if (d.answer == d.changes.empty())
      throw broken_rule("what is withdrawn is written");
    return std::string{to_string(unit_.state)} + (d.answer ? "" : ", as it was")
           + events_of(d.changes);
  }

  std::string replace_input(const std::string& input) {
    const auto d = decided(decide(unit_, core::replace_input{'"' + input + '"'}));
    if (d.refusal != core::errc::none)
      return refused(d);
    if (d.answer == d.changes.empty())
      throw broken_rule("an input that is replaced is written");
    return d.answer ? "replaced" : "as it was";
  }

  std::string look(word_reader& words) {
    if (words.take("the input"))
      return unit_.input;
    if (words.take("free slots"))
      return std::to_string(free_slots(unit_));
    if (words.take("its next expiry"))
      return describe(next_expiry(unit_.leases));
    if (words.take("leases")) {
      std::string owners;
      for (const auto& l : unit_.leases.active)
        owners += (owners.empty() ? "" : " ") + l.owner;
      return owners.empty() ? "none" : owners;
    }
    words.expect("the state");
    return std::string{to_string(unit_.state)};
  }

  template <class Answer>
  static std::string refused(const core::decision<Answer>& d) {
    return "refused " + std::string{to_string(d.refusal)};
  }

  /// What holds for every decision, whatever the scenario is about.
  template <class Answer>
  core::decision<Answer> decided(core::decision<Answer> d) {
    const auto now_described = unit_mirror::describe_at(unit_, now_);
    if (d.refusal != core::errc::none && !d.changes.empty())
      throw broken_rule("a refusal writes something:\n" + describe(d.changes));
    mirror_->apply(d.changes);
    if (mirror_->describe_at(now_) != now_described)
      throw broken_rule("the changes tell another story than the unit:\n" + now_described
                        + "after a restart it would be\n" + mirror_->describe_at(now_));
    if (unit_.leases.active.size() + unit_.judgments.size() > unit_.slots)
      throw broken_rule("I-1: more leases and judgments than slots");
    return d;
  }

  core::unit unit_;
  core::lease_policy policy_;
  std::vector<core::way> ways_;
  std::unique_ptr<unit_mirror> mirror_;
  core::instant now_;
  std::uint64_t ids_ = 100;
  std::uint64_t messages_ = 0;
  std::map<core::contributor_id, core::assignment_id> assignments_;
  std::map<core::contributor_id, core::judgment_id> judgments_;
};

/// One step of a workflow.
class step_world : public world {
public:
  step_world() { step_.row.id = numbered<core::step_id>(7); }

  bool given(word_reader&) override { return false; }

  std::string carry_out(word_reader& words, core::instant now) override {
    using core::unit_verb;
    if (words.take("the step is sealed"))
      return told(seal(step_, now));
    if (words.take("the step is unsealed"))
      return told(unseal(step_, now));
    if (words.take("the step is paused"))
      return told(decide(step_, unit_verb::pause, now));
    if (words.take("the step is resumed"))
      return told(decide(step_, unit_verb::resume, now));
    if (words.take("the step is canceled"))
      return told(decide(step_, unit_verb::cancel, now));
    const auto count = words.number("how many units");
    if (words.take("units finish"))
      return told(units_finished(step_, count, now));
    words.expect("units arrive");
    std::vector<core::source_item> items;
    for (std::uint64_t i = 0; i < count; ++i)
      items.push_back({"key " + std::to_string(++keys_), "{}", 3, {}, {}, {}});
    const auto d = add_units(step_, std::move(items), ids_, now);
    if (d.refusal == core::errc::none && d.answer.units.size() != count)
      throw broken_rule("every item becomes a unit");
    return told(d);
  }

private:
  template <class Answer>
  std::string told(const core::decision<Answer>& d) {
    if (d.refusal != core::errc::none)
      return d.changes.empty() ? "refused " + std::string{to_string(d.refusal)}
                               : throw broken_rule("a refusal writes something");
    std::size_t published = 0;
    for (const auto& e : d.changes.events)
      published += e.type == core::event_type::job_step_updated ? 1 : 0;
    return describe(step_.row)
           + (d.changes.empty() ? ", as it was"
              : published == 1U ? "; tells JobStepUpdated"
                                : "");
  }

  core::step step_;
  core::uuid_source ids_{1};
  std::uint64_t keys_ = 0;
};

/// The ready set of one step.
class ready_world : public world {
public:
  bool given(word_reader&) override { return false; }

  std::string carry_out(word_reader& words, core::instant now) override {
    if (words.take("ready units"))
      return std::to_string(set_.ready_units()) + " of " + std::to_string(set_.open_units());
    const auto subject = words.word("a unit or a contributor");
    if (words.take("takes")) {
      const auto unit = set_.take(subject, now);
      return unit ? names_.at(*unit) : "nothing";
    }
    const auto unit = unit_named(subject);
    if (words.take("arrives with")) {
      set_.add(unit, static_cast<std::uint32_t>(words.number("free slots")));
      words.expect("free");
    } else if (words.take("comes back")) {
      set_.give_back(unit);
    } else if (words.take("is suspended")) {
      set_.suspend(unit);
    } else if (words.take("is resumed")) {
      set_.resume(unit);
    } else if (words.take("is closed")) {
      set_.close(unit);
    } else if (words.take("is barred for")) {
      const auto who = words.word("a contributor");
      if (words.take("for ever")) {
        set_.bar(unit, who, core::instant::max());
      } else {
        words.expect("until");
        set_.bar(unit, who, beginning + words.duration("a time"));
      }
    } else {
      words.expect("has");
    }
    return std::to_string(set_.free_slots(unit)) + " free";
  }

private:
  core::unit_id unit_named(const std::string& name) {
    const auto known = ids_.emplace(name, numbered<core::unit_id>(ids_.size() + 1)).first->second;
    names_[known] = name;
    return known;
  }

  core::ready_set set_;
  std::map<std::string, core::unit_id> ids_;
  std::map<core::unit_id, std::string> names_;
};

/// One queue of tasks, with its policy.
class queue_world : public world {
public:
  queue_world() {
    policy_.lease.total_max = policy_.lease.ttl = std::chrono::seconds{60};
    load();
  }

  bool given(word_reader& words) override {
    if (words.take("leases of")) {
      policy_.lease.ttl = words.duration("how long a lease lives");
      policy_.lease.total_max = policy_.lease.ttl;
      if (words.take("at most"))
        policy_.lease.total_max = words.duration("the longest life of a lease");
    } else if (words.take("tries")) {
      policy_.retry.max_attempts = count(words, "how many tries");
    } else if (words.take("crashes")) {
      policy_.retry.crashes_max = count(words, "how many crashes");
    } else if (words.take("waits of")) {
      policy_.retry.least = words.duration("the shortest wait");
      words.expect("to");
      policy_.retry.most = words.duration("the longest wait");
    } else if (words.take("depth")) {
      policy_.depth_max = count(words, "how many live tasks");
    } else if (words.take("events")) {
      while (!words.done()) {
        const auto name = words.word("a type of events");
        const auto ending = core::ending_told_by(name);
        if (!ending)
          throw bad_line("no end of a task is told by '" + name + "'");
        policy_.events.insert(*ending);
      }
      mirror_.tells(policy_.events);
    } else if (words.take("type")) {
      auto& type = policy_.types[words.word("a type")];
      words.expect("goes from");
      const auto from = words.word("a state");
      if (type.transitions.empty())
        type.first_state = from;
      words.expect("to");
      while (!words.done()) {
        const auto to = words.word("a state");
        type.transitions[from].insert(to);
        type.transitions[to];
      }
    } else {
      return false;
    }
    load();
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now;
    told_.clear();
    const auto text = follow(words, now);
    return text + told_;
  }

private:
  std::string follow(word_reader& words, core::instant now) {
    if (words.take("time passes"))
      return lost(decided(decide(queue_, core::expire_tasks{}, now)).answer);
    if (words.take("the host dies")) {
      load();
      return std::to_string(queue_.tasks.size()) + " live";
    }
    if (words.take("the queue wakes"))
      return describe(next_wake(queue_, now));
    if (words.take("the queue"))
      return steer_queue(words, "");
    if (words.take("type"))
      return steer_queue(words, words.word("a type"));
    if (words.take("node"))
      return move_node(words.word("a node"), words);
    const auto subject = as_known(words.word("a task or a worker"));
    if (words.take("is enqueued"))
      return enqueue(subject, words);
    if (words.take("is ejected"))
      return eject(subject, words);
    if (words.take("is redriven"))
      return redrive(subject);
    if (words.take("is"))
      return steer_task(subject, words.word("what is done to the task"));
    if (words.take("has"))
      return look(subject);
    if (words.take("dies"))
      return lost(decided(decide(queue_, core::lose_worker{subject}, now)).answer);
    if (words.take("claims"))
      return claim(subject, words);
    if (words.take("takes over"))
      return take_over(subject, words.word("a task"));
    return by_holder(subject, words);
  }

  static std::uint32_t count(word_reader& words, const char* what) {
    return static_cast<std::uint32_t>(words.number(what));
  }

  /// `w1.n1` is worker w1 inside node n1: the queue knows it by a name that says so.
  core::worker_id as_known(const std::string& name) {
    const auto dot = name.find('.');
    if (dot == std::string::npos)
      return name;
    const auto node = name.substr(dot + 1);
    if (processes_.count(node) == 0)
      start(node);
    const auto known =
        core::name_inside(name, processes_.at(node)) + '-' + to_string(numbered<core::task_id>(1));
    nicknames_[known] = name;
    return known;
  }

  void start(const std::string& node) {
    processes_[node] = numbered<core::incarnation_id>(++process_count_);
  }

  /// What the others do when they see it.
  std::string move_node(const std::string& node, word_reader& words) {
    if (words.take("ends"))
      processes_.erase(node);
    else if (words.take("is started again"))
      start(node);
    else
      words.take("is seen");
    const bool missing = words.take("is not seen");
    core::living_processes seen{{}, now_};
    for (const auto& [name, process] : processes_)
      if (!missing || name != node)
        seen.alive.insert(process);
    return lost(decided(decide(queue_, core::lose_processes{seen}, now_)).answer);
  }

  core::task_id task_named(const std::string& name) {
    const auto known = ids_.emplace(name, numbered<core::task_id>(ids_.size() + 1)).first->second;
    names_[known] = name;
    return known;
  }

  std::string enqueue(const std::string& name, word_reader& words) {
    core::new_task item;
    item.spec.id = task_named(name);
    item.spec.type = "work";
    while (!words.done()) {
      if (words.take("as"))
        item.spec.type = words.word("a type");
      else if (words.take("using"))
        item.spec.credential = words.word("a credential");
      else if (words.take("unique"))
        item.spec.unique_key = words.word("a unique key");
      else if (words.take("or rejected"))
        item.conflict = core::on_conflict::reject;
      else
        throw bad_line("a task is enqueued 'as', 'using', 'unique' or 'or rejected'");
    }
    const auto d = decided(decide(queue_, core::enqueue{{item}}, now_));
    const auto& outcome = d.answer.at(0);
    if (outcome.refusal != core::errc::none)
      return refused(outcome.refusal);
    if (outcome.repeated == !d.changes.empty())
      throw broken_rule("what was there before is not written again");
    return outcome.task != item.spec.id ? "kept " + names_.at(outcome.task)
           : outcome.repeated           ? "enqueued before"
                                        : "enqueued";
  }

  std::string claim(const core::worker_id& who, word_reader& words) {
    core::claim command;
    command.worker = who;
    command.most = count(words, "how many");
    if (words.take("of"))
      command.types = {words.word("a type")};
    auto& id = claims_[who];
    if (!words.take("again"))
      id = numbered<core::assignment_id>(++claim_count_);
    command.id = id;
    std::string text;
    for (const auto& task : decided(decide(queue_, command, now_)).answer)
      text += (text.empty() ? "" : ", ") + names_.at(task) + " token "
              + std::to_string(queue_.tasks.at(task).leases.last_token);
    return text.empty() ? "nothing" : text;
  }

  std::string take_over(const core::worker_id& who, const std::string& task) {
    const auto id = task_named(task);
    const auto d = decided(decide(
        queue_, core::claim_task{who, numbered<core::assignment_id>(++claim_count_), id}, now_));
    return d.refusal != core::errc::none
               ? refused(d.refusal)
               : "granted token " + std::to_string(queue_.tasks.at(id).leases.last_token);
  }

  std::string by_holder(const core::worker_id& who, word_reader& words) {
    const auto verb = words.word("what the worker does");
    core::held_task item;
    item.task = task_named(words.word("a task"));
    words.expect("under token");
    item.token = words.number("a token");
    if (verb == "extends") {
      const auto d = decided(decide(queue_, core::extend_tasks{who, {item}}, now_));
      const auto refusal = d.answer.at(0).refusal;
      return refusal != core::errc::none ? refused(refusal)
                                         : "extended until " + describe(lease_of(item.task));
    }
    if (verb == "completes") {
      const auto d = decided(decide(queue_, core::complete_tasks{who, {{item, "{}"}}}, now_));
      return told(d.answer.at(0).refusal, d.changes, "completed");
    }
    if (verb == "saves") {
      const auto number = words.take("as number") ? words.number("a number") : 0;
      const auto d =
          decided(decide(queue_, core::save_task{who, item, update(words), number}, now_));
      return told(
          d.answer.refusal, d.changes,
          (number != 0 && d.changes.empty() ? "overtaken, held until " : "saved, held until ")
              + describe(lease_of(item.task)));
    }
    if (verb == "releases") {
      const auto changed = update(words);
      const auto wait = words.take("for") ? words.duration("how long") : core::duration::zero();
      const auto d =
          decided(decide(queue_, core::release_task{who, item, changed, now_ + wait}, now_));
      return told(d.answer.refusal, d.changes, "released");
    }
    if (verb == "fails")
      return fail(who, item, words);
    throw bad_line("no worker can '" + verb + "'");
  }

  std::string fail(const core::worker_id& who, const core::held_task& item, word_reader& words) {
    core::fail_task command{who, item, {}, {"ERROR", "as the story wants it"}, {}, update(words)};
    command.kind = core::failure_kind::transient;
    if (words.take("for good")) {
      command.kind = core::failure_kind::permanent;
    } else if (words.take("by rate limit for")) {
      command.kind = core::failure_kind::rate_limited;
      command.retry_after = words.duration("how long");
    }
    const auto d = decided(decide(queue_, command, now_));
    const auto found = queue_.tasks.find(item.task);
    return told(d.answer.refusal, d.changes,
                found == queue_.tasks.end()
                    ? ending_of(item.task)
                    : std::to_string(found->second.progress.attempts) + " failed");
  }

  std::string eject(const std::string& name, word_reader& words) {
    const auto changed = update(words);
    const auto wait = words.take("for") ? words.duration("how long") : core::duration::zero();
    const auto d =
        decided(decide(queue_, core::eject_task{task_named(name), changed, now_ + wait}, now_));
    if (d.refusal != core::errc::none)
      return refused(d.refusal);
    return d.answer ? "taken from " + d.answer->worker : "taken from nobody";
  }

  std::string steer_task(const std::string& name, const std::string& verb) {
    const std::map<std::string, core::task_verb> verbs{{"paused", core::task_verb::pause},
                                                       {"resumed", core::task_verb::resume},
                                                       {"canceled", core::task_verb::cancel},
                                                       {"retried", core::task_verb::retry}};
    const auto known = verbs.find(verb);
    if (known == verbs.end())
      throw bad_line("no task can be '" + verb + "'");
    const auto d = decided(decide(queue_, known->second, task_named(name), now_));
    if (d.refusal != core::errc::none)
      return refused(d.refusal);
    return verb + (d.answer ? ", taken from " + d.answer->worker : "")
           + (d.changes.empty() ? ", as it was" : "");
  }

  std::string steer_queue(word_reader& words, const std::string& type) {
    const bool paused = words.take("is paused");
    if (!paused)
      words.expect("is resumed");
    const auto d = decided(decide(queue_, core::pause_queue{paused, type}, now_));
    return std::string{paused ? "paused" : "resumed"} + (d.changes.empty() ? ", as it was" : "");
  }

  std::string redrive(const std::string& name) {
    const auto found = mirror_.ended().find(task_named(name));
    if (found == mirror_.ended().end())
      throw bad_line(name + " is not finished");
    const auto past = found->second;
    const auto d = decided(
        decide(queue_, core::redrive_task{past.spec, past.progress, past.last_token}, now_));
    return told(d.answer.refusal, d.changes, "live again");
  }

  std::string look(const std::string& name) {
    const auto found = queue_.tasks.find(task_named(name));
    if (found == queue_.tasks.end())
      return ending_of(task_named(name));
    const auto& t = found->second;
    return t.progress.state + ", " + std::to_string(t.progress.attempts) + " failed, "
           + std::to_string(t.progress.crashes) + " crashed, "
           + (t.held() != nullptr ? "held by " + t.held()->owner
              : t.progress.paused ? "paused"
                                  : "due at " + describe(t.progress.next_action));
  }

  static core::task_update update(word_reader& words) {
    core::task_update changed;
    if (words.take("to"))
      changed.state = words.word("a state");
    if (words.take("with"))
      changed.data = "\"" + words.word("data") + "\"";
    return changed;
  }

  core::instant lease_of(const core::task_id& id) const {
    const auto found = queue_.tasks.find(id);
    return found == queue_.tasks.end() || found->second.held() == nullptr
               ? core::instant{}
               : found->second.held()->expires_at;
  }

  std::string ending_of(const core::task_id& id) const {
    const auto found = mirror_.ended().find(id);
    return found == mirror_.ended().end() ? "unknown"
                                          : std::string{to_string(found->second.ending)};
  }

  /// Tasks whose leases were lost, each with what has become of it.
  std::string lost(const std::vector<core::lost_lease>& leases) const {
    std::set<std::string> tasks;
    for (const auto& l : leases)
      tasks.insert(names_.at(l.task) + " lost by " + nickname_of(l.worker)
                   + (queue_.tasks.count(l.task) != 0 ? "" : " and " + ending_of(l.task)));
    std::string text;
    for (const auto& task : tasks)
      text += (text.empty() ? "" : ", ") + task;
    return text.empty() ? "nothing lost" : text;
  }

  const std::string& nickname_of(const core::worker_id& worker) const {
    const auto known = nicknames_.find(worker);
    return known == nicknames_.end() ? worker : known->second;
  }

  static std::string refused(core::errc why) { return "refused " + std::string{to_string(why)}; }

  /// D29: what comes too late is recorded.
  static std::string told(core::errc refusal, const core::change& changes,
                          const std::string& otherwise) {
    if (refusal == core::errc::none)
      return otherwise;
    return refused(refusal) + (changes.empty() ? "" : ", recorded");
  }

  /// What holds for every decision, whatever the scenario is about.
  template <class Answer>
  core::decision<Answer> decided(core::decision<Answer> d) {
    if (d.refusal != core::errc::none && !d.changes.empty())
      throw broken_rule("a refusal writes something:\n" + describe(d.changes));
    mirror_.apply(d.changes);
    if (const auto difference = mirror_.difference(queue_); !difference.empty())
      throw broken_rule("the changes tell another story than the queue: " + difference);
    if (const auto disagreement = queue_mirror::disagreement(queue_); !disagreement.empty())
      throw broken_rule("the queue is not in order: " + disagreement);
    told_ += events_of(d.changes);
    return d;
  }

  void load() { queue_ = mirror_.load(policy_); }

  core::queue_policy policy_;
  std::string told_; ///< The events of the present command.
  queue_mirror mirror_{"work"};
  core::queue queue_;
  core::instant now_;
  std::map<std::string, core::task_id> ids_;
  std::map<core::task_id, std::string> names_;
  std::map<core::worker_id, core::assignment_id> claims_;
  std::map<core::worker_id, std::string> nicknames_;
  std::map<std::string, core::incarnation_id> processes_; ///< Of nodes that live.
  std::uint64_t claim_count_ = 0;
  std::uint64_t process_count_ = 0;
};

} // namespace holdfast::test
