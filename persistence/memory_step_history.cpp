// The part of `memory_store` that is about what quality control of a step goes on from.

#include "persistence/memory_store.hpp"

#include <algorithm>
#include <tuple>

namespace holdfast::persistence {

namespace {

/// Reads the units of one step into its history.
class history_reader {
public:
  history_reader(const memory::tables& t, core::step_id step) : t_(t), step_(step) {}

  core::step_history read(core::history_scope scope) {
    const auto [first, last] = memory::rows_of(t_.standings, step_);
    for (auto row = first; row != last; ++row)
      history_.standings.push_back({row->first.second, row->second.standing, row->second.reason});
    const auto [begin, end] = memory::rows_of(t_.units_by_ordinal, step_);
    for (auto entry = begin; entry != end; ++entry)
      add(t_.units.at(entry->second));
    if (scope.tests) {
      for (const auto& [contributor, count] : grants_)
        history_.contributors.push_back({contributor, count});
      add_asked();
    } else {
      history_.questions.clear();
    }
    for (const auto& [contributor, unit] : unsettled_)
      history_.unsettled_units.push_back({contributor, unit});
    if (scope.votes)
      add_votes();
    return std::move(history_);
  }

private:
  using judgments = std::vector<const memory::judgment_row*>;

  void add(const memory::unit_row& row) {
    const auto& made = row.made;
    const bool open = row.state < core::unit_state::finalized;
    if (!made.truth.empty())
      history_.questions.push_back(
          {made.id, made.ordinal, made.truth, row.state == core::unit_state::judgable});
    const auto granted = [&](const core::contributor_id& contributor) {
      ++grants_[contributor];
      if (!made.truth.empty())
        asked_.insert({contributor, made.id});
    };
    const auto [first_lease, last_lease] = memory::rows_of(t_.active_leases, made.id);
    for (auto lease = first_lease; lease != last_lease; ++lease) {
      granted(lease->second.owner);
      if (open && is_removed(lease->second.owner))
        unsettled_.insert({lease->second.owner, made.id});
    }
    const auto [first_ended, last_ended] = memory::rows_of(t_.ended_leases, made.id);
    for (auto ended = first_ended; ended != last_ended; ++ended)
      granted(ended->second.lease.owner);
    const auto [first_judged, last_judged] = memory::rows_of(t_.judgments, made.id);
    for (auto judged = first_judged; judged != last_judged; ++judged) {
      const auto& judgment = judged->second;
      granted(judgment.made.owner);
      if (judgment.made.test_correct)
        answered_.push_back(&judgment);
      if (!judgment.tainted_at) {
        votes_.push_back(&judgment);
        if (made.truth.empty() && open && is_removed(judgment.made.owner))
          unsettled_.insert({judgment.made.owner, made.id});
      }
    }
  }

  bool is_removed(const core::contributor_id& contributor) const {
    const auto row = t_.standings.find({step_, contributor});
    return row != t_.standings.end() && row->second.standing == core::contributor_standing::removed;
  }

  static void order_by_submission(judgments& rows) {
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) {
      return std::tie(a->made.submitted_at, a->made.id)
             < std::tie(b->made.submitted_at, b->made.id);
    });
  }

  void add_asked() {
    order_by_submission(answered_);
    for (const auto* judgment : answered_) {
      const auto& made = judgment->made;
      history_.asked_questions.push_back({made.owner, made.unit, made.test_correct});
      asked_.erase({made.owner, made.unit});
    }
    for (const auto& [contributor, unit] : asked_)
      history_.asked_questions.push_back({contributor, unit, std::nullopt});
  }

  void add_votes() {
    order_by_submission(votes_);
    for (const auto* judgment : votes_)
      history_.votes.push_back({judgment->made.owner, judgment->made.unit, judgment->made.answer});
  }

  const memory::tables& t_;
  core::step_id step_;
  core::step_history history_;
  std::map<core::contributor_id, std::uint64_t> grants_;
  std::set<std::pair<core::contributor_id, core::unit_id>> asked_;
  judgments answered_;
  std::set<std::pair<core::contributor_id, core::unit_id>> unsettled_;
  judgments votes_;
};

} // namespace

core::outcome<core::step_history> memory_store::load_step_history(core::step_id step,
                                                                  core::history_scope scope) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  return history_reader{database_->tables_, step}.read(scope);
}

} // namespace holdfast::persistence
