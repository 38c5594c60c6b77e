// The part of `memory_store` that is about what quality control of a step goes on from.

#include "persistence/memory_store.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace holdfast::persistence {

namespace {

using unit_rule = std::function<bool(const core::unit_id&)>;

/// Reads the units of one step into its history, without the work of those for which `lost` holds.
class history_reader {
public:
  history_reader(const memory::tables& t, core::step_id step, const unit_rule& lost)
      : t_(t), step_(step), lost_(lost) {
    const auto [begin, end] = memory::rows_of(t_.units_by_ordinal, step_);
    for (auto entry = begin; entry != end; ++entry)
      add(t_.units.at(entry->second));
  }

  bool is_whole() const { return left_out_.empty(); }

  core::step_history read(core::history_scope scope) {
    core::step_history history;
    const auto [begin, end] = memory::rows_of(t_.standings, step_);
    for (auto row = begin; row != end; ++row)
      history.standings.push_back({row->first.second, row->second.standing, row->second.reason,
                                   row->second.at, row->second.by_removal});
    for (auto flag = t_.flags.lower_bound({step_, {}, {}});
         flag != t_.flags.end() && flag->second.step == step_; ++flag)
      history.flags.push_back({flag->second.contributor, flag->second.what});
    for (const auto& [contributor, unit] : unsettled_)
      history.unsettled_units.push_back({contributor, unit});
    for (const auto& [contributor, unit] : reinstatable_)
      history.reinstatable_units.push_back({contributor, unit});
    if (scope.tests)
      read_tests(history);
    if (scope.votes) {
      for (const auto* made : in_order(votes_))
        history.votes.push_back({made->owner, made->unit, made->answer});
      for (const auto& [unit, answer] : overridden_)
        history.overridden.push_back({unit, answer});
    }
    if (scope.judged) {
      history.judged.emplace();
      for (const auto& [contributor, units] : judged_)
        history.judged->push_back({contributor, units});
    }
    using row = core::step_history::unreadable::row;
    for (const auto* unit : left_out_)
      history.damage.push_back({scope.tests && is_question(*unit) ? row::question : row::work,
                                {},
                                unit->made.id,
                                memory::row_is_damaged});
    return history;
  }

  std::vector<core::step_history::worked> grants(const core::contributor_id& after,
                                                 std::uint32_t limit) const {
    std::vector<core::step_history::worked> found;
    for (auto at = grants_.upper_bound(after); at != grants_.end() && found.size() < limit; ++at)
      found.push_back({at->first, at->second});
    return found;
  }

private:
  using judgments = std::vector<const core::insert_judgment*>;
  using pairs = std::set<std::pair<core::contributor_id, core::unit_id>>;

  static bool is_question(const memory::unit_row& unit) { return !unit.made.truth.empty(); }

  void add(const memory::unit_row& unit) {
    const auto& id = unit.made.id;
    if (is_question(unit))
      questions_.push_back({id, unit.made.ordinal, unit.made.truth,
                            unit.state == core::unit_state::judgable, unit.forgiven_at.has_value(),
                            unit.forgiving_changed});
    if (lost_ && lost_(id)) {
      left_out_.push_back(&unit);
      return;
    }
    if (unit.overridden && unit.state == core::unit_state::finalized)
      add_overridden(id);
    const auto [first_lease, last_lease] = memory::rows_of(t_.active_leases, id);
    for (auto row = first_lease; row != last_lease; ++row) {
      add_grant(unit, row->second.owner);
      add_if_unsettled(unit, row->second.owner);
    }
    const auto [first_ended, last_ended] = memory::rows_of(t_.ended_leases, id);
    for (auto row = first_ended; row != last_ended; ++row)
      add_grant(unit, row->second.lease.owner);
    const auto [first_judgment, last_judgment] = memory::rows_of(t_.judgments, id);
    for (auto row = first_judgment; row != last_judgment; ++row)
      add_judgment(unit, row->second);
  }

  void add_overridden(const core::unit_id& unit) {
    const auto [first, last] = memory::rows_of(t_.corrections, unit);
    for (auto row = first; row != last; ++row)
      if (row->second.kind == core::correction_kind::overridden)
        overridden_[unit] = row->second.answer; // the last counts
  }

  void add_grant(const memory::unit_row& unit, const core::contributor_id& contributor) {
    ++grants_[contributor];
    if (is_question(unit))
      asked_.insert({contributor, unit.made.id});
  }

  void add_judgment(const memory::unit_row& unit, const memory::judgment_row& judgment) {
    const auto& made = judgment.made;
    add_grant(unit, made.owner);
    if (is_question(unit) && made.test_correct) {
      answered_.push_back(&made);
      if (unit.forgiving_changed)
        concerned_.insert(made.owner);
    }
    if (!is_question(unit))
      ++judged_[made.owner];
    if (!is_question(unit) && unit.state < core::unit_state::finalized)
      in_open_units_.emplace(std::make_pair(made.owner, unit.made.id), &made);
    if (judgment.tainted_at) {
      if (!judgment.taint_requested
          && is_open_for(unit, made.owner, core::contributor_standing::working))
        reinstatable_.insert({made.owner, unit.made.id});
      return;
    }
    votes_.push_back(&made);
    if (!is_question(unit))
      add_if_unsettled(unit, made.owner);
  }

  void add_if_unsettled(const memory::unit_row& unit, const core::contributor_id& contributor) {
    if (is_open_for(unit, contributor, core::contributor_standing::removed))
      unsettled_.insert({contributor, unit.made.id});
  }

  /// Whether the unit is open and it was ever written down that the contributor stands so.
  bool is_open_for(const memory::unit_row& unit, const core::contributor_id& contributor,
                   core::contributor_standing standing) const {
    const auto row = t_.standings.find({step_, contributor});
    return row != t_.standings.end() && row->second.standing == standing
           && unit.state < core::unit_state::finalized;
  }

  void read_tests(core::step_history& history) {
    history.questions = questions_;
    for (const auto& [contributor, count] : grants_)
      history.contributors.push_back({contributor, count});
    auto unanswered = asked_;
    for (const auto* made : in_order(answered_)) {
      history.asked_questions.push_back(
          {made->owner, made->unit, made->test_correct, {made->submitted_at, made->id}});
      unanswered.erase({made->owner, made->unit});
    }
    for (const auto& [contributor, unit] : unanswered)
      history.asked_questions.push_back({contributor, unit, std::nullopt});
    for (const auto& [key, made] : in_open_units_)
      if (concerned_.count(key.first) != 0)
        history.trusted_judgments.push_back({made->owner,
                                             made->unit,
                                             {made->submitted_at, made->id},
                                             {made->trust_snapshot, made->trust_questions}});
  }

  /// By time of submission, those of one instant by id.
  static judgments in_order(judgments made) {
    std::sort(made.begin(), made.end(), [](const auto* a, const auto* b) {
      return std::tie(a->submitted_at, a->id) < std::tie(b->submitted_at, b->id);
    });
    return made;
  }

  const memory::tables& t_;
  core::step_id step_;
  const unit_rule& lost_;
  std::vector<const memory::unit_row*> left_out_;
  std::vector<core::step_history::question> questions_;
  std::map<core::contributor_id, std::uint64_t> grants_;
  std::map<core::contributor_id, std::uint32_t> judged_; ///< Units that are no test questions.
  pairs asked_;        ///< Who has or had which test question, or judged it.
  judgments answered_; ///< Of test questions, with a verdict.
  judgments votes_;    ///< What is not tainted.
  std::map<core::unit_id, std::string> overridden_;
  pairs unsettled_;
  pairs reinstatable_;
  std::set<core::contributor_id> concerned_; ///< By what was forgiven or counted again.
  std::map<pairs::value_type, const core::insert_judgment*> in_open_units_;
};

template <class Row, class Rule>
void erase_if(std::vector<Row>& rows, const Rule& rule) {
  rows.erase(std::remove_if(rows.begin(), rows.end(), rule), rows.end());
}

void leave_out_damaged(core::step_history& history,
                       const std::function<bool(const core::step_history::unreadable&)>& rule) {
  using row = core::step_history::unreadable::row;
  const auto is_damaged = [&](row what, const core::contributor_id& contributor,
                              const core::unit_id& unit) {
    core::step_history::unreadable one{what, contributor, unit, {}};
    if (!rule(one))
      return false;
    one.why = "invalid page in block 7";
    history.damage.push_back(std::move(one));
    return true;
  };
  std::set<core::contributor_id> unknown;
  erase_if(history.standings, [&](const auto& standing) {
    return is_damaged(row::standing, standing.contributor, {})
           && unknown.insert(standing.contributor).second;
  });
  const auto is_of_unknown = [&](const auto& one) { return unknown.count(one.contributor) != 0; };
  erase_if(history.unsettled_units, is_of_unknown);
  erase_if(history.reinstatable_units, is_of_unknown);
  erase_if(history.flags,
           [&](const auto& flag) { return is_damaged(row::flag, flag.contributor, {}); });
  for (auto& question : history.questions)
    if (is_damaged(row::question, {}, question.unit))
      question.truth.clear();
  erase_if(history.votes,
           [&](const auto& vote) { return is_damaged(row::vote, vote.contributor, vote.unit); });
}

} // namespace

core::outcome<core::step_history> memory_store::load_step_history(core::step_id step,
                                                                  core::history_scope scope) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  history_reader reader{database_->tables_, step, database_->damaged_parts_};
  if (!reader.is_whole())
    return core::failure{core::errc::damaged, memory::row_is_damaged};
  return reader.read(scope);
}

core::outcome<core::step_history>
memory_store::load_readable_step_history(core::step_id step, core::history_scope scope) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  auto history = history_reader{database_->tables_, step, database_->damaged_parts_}.read(scope);
  if (database_->damaged_history_)
    leave_out_damaged(history, database_->damaged_history_);
  return history;
}

core::outcome<std::vector<core::step_history::worked>>
memory_store::load_grants(core::step_id step, const core::contributor_id& after,
                          std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  return history_reader{database_->tables_, step, database_->damaged_parts_}.grants(after, limit);
}

} // namespace holdfast::persistence
