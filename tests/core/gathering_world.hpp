#pragma once

#include "core/gathering.hpp"
#include "core/step.hpp"
#include "tests/core/scenario_worlds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::test {

/// One step that gathers, with the units that wait in it and their batches.
class gathering_world : public world {
public:
  explicit gathering_world(word_reader& words) {
    step_.row.id = numbered<core::step_id>(7);
    stored_ = step_.row;
    read_policy(1, words);
  }

  bool given(word_reader& words) override {
    if (!words.take("version"))
      return false;
    const auto version = static_cast<std::uint32_t>(words.number("a version"));
    words.expect("gathers");
    read_policy(version, words);
    return true;
  }

  std::string carry_out(word_reader& words, core::instant now) override {
    now_ = now;
    auto text = decided(words);
    check_stored();
    return text;
  }

private:
  std::string decided(word_reader& words) {
    if (words.take("the step gathers"))
      return gather_all();
    if (words.take("the step is sealed"))
      return told(seal(step_, now_));
    if (words.take("the step is canceled"))
      return told(decide(step_, core::unit_verb::cancel, now_));
    if (words.take("the step has"))
      return describe(step_.row);
    if (words.take("the batch of"))
      return put_off(words);
    if (words.take("time passes")) {
      units_.wake(now_);
      return waiting();
    }
    const auto name = words.word("a unit or a batch");
    if (words.take("arrives"))
      return arrive(name, words);
    if (words.take("finishes"))
      return finish(name);
    words.expect("is withdrawn");
    return withdraw(name);
  }

  /// A unit that came in.
  struct member {
    core::unit_record unit;
    std::uint64_t bytes = 0;
    std::string batch; ///< Empty while it waits.
  };

  /// A batch that was made.
  struct made_batch {
    core::unit_record unit;
    std::vector<std::string> members;
  };

  void read_policy(std::uint32_t version, word_reader& words) {
    auto& policy = policies_[version];
    if (words.take("lists")) {
      policy.by = core::gather_by::list;
      return;
    }
    policy.size = static_cast<std::uint32_t>(words.number("how many units become one"));
    words.expect("units");
  }

  std::string arrive(const std::string& name, word_reader& words) {
    core::source_item item;
    std::uint64_t bytes = 0;
    item.key = name;
    item.input = "{}";
    item.slots = 3;
    item.parent = {ids_.next(now_)};
    item.root = item.parent;
    item.gathered = true;
    while (!words.done()) {
      if (words.take("under version")) {
        item.version = static_cast<std::uint32_t>(words.number("a version"));
      } else if (words.take("as item")) {
        item.list.part = static_cast<std::uint32_t>(words.number("a place in the list")) - 1;
        words.expect("of");
        item.list.size = static_cast<std::uint32_t>(words.number("how long the list is"));
        words.expect("of");
        item.list.of = list_named(words.word("a list"));
      } else if (words.take("not for")) {
        item.excluded.push_back(words.word("a contributor"));
      } else if (words.take("with")) {
        bytes = words.number("how many bytes");
        words.expect("bytes");
      } else {
        throw bad_line("a unit arrives 'under version', 'as item', 'not for' or 'with … bytes'");
      }
    }
    auto d = add_units(step_, {std::move(item)}, ids_, now_);
    if (d.refusal != core::errc::none)
      return refused(d);
    if (std::any_of(d.changes.events.begin(), d.changes.events.end(), [](const core::event& e) {
          return e.type == core::event_type::unit_ready_for_assignment;
        }))
      throw broken_rule("a unit that waits for its batch is offered to nobody");
    store(d.changes);
    members_[name] = {std::move(d.answer.units.front()), bytes, ""};
    names_[members_[name].unit.id] = name;
    wait(members_[name]);
    return waiting();
  }

  void wait(const member& m) {
    units_.add({m.unit.id, m.unit.ordinal, m.unit.version, m.unit.list, m.bytes});
  }

  std::string waiting() const {
    const auto next = units_.next_wake();
    return std::to_string(units_.waiting()) + (units_.waiting() == 1 ? " waits" : " wait")
           + (next == core::instant::max() ? "" : ", tried again at " + describe(next));
  }

  std::string gather_all() {
    std::string text;
    while (const auto due = units_.due(step_.row.sealed)) {
      std::vector<core::unit_record> records;
      std::vector<std::string> list;
      for (const auto& id : due->members) {
        list.push_back(names_.at(id));
        records.push_back(members_.at(list.back()).unit);
      }
      auto d = gather(step_, records, "{}", 3, ids_, now_);
      if (d.refusal != core::errc::none)
        return refused(d);
      store(d.changes);
      units_.remove(due->members);
      const auto name = "b" + std::to_string(batches_.size() + 1);
      for (const auto& one : list) {
        members_.at(one).batch = name;
        members_.at(one).unit.batch = d.answer.id;
      }
      text += (text.empty() ? "" : "; ") + name + " of" + listed(list) + kept_from(d.answer);
      batches_[name] = {std::move(d.answer), list};
      check_counts();
    }
    return text.empty() ? "nothing" : text;
  }

  static std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names)
      text += " " + name;
    return text;
  }

  static std::string kept_from(const core::unit& batch) {
    std::string text;
    for (const auto& bar : batch.bars)
      text += (text.empty() ? " not for " : " or ") + bar.contributor;
    return text;
  }

  std::string put_off(word_reader& words) {
    std::vector<std::string> list;
    while (!words.done() && !words.next_is("cannot be made"))
      list.push_back(words.word("a unit"));
    words.expect("cannot be made");
    const auto due = units_.due(step_.row.sealed);
    std::vector<std::string> wanted;
    if (due)
      for (const auto& id : due->members)
        wanted.push_back(names_.at(id));
    if (wanted != list)
      throw bad_line("the batch that is due is that of" + listed(wanted));
    return "tried again at " + describe(units_.put_off(due->members, "lost", now_).until);
  }

  std::string finish(const std::string& name) {
    const auto found = batches_.find(name);
    if (found == batches_.end() || found->second.unit.state != core::unit_state::judgable)
      throw bad_line(name + " is no batch that is worked on");
    found->second.unit.state = core::unit_state::finalized;
    return told(units_finished(step_, 1, now_));
  }

  /// The result that the unit was made from is taken back: so is what was made of it.
  std::string withdraw(const std::string& name) {
    const auto found = members_.find(name);
    if (found == members_.end())
      throw bad_line(name + " did not arrive");
    const auto batch = found->second.batch;
    core::gathered_together group{{}, {found->second.unit.id}};
    std::vector<std::string> others;
    if (!batch.empty()) {
      auto& made = batches_.at(batch);
      cancel(made.unit);
      group = {made.unit.id, {}};
      for (const auto& one : made.members) {
        group.units.push_back(members_.at(one).unit.id);
        if (one != name)
          others.push_back(one);
      }
    }
    const auto d = ungather(step_, {group}, {found->second.unit.id}, now_);
    store(d.changes);
    check_stored(); // what is counted behind it is another change
    units_.remove({found->second.unit.id});
    for (const auto& one : others) {
      auto& m = members_.at(one);
      m.batch.clear();
      m.unit.batch = {};
      ++m.unit.ungathered;
      wait(m);
    }
    members_.erase(found);
    count_canceled(d.changes);
    check_counts();
    return (batch.empty() ? "" : batch + " is taken apart, ") + waiting();
  }

  /// A batch is withdrawn like any unit, finished or not.
  void cancel(core::unit_record& batch) {
    core::withdraw command;
    if (batch.state == core::unit_state::finalized)
      command.was = core::withdraw::finished{batch.reopened, "{}", core::no_route};
    const auto d = decide(batch, {}, {}, command, now_);
    if (d.refusal != core::errc::none || !d.answer)
      throw broken_rule("what is gathered anew is withdrawn first");
    count_canceled(d.changes);
  }

  /// A step counts what is canceled when it hears of it.
  void count_canceled(const core::change& changes) {
    for (const auto& e : changes.events)
      if (e.type == core::event_type::unit_canceled)
        store(units_finished(step_, 1, now_).changes);
  }

  /// I-6: a batch is done or worked on; what is gathered into one is done; what waits is not.
  void check_counts() const {
    std::uint64_t open = 0;
    for (const auto& [name, one] : batches_)
      open += one.unit.state == core::unit_state::judgable ? 1 : 0;
    for (const auto& [name, one] : members_)
      open += one.batch.empty() ? 1 : 0;
    if (step_.row.total_units - step_.row.completed_units != open)
      throw broken_rule("I-6: " + std::to_string(open) + " units are not done, but the step says "
                        + describe(step_.row));
  }

  template <class Answer>
  static std::string refused(const core::decision<Answer>& d) {
    return d.changes.empty() ? "refused " + std::string{to_string(d.refusal)}
                             : throw broken_rule("a refusal writes something");
  }

  template <class Answer>
  std::string told(const core::decision<Answer>& d) {
    store(d.changes);
    return d.refusal != core::errc::none ? refused(d) : describe(step_.row);
  }

  void store(const core::change& changes) {
    for (const auto& write : changes.writes)
      if (const auto* row = std::get_if<core::update_step>(&write))
        stored_ = row->row;
  }

  void check_stored() const {
    if (describe(stored_) != describe(step_.row))
      throw broken_rule("a restart would find the step " + describe(stored_) + ", not "
                        + describe(step_.row));
  }

  core::unit_id list_named(const std::string& name) {
    return lists_.emplace(name, numbered<core::unit_id>(1000 + lists_.size())).first->second;
  }

  core::step step_;
  core::step_row stored_;
  core::uuid_source ids_{1};
  core::instant now_;
  std::map<std::uint32_t, core::gather_policy> policies_; ///< By version.
  core::gathering units_{[this](std::uint32_t version) {
    const auto found = policies_.find(version);
    return found == policies_.end() ? nullptr : &found->second;
  }};
  std::map<std::string, member> members_;
  std::map<std::string, made_batch> batches_;
  std::map<std::string, core::unit_id> lists_;
  std::map<core::unit_id, std::string> names_;
};

} // namespace holdfast::test
