// The memory store is the reference and the simulator's disk, so it must refuse what PostgreSQL
// refuses and read back what PostgreSQL reads back: random batches, sound and unsound, to both.

#include "tests/core/describe.hpp"
#include "tests/persistence/conformance.hpp"
#include "tests/persistence/history_text.hpp"

#include <random>
#include <set>
#include <sstream>

namespace holdfast::test {

namespace {

std::string counted(const std::optional<std::uint32_t>& count) {
  return count ? '#' + std::to_string(*count) : "-";
}

/// Makes batches over a few rows, so that they meet often.
class batch_source {
public:
  explicit batch_source(std::uint32_t seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) {
      workflows.push_back({ids_.next(at(0))});
      steps.push_back({ids_.next(at(0))});
      repairs.push_back({ids_.next(at(0))});
      webhooks.push_back({ids_.next(at(0))});
    }
    for (int i = 0; i < 8; ++i) {
      units.push_back({ids_.next(at(0))});
      tasks.push_back({ids_.next(at(0))});
    }
    for (int i = 0; i < 8; ++i)
      gathered.push_back({ids_.next(at(0))});
  }

  /// A sound beginning: everything there, nothing leased.
  std::vector<core::change> beginning() {
    core::change made;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      made.writes.push_back(core::insert_workflow{workflows[i], "w", "{}", at(0)});
      auto row = step_row();
      row.id = steps[i];
      row.workflow = workflows[i];
      row.status = core::step_status::open;
      row.completed_units = 0;
      made.writes.push_back(core::insert_step{row, at(0)});
    }
    for (std::size_t i = 0; i + 2 < units.size(); ++i) {
      core::insert_unit unit;
      unit.id = unit.root = units[i];
      unit.step = steps[i % steps.size()];
      unit.ordinal = i + 1;
      unit.source_key = "k" + std::to_string(i);
      unit.input = "{}";
      unit.created_at = at(0);
      if (i % 3 == 2)
        unit.truth = "\"x\"";
      made.writes.push_back(unit);
    }
    for (std::size_t i = 0; i + 2 < gathered.size(); ++i) {
      core::insert_unit unit;
      unit.id = unit.root = gathered[i];
      unit.step = steps[i % steps.size()];
      unit.ordinal = 20 + i;
      unit.source_key = "g" + std::to_string(i);
      unit.input = std::to_string(i * 5);
      unit.created_at = at(0);
      unit.gathered = true;
      // Some come from a unit that may become their batch.
      if (i >= steps.size()) {
        unit.parent = unit.root = units[1];
        unit.parent_reopened = static_cast<std::uint32_t>(i % 3);
      }
      made.writes.push_back(unit);
    }
    made.writes.push_back(core::put_queue{queues[0], "{}", false, {}, 1, at(0)});
    for (std::size_t i = 0; i + 2 < tasks.size(); ++i) {
      core::insert_task task;
      task.queue = queues[0];
      task.spec.id = tasks[i];
      task.spec.type = "t";
      task.spec.body = "{}";
      made.writes.push_back(task);
    }
    return {made};
  }

  /// The changes of one batch, sound or not.
  std::vector<core::change> changes() {
    std::vector<core::change> made;
    // No two changes of a batch touch the same unit or lease: each has a unit of its own.
    auto free = units;
    std::shuffle(free.begin(), free.end(), random_);
    auto free_tasks = tasks;
    std::shuffle(free_tasks.begin(), free_tasks.end(), random_);
    auto free_gathered = gathered;
    std::shuffle(free_gathered.begin(), free_gathered.end(), random_);
    const auto count = 1 + below(8) / 6;
    for (std::uint32_t i = 0; i < count; ++i) {
      core::change change;
      switch (below(25)) {
      case 0:
        change.writes.push_back(workflow_or_step());
        break;
      case 1:
        change.writes.push_back(consumer_write());
        break;
      case 2:
        change.writes.push_back(unit_write(free[i]));
        break;
      case 3:
        change.writes.push_back(unit_write(free[i]));
        add_lease_writes(change, free[i]);
        break;
      case 4:
      case 5:
      case 6:
      case 7:
      case 17:
      case 18:
        add_lease_writes(change, free[i]);
        break;
      case 8:
        if (below(20) == 0)
          change.writes.push_back(core::delete_queue{one_of(queues), when()});
        else
          change.writes.push_back(put_queue());
        break;
      case 9:
        change.writes.push_back(schedule_write());
        break;
      case 10:
        change.writes.push_back(put_standing());
        break;
      case 11:
        change.writes.push_back(put_repair());
        break;
      case 12:
        change.writes.push_back(webhook_write(i == 0));
        break;
      case 13:
        change.writes.push_back(insert_flag());
        break;
      case 14:
        change.writes.push_back(put_profile());
        if (below(4) == 0)
          change.writes.push_back(put_profile());
        break;
      case 24:
        for (auto times = 1 + below(3); times > 0; --times)
          change.writes.push_back(put_removal());
        break;
      case 19:
        change.writes.push_back(put_api_token());
        if (below(4) == 0)
          change.writes.push_back(put_api_token());
        break;
      case 23:
        change.writes.push_back(queue_action_write());
        if (below(4) == 0)
          change.writes.push_back(queue_action_write());
        break;
      case 15:
        change.writes.push_back(unit_write(free_gathered[i]));
        break;
      case 16:
        if (below(3) == 0)
          add_ungathering(change);
        else
          change.writes.push_back(gather_units());
        break;
      default:
        add_task_writes(change, free_tasks[i]);
      }
      if (below(4) == 0)
        change.writes.push_back(audit_entry());
      for (auto events = below(3); events > 0; --events)
        change.events.push_back(event());
      made.push_back(std::move(change));
    }
    return made;
  }

  std::vector<core::unit_id> all_units() const {
    auto all = units;
    all.insert(all.end(), gathered.begin(), gathered.end());
    return all;
  }

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  std::vector<core::workflow_id> workflows;
  std::vector<core::step_id> steps;
  std::vector<core::unit_id> units;
  std::vector<core::unit_id> gathered; ///< For the most part; no leases are tried on them.
  std::vector<core::task_id> tasks;
  std::vector<core::repair_id> repairs;
  std::vector<core::webhook_id> webhooks;
  const std::vector<core::queue_name> queues{"mail", "print", "No Queue"};

private:
  template <class T>
  const T& one_of(const std::vector<T>& values) {
    return values[below(static_cast<std::uint32_t>(values.size()))];
  }
  core::insert_audit audit_entry() {
    return {when(), one_of<std::string>({"admin", "token:1"}), "pause_queue",
            "queue " + one_of(queues), below(40) == 0 ? "\xff" : "paused"};
  }
  std::string contributor() { return one_of<std::string>({"ana", "bob", "cid"}); }
  core::token token() { return 1 + below(2); }
  core::instant when() { return at(below(50), below(3)); }
  core::instant later() { return below(8) == 0 ? when() : at(100 + below(50)); }

  core::step_row step_row() {
    core::step_row row;
    row.id = one_of(steps);
    row.workflow = one_of(workflows);
    row.key = one_of<std::string>({"a", "b", "c"});
    row.position = below(3);
    row.status = static_cast<core::step_status>(1 + below(4));
    row.sealed = below(2) == 0;
    row.total_units = below(3);
    row.completed_units = below(3);
    row.revision = 1 + below(3);
    row.upstreams_completed = below(2) == 0 ? below(4) : ~std::uint64_t{0};
    row.job_revision = below(3);
    row.job = static_cast<core::job_status>(1 + below(4));
    return row;
  }

  core::write_op workflow_or_step() {
    switch (below(6)) {
    case 4:
    case 5:
      return workflow_version();
    case 0:
      return core::insert_workflow{one_of(workflows), "w", "{}", when()};
    case 1:
      return core::update_step{step_row()};
    default:
      return core::insert_step{step_row(), when()};
    }
  }

  /// Near the next one, but for those that are none.
  core::insert_workflow_version workflow_version() {
    const auto version = below(10) == 0 ? one_of<std::uint32_t>({0, 32'768, 65'538}) : 1 + below(4);
    return {one_of(workflows), version, one_of<std::string>({"{}", "[]", "[2]", "\xff"}), when()};
  }

  core::write_op unit_write(core::unit_id id) {
    switch (below(12)) {
    case 9:
      return core::set_unit_input{id, one_of<std::string>({"{}", "[3]", "\"\xc3\xa4\"", "\xff"})};
    case 10:
      return core::recount_unit{id, below(4)};
    case 11:
      return core::override_unit{id,
                                 "{}",
                                 when(),
                                 static_cast<std::int16_t>(below(5) - 2),
                                 one_of<std::string>({"", "because", "\xff"}),
                                 static_cast<core::overridden_state>(below(3))};
    case 8:
      return core::withdraw_unit{id, when()};
    case 5:
      return core::set_question_forgiven{id, below(3) != 0, when()};
    case 0:
      return core::set_unit_state{id, static_cast<core::unit_state>(1 + below(5)), when()};
    case 1:
      return core::finalize_unit{id,
                                 "{}",
                                 below(5) / 4.0,
                                 when(),
                                 static_cast<std::int16_t>(below(5) - 2),
                                 one_of<std::string>({"", "because", "\xff"})};
    case 2:
      return core::set_unit_slots{id, below(4)};
    case 3:
    case 4:
      return core::reopen_unit{id, below(4), when()};
    default: {
      core::insert_unit unit;
      unit.id = unit.root = id;
      if (below(4) == 0)
        unit.parent = unit.root = one_of(units);
      unit.step = one_of(steps);
      unit.ordinal = below(12);
      unit.source_key = "k" + std::to_string(below(12));
      unit.input = one_of<std::string>({"{}", "1", "\"\xc3\xa4\"", "\xff"});
      unit.slots = 1 + below(3);
      unit.created_at = when();
      unit.truth = one_of<std::string>({"", "", "", "1", "\"\xc3\xa4\"", "\xff"});
      unit.loops = below(3);
      unit.part = unit.parent || below(20) == 0 ? below(3) : 0;
      unit.parent_reopened = unit.parent || below(20) == 0 ? below(3) : 0;
      if (below(4) == 0)
        unit.excluded.push_back(contributor());
      if (below(8) == 0)
        unit.excluded.push_back(contributor());
      unit.version = below(40) == 0 ? below(2) * 32'768 : 1 + below(3);
      if (below(3) == 0)
        unit.list = {one_of(units), 2 + below(2), below(4)};
      unit.gathered = below(4) == 0;
      return unit;
    }
    }
  }

  core::gather_units gather_units() {
    core::gather_units w{one_of(units), {one_of(gathered)}};
    if (below(3) == 0)
      w.members.push_back(one_of(gathered));
    if (below(12) == 0)
      w.members.push_back(one_of(units));
    gathered_last_ = w;
    return w;
  }

  /// For the most part of what may be a batch that is canceled by the same change.
  void add_ungathering(core::change& change) {
    core::ungather_units w{one_of(units), {one_of(gathered)}};
    if (!gathered_last_.members.empty() && below(4) != 0)
      w = {gathered_last_.batch, gathered_last_.members};
    if (below(3) != 0)
      change.writes.push_back(core::set_unit_state{w.batch, core::unit_state::canceled, when()});
    if (below(3) == 0)
      change.writes.push_back(core::withdraw_unit{w.members.front(), when()});
    change.writes.push_back(std::move(w));
  }

  /// At most one write for each contributor.
  void add_lease_writes(core::change& change, core::unit_id unit) {
    std::set<std::string> used;
    for (auto count = 1 + below(2); count > 0; --count) {
      const auto who = contributor();
      if (!used.insert(who).second)
        continue;
      switch (below(11)) {
      case 10:
        change.writes.push_back(core::set_taint_requested{unit, who, below(3) != 0});
        break;
      case 7:
        change.writes.push_back(core::insert_late_judgment{late_judgment(unit, who)});
        break;
      case 8:
        change.writes.push_back(core::insert_surplus_judgment{late_judgment(unit, who)});
        break;
      case 0:
        change.writes.push_back(core::extend_lease_row{unit, who, token(), later()});
        break;
      case 1:
        change.writes.push_back(core::end_lease_row{
            unit, who, token(), static_cast<core::lease_end>(1 + below(5)), when()});
        break;
      case 2:
        change.writes.push_back(core::insert_judgment{{ids_.next(at(0))},
                                                      unit,
                                                      who,
                                                      token(),
                                                      "{}",
                                                      "x",
                                                      below(6) / 5.0,
                                                      when(),
                                                      verdict(),
                                                      few(),
                                                      few()});
        break;
      case 3:
        change.writes.push_back(core::taint_judgment{unit, who, when()});
        break;
      case 4:
        change.writes.push_back(core::restore_judgment{unit, who});
        break;
      case 5:
        change.writes.push_back(core::set_judgment_trust{unit, who, {below(6) / 5.0, few()}});
        break;
      default:
        change.writes.push_back(
            core::insert_lease{unit, {{ids_.next(at(0))}, who, token(), when(), later()}});
      }
    }
  }

  core::insert_judgment late_judgment(core::unit_id unit, const std::string& who) {
    return {{ids_.next(at(0))}, unit,   who,       token(), "{}", "x",
            below(6) / 5.0,     when(), verdict(), few(),   few()};
  }

  std::optional<std::uint32_t> few() {
    if (below(2) == 0)
      return std::nullopt;
    return below(200) == 0 ? 3'000'000'000 : below(9);
  }

  /// Of test questions and of other units alike: the store does not compare.
  std::optional<bool> verdict() {
    const auto chosen = below(3);
    return chosen == 2 ? std::nullopt : std::optional{chosen == 1};
  }

  core::put_standing put_standing() {
    auto who = contributor();
    if (below(8) == 0)
      who.clear();
    return {one_of(steps),
            who,
            static_cast<core::contributor_standing>(1 + below(8) % 3),
            static_cast<core::standing_reason>(below(8) % 6),
            when(),
            below(2) == 0};
  }

  core::insert_flag insert_flag() {
    return {one_of(steps), below(8) == 0 ? "" : contributor(),
            static_cast<core::monitor>(below(12) % 6), below(8) == 0 ? "" : "why", when()};
  }

  core::put_profile put_profile() {
    core::put_profile w;
    w.contributor = below(12) == 0 ? "" : contributor();
    for (auto* list : {&w.profile.channels, &w.profile.skills, &w.profile.certifications})
      for (auto count = below(4); count > 0; --count)
        list->push_back(below(60) == 0 ? "\xff"
                                       : one_of<std::string>({"a", "b", "NULL", "", "\\\"", ","}));
    w.profile.location = one_of<std::string>({"", "DE", "\xc3\xa4"});
    if (below(2) == 0)
      w.profile.trust = below(6) / 4.0;
    w.at = when();
    return w;
  }

  core::put_removal put_removal() {
    core::removal row;
    row.contributor = below(30) == 0 ? "" : contributor();
    row.place = one_of<core::removal_place>(
        {core::everywhere(), core::in_step(steps[0]), core::in_workflow(core::workflow_id{})});
    if (below(60) == 0)
      row.place.scope = static_cast<core::removal_scope>(below(2) * 4);
    row.keeps_judgments = below(2) == 0;
    row.at = when();
    if (below(2) == 0)
      row.until = when();
    if (below(3) == 0)
      row.ended_at = when();
    row.reason =
        below(60) == 0 ? std::string(513, 'x') : one_of<std::string>({"", "spam", "\xc3\xa4"});
    row.by = one_of<std::string>({"", "rita"});
    return {row};
  }

  core::put_api_token put_api_token() {
    core::put_api_token w;
    auto& row = w.row;
    row.id.value.bytes.fill(static_cast<std::uint8_t>(1 + below(5)));
    row.secret_hash = below(20) == 0 ? "no hash" : std::string(64, one_of<char>({'a', '7'}));
    row.as = static_cast<core::role>(below(core::role_count));
    if (below(3) == 0)
      row.name = contributor();
    for (auto count = below(3); count > 0; --count)
      row.scope.queues.push_back(
          below(60) == 0 ? "\xff" : one_of<std::string>({"mail", "a.", "NULL", "\\\"", ","}));
    for (auto count = below(3); count > 0; --count)
      row.scope.workflows.push_back(one_of(workflows));
    row.created_by = below(30) == 0 ? std::string(257, 'x') : "ana";
    row.created_at = when();
    for (auto* at : {&row.expires_at, &row.revoked_at, &row.last_used_at})
      if (below(2) == 0)
        *at = when();
    return w;
  }

  core::put_repair put_repair() {
    core::repair_row row;
    row.id = one_of(repairs);
    row.step = one_of(steps);
    row.contributor = below(8) == 0 ? "\xff" : contributor();
    row.dry_run = below(2) == 0;
    row.through = 2 + below(3);
    row.bookmark = below(6);
    row.figures = {below(3), below(2), 0, below(2), 0, below(5), below(8) / 6};
    row.asked_at = when();
    row.changed_at = when();
    return {row};
  }

  core::write_op queue_action_write() {
    if (below(6) == 0)
      return core::forget_queue_actions{one_of(queues), below(2)};
    core::queue_action_row row;
    row.queue = one_of(queues);
    row.id = {repairs[below(2)].value};
    row.kind = static_cast<core::queue_action_kind>(1 + below(5));
    row.filter.type = below(20) == 0 ? "\xff" : "t";
    row.filter.scope = static_cast<core::queue_action_scope>(below(5));
    row.filter.created_before = when();
    row.status = static_cast<core::queue_action_status>(1 + below(4));
    row.bookmark = below(2) == 0 ? core::task_id{} : one_of(tasks);
    row.counts.changed = below(4);
    if (below(3) == 0)
      row.counts.refusals[core::errc::damaged] = 1 + below(4);
    row.asked_by = contributor();
    row.asked_at = when();
    row.changed_at = when();
    return core::put_queue_action{row};
  }

  core::put_queue put_queue() {
    core::put_queue w{one_of(queues), "{}", below(2) == 0, {}, below(4), when()};
    for (auto count = below(3); count > 0; --count)
      w.paused_types.push_back(one_of<std::string>({"t", "", "{\"}", "\xff"}));
    return w;
  }

  core::write_op schedule_write() {
    const auto& queue = one_of(queues);
    const auto name = one_of<std::string>({"daily", "hourly", "\xc3\xa4", "", "\xff"});
    if (below(4) == 0)
      return core::delete_schedule_row{queue, name};
    core::put_schedule_row w{queue, name, "{}", when(), when(), when(), below(4), when()};
    if (below(2) == 0)
      w.last_made = {};
    return w;
  }

  /// No two changes of a batch make, change or remove webhooks.
  core::write_op webhook_write(bool first) {
    const auto& id = one_of(webhooks);
    const core::message_id letter{below(3), below(4)};
    switch (first ? below(9) : 3 + below(6)) {
    case 0:
      return core::delete_webhook{id};
    case 1:
    case 2:
      return core::put_webhook{id,
                               one_of<std::string>({"a", "a", "b", "b", "B", ""}),
                               one_of<std::string>({"{}", "[]", "\xff"}),
                               below(2) == 0,
                               below(3),
                               static_cast<core::event_start>(2 + below(2)),
                               when()};
    case 3:
    case 4:
      return core::put_dead_letter{id, letter, "{}", below(2) * 500, "why", when()};
    case 5:
      return core::replay_dead_letter{id, letter};
    case 6:
      return core::delete_dead_letter{id, letter};
    default:
      return core::put_webhook_position{
          id, below(3), below(5), below(2), one_of<std::string>({"", "why"}), when()};
    }
  }

  core::task_progress progress() {
    core::task_progress p;
    p.state = one_of<std::string>({"new", "later", "last", "\xc3\xa4"});
    if (below(20) == 0)
      p.state.clear();
    p.data = one_of<std::string>({"{}", "{}", "[1]", "\"\xc3\xa4\""});
    p.percent = below(20) == 0 ? 101 : below(101);
    p.attempts = below(3);
    p.next_action = when();
    p.last_change = when();
    p.last_action = when();
    p.paused = below(2) == 0;
    p.failures = p.attempts + 1;
    p.saved_under = p.percent % 3;
    p.saved_number = p.percent % 7;
    p.pauses = p.percent % 5;
    p.idle_releases = p.percent % 4;
    return p;
  }

  core::insert_task insert_task(core::task_id id) {
    core::insert_task w;
    w.queue = one_of(queues);
    w.spec.id = id;
    w.spec.type = one_of<std::string>({"t", "t", "t", "u", "u", ""});
    w.spec.body = one_of<std::string>({"{}", "{}", "1", "1", "1", "\xff"});
    w.spec.priority = static_cast<std::int16_t>(below(3)) - 1;
    w.spec.unique_key = one_of<std::string>({"", "once", "twice"});
    w.spec.created_at = when();
    w.progress = progress();
    return w;
  }

  core::task_error error() {
    return {one_of<std::string>({"", "GONE", "LATE"}), one_of<std::string>({"", "why"})};
  }

  /// At most one write of its row and one of its lease.
  void add_task_writes(core::change& change, core::task_id id) {
    switch (below(9)) {
    case 0:
    case 1:
      change.writes.push_back(insert_task(id));
      break;
    case 2:
      change.writes.push_back(core::update_task{id, progress()});
      break;
    case 3:
    case 4:
    case 5:
      change.writes.push_back(core::finish_task{
          id, below(3), static_cast<core::task_ending>(1 + below(4)),
          one_of<std::string>({"", "", "{}"}), below(2) == 0 ? error() : core::task_error{},
          progress(), one_of<std::string>({"", "once"}), when()});
      break;
    case 6:
      change.writes.push_back(core::revive_task{id, progress(), {}});
      break;
    default:
      break;
    }
    switch (below(8)) {
    case 0:
      change.writes.push_back(core::extend_task_lease{id, token(), later()});
      break;
    case 1:
      change.writes.push_back(core::end_task_lease{
          id, 1 + below(4), static_cast<core::attempt_ending>(1 + below(7)), error(), when()});
      break;
    case 2:
      change.writes.push_back(
          core::insert_late_result{id, token(), contributor(), "completed", "{}", when()});
      break;
    case 3:
    case 4:
      change.writes.push_back(core::insert_task_lease{
          id, {{ids_.next(at(0))}, contributor(), 1 + below(4), when(), later()}});
      break;
    default:
      break;
    }
  }

  core::write_op consumer_write() {
    const auto consumer = one_of<std::string>({"x", "y"});
    if (below(2) == 0)
      return core::insert_inbox{consumer, {below(2), below(6)}};
    return core::advance_cursor{consumer, below(2), below(20)};
  }

  core::event event() {
    if (below(4) == 0)
      return {
          one_of<core::event_type>({core::event_type::task_completed, core::event_type::task_failed,
                                    core::event_type::task_dead, core::event_type::task_canceled}),
          {},
          {},
          {},
          when(),
          R"({"task_type":"mail","error_code":"\"GONE\""})",
          one_of<std::string>({"mail", "a-b.c_1"}),
          {ids_.next(at(0))}};
    return {one_of<core::event_type>(
                {core::event_type::unit_ready_for_assignment, core::event_type::judgment_received,
                 core::event_type::unit_finalized, core::event_type::unit_canceled,
                 core::event_type::job_step_updated, core::event_type::test_judgment,
                 core::event_type::contributor_flagged, core::event_type::unit_task_ended,
                 core::event_type::unit_reopened, core::event_type::unit_withdrawn}),
            one_of(steps),
            one_of(units),
            {},
            when(),
            below(2) == 0 ? std::string{} : R"({"b":1,"a":[true,null,"\u0001"]})"};
  }

  std::mt19937 random_;
  core::gather_units gathered_last_; ///< Whether or not that was done.
  core::uuid_source ids_{99};
};

std::string text_of(const core::lease& l) {
  std::ostringstream out;
  out << " lease " << to_string(l.id) << l.owner << l.token << ' ' << core::to_micros(l.granted_at)
      << ' ' << core::to_micros(l.expires_at);
  return out.str();
}

std::string text_of(const core::task_spec& s, const core::task_progress& p) {
  std::ostringstream out;
  out << to_string(s.id) << s.type << s.body << s.priority << s.unique_key
      << core::to_micros(s.created_at) << ' ' << p.state << p.data << p.execution_state << p.percent
      << ' ' << p.attempts << p.crashes << '/' << p.failures << to_string(p.ejection)
      << p.saved_under << '.' << p.saved_number << 'p' << p.pauses << 'r' << p.idle_releases
      << p.paused << core::to_micros(p.next_action) << ' ' << core::to_micros(p.last_change) << ' '
      << core::to_micros(p.last_action);
  return out.str();
}

std::string text_of(const core::task& t) {
  return text_of(t.spec, t.progress) + " last " + std::to_string(t.leases.last_token)
         + (t.held() == nullptr ? std::string{} : text_of(*t.held())) + '\n';
}

std::string text_of(const persistence::finished_task& t) {
  std::ostringstream out;
  out << t.queue << text_of(t.spec, t.progress) << ' ' << to_string(t.ending) << t.last_token
      << t.result << t.error.code << t.error.detail << core::to_micros(t.finished_at) << '\n';
  return out.str();
}

/// Page by page, so that a page ends in the midst of what was looked at and of what was found.
void dump_listed(persistence::store& db, const persistence::task_filter& wanted,
                 std::ostream& out) {
  auto filter = wanted;
  filter.limit = 3;
  filter.looks = 7;
  for (bool more = true; more;) {
    const auto page = value_of(db.list_tasks(filter));
    for (const auto& task : page.tasks)
      out << "listed " << task.queue << text_of(task.spec, task.progress) << task.worker
          << (task.ending ? to_string(*task.ending) : "live") << task.error_code
          << core::to_micros(task.finished_at) << '\n';
    out << "to " << to_string(page.last) << page.more << '\n';
    filter.after = page.last;
    more = page.more;
  }
}

/// Everything that the port lets one read of queues and tasks, as text.
std::string dump_tasks(persistence::store& db, const batch_source& source) {
  std::ostringstream out;
  const auto put_row = [&](const core::put_queue& q) {
    out << "queue " << q.name << q.definition << q.paused << q.revision << core::to_micros(q.at);
    for (const auto& type : q.paused_types)
      out << " type " << type;
    out << '\n';
  };
  for (const auto& row : value_of(db.list_queues()))
    put_row(row);
  for (const auto& [name, definition, removed_at] : value_of(db.list_removed_queues()))
    out << "removed " << name << definition << core::to_micros(removed_at) << '\n';
  for (const auto& name : source.queues) {
    const auto loaded = db.load_queue(name);
    if (!loaded)
      continue;
    put_row(loaded->row);
    for (const auto& task : loaded->tasks)
      out << "live " << text_of(task);
    for (const auto& task : loaded->rate_limited)
      out << "rate limited " << to_string(task) << '\n';
    for (const auto& s : loaded->schedules)
      out << "schedule " << s.queue << s.name << s.definition << core::to_micros(s.created_at)
          << ' ' << core::to_micros(s.handled_until) << ' ' << core::to_micros(s.last_made) << ' '
          << s.revision << ' ' << core::to_micros(s.at) << '\n';
    core::queue_action_id last_action;
    for (bool more = true; more;) {
      more = false;
      for (const auto& row : value_of(db.list_queue_actions(name, last_action, 1))) {
        out << write_text{}(core::put_queue_action{row}) << '\n';
        last_action = row.id;
        more = true;
      }
    }
    for (const auto& row : value_of(db.running_queue_actions(name)))
      out << "runs " << to_string(row.id) << '\n';
    const auto counted = value_of(db.count_tasks(name));
    out << "counts " << counted.live << ' ' << counted.leased << ' ' << counted.completed << ' '
        << counted.failed << ' ' << counted.canceled << ' ' << counted.dead << '\n';
    for (const auto& task : value_of(db.list_finished({name, {}, {}, {}, {}, 100})))
      out << "finished " << text_of(task);
    for (const auto& task :
         value_of(db.list_finished({name,
                                    {core::task_ending::failed, core::task_ending::dead},
                                    "t",
                                    "GONE",
                                    source.tasks[1],
                                    1})))
      out << "filtered " << text_of(task);
  }
  for (const auto& id : source.tasks) {
    const auto history = db.load_task(id);
    if (!history)
      continue;
    out << "task " << history->queue
        << (history->live ? text_of(*history->live) : text_of(*history->finished));
    for (const auto& attempt : history->attempts)
      out << "attempt " << text_of(attempt.lease) << attempt.ending << attempt.error.code
          << attempt.error.detail << core::to_micros(attempt.ended_at) << '\n';
    for (const core::token after : {0, 1}) {
      const auto recorded = value_of(db.list_attempts(id, after, 2));
      out << "recorded in " << recorded.queue << '\n';
      for (const auto& [attempt, late, first_late] : recorded.attempts) {
        out << "attempt " << text_of(attempt.lease) << attempt.ending << attempt.error.code
            << attempt.error.detail << core::to_micros(attempt.ended_at) << " late " << late
            << '\n';
        for (const auto& report : first_late)
          out << report.worker << report.outcome << report.detail << core::to_micros(report.at)
              << '\n';
      }
    }
  }
  persistence::task_filter every;
  every.endings = {core::task_ending::completed, core::task_ending::failed,
                   core::task_ending::canceled, core::task_ending::dead};
  dump_listed(db, every, out);
  auto newest = every;
  newest.newest_first = true;
  dump_listed(db, newest, out);
  auto dead = every;
  dead.queue = source.queues.front();
  dead.endings = {core::task_ending::failed, core::task_ending::dead};
  dump_listed(db, dead, out);
  dead.waiting = dead.leased = false;
  dump_listed(db, dead, out);
  for (const auto& known : value_of(db.find_tasks(source.tasks)))
    out << (known.live ? "live " : "finished ") << to_string(known.task) << known.queue << '\n';
  return out.str();
}

/// Everything that the port lets one read of items, as text.
std::string dump_lineage(persistence::store& db, const batch_source& source) {
  std::ostringstream out;
  const auto when = [](const std::optional<core::instant>& time) {
    return time ? std::to_string(core::to_micros(*time)) : std::string{"-"};
  };
  for (const auto& id : source.all_units()) {
    const auto item = db.load_lineage(id, {}, 5);
    if (!item)
      continue;
    out << "item " << to_string(item->root) << " of " << to_string(id) << '\n';
    for (const auto& u : item->units) {
      out << "  " << to_string(u.id) << to_string(u.parent) << to_string(u.step) << u.source_key
          << u.input << to_string(u.state) << u.slots << ' ' << u.loops << ' ' << u.part << ' '
          << u.reopened << u.test_question << when(u.created_at) << ' ' << when(u.changed_at)
          << u.result << u.confidence << ' ' << u.route << u.route_reason << " version "
          << u.version << " batch " << to_string(u.batch);
      // Random tokens repeat, which real ones never do; then their order says nothing.
      std::multiset<std::string> entries;
      for (const auto& l : u.leases)
        entries.insert(" lease " + to_string(l.lease.id) + l.lease.owner
                       + std::to_string(l.lease.token) + ' ' + when(l.lease.granted_at) + ' '
                       + when(l.lease.expires_at) + ' '
                       + (l.ending ? std::string{to_string(*l.ending)} : "-") + when(l.ended_at));
      for (const auto& j : u.judgments)
        entries.insert(" judgment " + to_string(j.id) + j.contributor + j.payload + j.answer
                       + std::to_string(j.trust) + counted(j.trust_questions) + when(j.submitted_at)
                       + ' ' + when(j.tainted_at)
                       + (!j.test_correct   ? "-"
                          : *j.test_correct ? "r"
                                            : "w"));
      for (const auto& entry : entries)
        out << entry;
      for (const auto& contributor : u.excluded)
        out << " excluded " << contributor;
      out << '\n';
    }
  }
  return out.str();
}

/// Everything that the port lets one read of webhooks, as text.
std::string dump_webhooks(persistence::store& db, const batch_source& source) {
  std::ostringstream out;
  for (const auto& w : value_of(db.list_webhooks()))
    out << "webhook " << to_string(w.id) << w.name << w.definition << w.paused << w.revision << ' '
        << core::to_micros(w.created_at) << '\n';
  for (const auto& id : source.webhooks) {
    for (const auto& place : value_of(db.webhook_places(id)))
      out << "place " << place.shard << ' ' << place.seq << ' ' << place.newest << ' '
          << place.stopped_revision << place.reason << ' ' << place.dead_letters << '\n';
    for (const core::shard_id shard : {0, 1, 2})
      for (const auto& [made, replayed] : value_of(db.list_dead_letters({id, shard, 1, 3, false})))
        out << "letter " << made.event.shard << '-' << made.event.seq << ' ' << made.json
            << made.status << made.reason << core::to_micros(made.at) << replayed << '\n';
  }
  return out.str();
}

/// The audit log, in pages, as text.
std::string dump_audit(persistence::store& db) {
  std::ostringstream out;
  persistence::audit_filter filter;
  filter.limit = 7;
  for (bool more = true; more;) {
    const auto page = value_of(db.list_audit(filter));
    for (const auto& [number, made] : page.entries) {
      out << write_text{}(made) << '\n';
      filter.before = number;
    }
    more = page.more;
  }
  filter = {};
  filter.since = at(25);
  filter.who = "admin";
  for (const auto& [number, made] : value_of(db.list_audit(filter)).entries)
    out << "of admin " << write_text{}(made) << '\n';
  return out.str();
}

/// Everything that the port lets one read of contributors, whatever the step, as text.
std::string dump_profiles(persistence::store& db) {
  std::ostringstream out;
  for (const auto* who : {"ana", "bob", "cid", "dan"}) {
    const auto stored = value_of(db.load_profile(who));
    if (stored.changed_at)
      out << write_text{}(core::put_profile{who, stored.profile, *stored.changed_at}) << '\n';
    for (const auto& one : value_of(db.list_removals(who, 10)))
      out << write_text{}(core::put_removal{one}) << '\n';
    if (stored.tests.answered > 0)
      out << "tested " << who << ' ' << stored.tests.right << '/' << stored.tests.answered << '\n';
  }
  return out.str();
}

/// All API tokens, read in pages and one by one.
std::string dump_api_tokens(persistence::store& db) {
  std::ostringstream out;
  core::api_token_id after;
  for (;;) {
    const auto page = value_of(db.list_api_tokens(after, 2));
    for (const auto& row : page) {
      out << write_text{}(core::put_api_token{row}) << '\n';
      const auto alone = value_of(db.load_api_token(row.id));
      out << (alone ? write_text{}(core::put_api_token{*alone}) : "lost") << '\n';
    }
    if (page.size() < 2)
      return out.str();
    after = page.back().id;
  }
}

/// Everything that the port lets one read, as text.
std::string dump(persistence::store& db, const batch_source& source) {
  std::ostringstream out;
  core::lease_policy policy;
  policy.late_submit = core::late_submit::accept_if_free;
  core::lease_policy other;
  other.regrant_after = 5s;
  core::lease_policies policies{std::vector{policy, other}};
  const auto bars = [&](std::vector<core::bar> list) {
    std::sort(list.begin(), list.end(),
              [](const auto& a, const auto& b) { return a.contributor < b.contributor; });
    for (const auto& bar : list)
      out << " bar " << bar.contributor << ' ' << core::to_micros(bar.until);
  };
  const auto step_text = [&](const core::step_row& row) {
    out << "step " << to_string(row.id) << to_string(row.workflow) << row.key << row.position << ' '
        << to_string(row.status) << row.sealed << row.total_units << row.completed_units
        << row.revision << ' ' << row.upstreams_completed << " job " << row.job_revision << ' '
        << to_string(row.job) << '\n';
  };
  // Random tokens repeat, which real ones never do; then their order says nothing.
  const auto by = [](auto& list, auto key) {
    std::sort(list.begin(), list.end(),
              [&](const auto& a, const auto& b) { return key(a) < key(b); });
  };
  for (auto& u : value_of(db.load_units(source.all_units(), policies))) {
    by(u.leases.active, [](const core::lease& l) { return l.owner; });
    by(u.judgments, [](const core::judgment_mark& j) { return j.contributor; });
    out << "unit " << to_string(u.id) << to_string(u.step) << to_string(u.root)
        << to_string(u.parent) << u.ordinal << ' ' << u.source_key << u.input << u.slots
        << to_string(u.state) << u.result << u.confidence << ' ' << u.leases.last_token
        << core::to_micros(u.created_at) << " truth " << u.truth << " loops " << u.loops << " part "
        << u.part << " version " << u.version << " route " << u.route << " reopened " << u.reopened
        << " list " << to_string(u.list.of) << u.list.size << ' ' << u.list.part;
    if (u.batch)
      out << " in batch " << to_string(u.batch);
    out << " ungathered " << u.ungathered;
    if (u.state == core::unit_state::canceled && !u.result.empty())
      out << " withdrawn";
    for (const auto& l : u.leases.active)
      out << " lease " << to_string(l.id) << l.owner << l.token << ' '
          << core::to_micros(l.granted_at) << ' ' << core::to_micros(l.expires_at);
    for (const auto& j : u.judgments)
      out << " judgment " << to_string(j.id) << j.contributor << j.token << j.answer << j.trust
          << counted(j.trust_questions) << counted(j.judged_before) << ' '
          << core::to_micros(j.submitted_at) << j.tainted
          << (!j.test_correct   ? '-'
              : *j.test_correct ? 'r'
                                : 'w');
    for (const auto& l : u.lapsed)
      out << " lapsed " << l.contributor << l.token << to_string(l.surplus);
    bars(u.bars);
    out << '\n';
  }
  for (const auto& id : source.repairs)
    if (const auto row = db.find_repair(id))
      out << write_text{}(core::put_repair{*row}) << to_string(row->step) << row->dry_run
          << core::to_micros(row->asked_at) << '\n';
  for (const auto& row : value_of(db.open_repairs({})).open)
    out << "open repair " << to_string(row.id) << '\n';
  for (const auto& one : value_of(db.gathered_with(source.all_units())))
    out << "gathered " << to_string(one.unit.unit) << one.unit.ordinal << ' ' << one.unit.version
        << ' ' << one.unit.bytes << to_string(one.unit.list.of) << to_string(one.batch) << '\n';
  std::vector<core::taken_back> results;
  for (std::size_t i = 0; i < source.units.size(); ++i)
    for (std::uint32_t revision = 1; revision <= 1 + i % 3; ++revision)
      results.push_back({source.units[i], revision});
  for (const auto& step : source.steps) {
    out << "made";
    for (const auto& unit : value_of(db.made_from(step, results)))
      out << " of " << to_string(unit);
    for (const auto& unit : value_of(db.made_from(step, {results.front()})))
      out << " of one " << to_string(unit);
    out << '\n';
    const auto judged = value_of(db.find_judged(step, {"ana"}, 0, 6));
    out << "judged" << (judged.unsettled ? " and unsettled" : "");
    for (const auto& unit : judged.finalized)
      out << ' ' << to_string(unit);
    out << '\n';
    const auto survey = value_of(db.load_survey(step, 0.7, 4));
    for (const auto& [version, finished] : survey.finished)
      out << "finished under " << version << ' ' << finished.units << ' ' << finished.judgments
          << ' ' << finished.unsure << '\n';
    std::vector<std::uint64_t> payloads; // hashes differ between stores, and what is equal does not
    for (const auto& one : survey.judgments) {
      auto same = std::find(payloads.begin(), payloads.end(), one.payload);
      if (same == payloads.end())
        same = payloads.insert(same, one.payload);
      out << "surveyed " << one.contributor << ' ' << to_string(one.unit) << ' ' << one.answer
          << ' ' << one.taken.count() << " payload " << same - payloads.begin() << '\n';
    }
  }
  for (const auto& chain : value_of(db.load_chains(source.all_units()))) {
    out << "chain of " << to_string(chain.last);
    for (const auto& link : chain.links) {
      out << " unit " << to_string(link.unit) << to_string(link.step) << link.input;
      for (const auto& judge : link.judges)
        out << " judge " << judge;
    }
    out << '\n';
  }
  for (const auto& row : value_of(db.list_steps({}, 100)))
    step_text(row);
  for (const auto& after : {core::step_id{}, source.steps.front()})
    for (const auto& row : value_of(db.open_steps(after, 2))) {
      out << "open ";
      step_text(row);
    }
  for (const auto& after : {core::workflow_id{}, source.workflows.front()}) {
    const auto page = value_of(db.list_workflows(after, 2));
    for (const auto& w : page.workflows)
      out << "listed " << to_string(w.id) << w.name << core::to_micros(w.created_at) << ' '
          << w.latest << ' ' << w.open << w.paused << w.completed << w.canceled << ' '
          << w.job_revision << to_string(w.job) << page.more << '\n';
  }
  for (const auto& id : source.workflows)
    if (const auto workflow = db.load_workflow(id)) {
      for (const auto& definition : workflow->definitions)
        out << "version " << definition << '\n';
      for (const auto& row : workflow->steps)
        step_text(row);
    }
  for (const auto& id : source.steps) {
    auto step = db.load_step(id, [&](const auto& definitions, const auto& key) {
      out << "policies of " << key << " by";
      for (const auto& definition : definitions)
        out << ' ' << definition;
      out << '\n';
      return policies;
    });
    if (!step)
      continue;
    step_text(step->row);
    out << "next " << step->next_ordinal << '\n';
    for (auto& u : step->open_units) {
      by(u.holders, [](const persistence::holder& h) { return h.contributor; });
      out << "open " << to_string(u.id) << u.ordinal << to_string(u.state) << u.slots << ' '
          << u.test_question << u.judged << ' ' << core::to_micros(u.next_expiry);
      for (const auto& holder : u.holders)
        out << " holder " << holder.contributor << to_string(holder.assignment);
      bars(u.touched);
      out << '\n';
    }
    for (const auto& u : step->waiting)
      out << "waiting " << to_string(u.unit) << u.ordinal << " version " << u.version << " list "
          << to_string(u.list.of) << u.list.size << ' ' << u.list.part << " bytes " << u.bytes
          << '\n';
    const auto counted = value_of(db.statistics(id));
    out << "counts " << counted.judgable << counted.paused << counted.finalized << counted.canceled
        << ' ' << counted.judgments << ' ' << counted.active_leases << ' ' << counted.expired_leases
        << ' ' << counted.test_questions << ' ' << counted.test_judgments << '\n'
        << history_text(value_of(db.load_step_history(id, {true, true, true})))
        << history_text(value_of(db.load_step_history(id, {})));
    // Without damage the same is read by rows.
    BOOST_TEST(history_text(value_of(db.load_readable_step_history(id, {true, true, true})))
               == history_text(value_of(db.load_step_history(id, {true, true, true}))));
    const auto questions = value_of(db.list_questions(id, 1, 3));
    for (const auto& q : questions.questions)
      out << "question " << to_string(q.unit) << q.ordinal << q.source_key << q.input << q.truth
          << to_string(q.state) << q.forgiven << ' ' << q.answered << ' ' << q.right
          << questions.more << '\n';
    for (const auto* who : {"ana", "bob", "cid", "dan"}) {
      const auto seen = value_of(db.load_tests_in(who, id));
      if (seen.here.answered + seen.in_workflow.answered > 0)
        out << "tests seen " << who << ' ' << seen.here.right << '/' << seen.here.answered << ' '
            << seen.in_workflow.right << '/' << seen.in_workflow.answered << '\n';
    }
    for (const auto& one : value_of(db.load_grants(id, "a", 3)))
      out << "granted " << one.contributor << ' ' << one.assignments << '\n';
    for (const auto& r : value_of(db.list_results(id, 2, 5)).first)
      out << "result " << to_string(r.unit) << r.judgments << r.result << r.confidence << '\n';
    for (const auto& [key, unit] : value_of(db.find_source_keys(id, {"k1", "k2", "k3"})))
      out << "key " << key << to_string(unit) << '\n';
    for (const auto& one : value_of(db.find_source_units(id, {"k1", "k2", "k3"})))
      out << "input under " << one.key << to_string(one.unit) << to_string(one.input) << '\n';
  }
  for (core::shard_id shard = 0; shard < 2; ++shard) {
    for (const auto& e : value_of(db.events_after(shard, 3, 100)))
      out << "event " << e.id.shard << '-' << e.id.seq << core::to_json(e.event) << '\n';
    for (const auto* consumer : {"x", "y"}) {
      out << "cursor " << value_of(db.cursor(consumer, shard));
      for (const auto seq : value_of(db.inbox_after(consumer, shard, 1)))
        out << ' ' << seq;
      out << '\n';
    }
  }
  return out.str() + dump_profiles(db) + dump_api_tokens(db) + dump_lineage(db, source)
         + dump_tasks(db, source) + dump_webhooks(db, source) + dump_audit(db);
}

BOOST_AUTO_TEST_SUITE(store_agreement)

BOOST_AUTO_TEST_CASE(memory_and_postgres_agree_on_random_batches) {
  std::map<commit_status, int> outcomes;
  std::map<std::string, int> rows_of_histories;
  for (std::uint32_t seed = 1; seed <= 28; ++seed) {
    store_fixture<memory_world> memory;
    store_fixture<postgres_world> postgres;
    batch_source source{seed};
    for (int i = 0; i < 800; ++i) {
      const auto shard = source.below(2);
      const auto changes = i == 0 ? source.beginning() : source.changes();
      const auto expected = memory.commit({{memory.part(shard, changes)}});
      const auto actual = postgres.commit({{postgres.part(shard, changes)}});
      BOOST_REQUIRE_MESSAGE(expected.status == actual.status,
                            "seed " << seed << ", batch " << i << ": memory "
                                    << name_of(expected.status) << " (" << expected.reason
                                    << "), PostgreSQL " << name_of(actual.status) << " ("
                                    << actual.reason << ')');
      ++outcomes[actual.status];
      if (i == 0)
        BOOST_REQUIRE(actual.status == commit_status::committed);
      if (i % 20 != 19)
        continue;
      const auto read = dump(*memory.db, source);
      BOOST_REQUIRE_EQUAL(read, dump(*postgres.db, source));
      for (const auto* kind :
           {"\nquestion ",    "\nworked ",     "\nstanding ",      "\nflag ",        "\nunsettled ",
            "\nvote ",        " unanswered ",  " right ",          " wrong ",        "\nwebhook ",
            "\nplace ",       "\nletter ",     "\nversion [2]",    "\nput_profile ", "\ntested ",
            "\nput_removal ", "\ntests seen ", "\nput_api_token ", "\nopen step ",   "\nwaiting ",
            " in batch ",     "made of ",      " withdrawn"})
        rows_of_histories[kind] += read.find(kind) == std::string::npos ? 0 : 1;
    }
  }
  // Both happen often, or the test tests nothing.
  BOOST_TEST(outcomes[commit_status::committed] > 100);
  BOOST_TEST(outcomes[commit_status::refused] > 100);
  BOOST_TEST(outcomes.size() == 2U);
  for (const auto& [kind, times] : rows_of_histories)
    BOOST_TEST(times > 3, kind << times);
  BOOST_TEST_MESSAGE(outcomes[commit_status::committed]
                     << " committed, " << outcomes[commit_status::refused] << " refused");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
