#include "core/quality/incremental.hpp"

#include "core/invariant.hpp"
#include "core/quality/dawid_skene.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

namespace {

/// Shares are counted in multiples of this. Sums of multiples of 2^-30 below 2^23 are exact in a
/// double, so what is taken out is what was put in, and nothing drifts however long a step lives.
constexpr double grain = 1.0 / (1 << 30);

double grained(double share) { return std::nearbyint(share / grain) * grain; }

} // namespace

incremental::incremental(std::uint32_t labels, std::size_t cells_max)
    : labels_(labels),
      rows_left_(cells_max / std::max(labels, 1U)),
      rows_max_(rows_left_),
      no_counts_(labels, 0.0),
      label_sums_(labels, 0.0),
      factors_(labels),
      product_(labels) {
  HOLDFAST_INVARIANT(labels > 0, "a step has labels");
}

std::size_t incremental::row_of(const confusion& of, std::uint32_t label) {
  const auto found = std::find(of.given.begin(), of.given.end(), label);
  return found == of.given.end() ? 0 : static_cast<std::size_t>(found - of.given.begin()) + 1;
}

std::size_t incremental::reach(const vote& given) {
  if (confusions_.size() <= given.contributor)
    confusions_.resize(given.contributor + std::size_t{1});
  auto& of = confusions_[given.contributor];
  if (const auto row = row_of(of, given.label); row > 0 || rows_left_ == 0)
    return row;
  --rows_left_;
  of.given.push_back(given.label);
  // By no more than is needed: rows are added seldom, and may be long.
  const auto cells = (of.given.size() + 1) * labels_;
  of.rows.reserve(cells);
  of.rows.resize(cells, 0.0);
  return of.given.size();
}

incremental::unit_state& incremental::reach(std::size_t unit) {
  if (units_.size() <= unit)
    units_.resize(unit + 1, {{}, std::vector<double>(labels_, 1.0 / labels_), unknown_label});
  return units_[unit];
}

void incremental::deposit(const unit_state& unit, double sign) {
  for (std::uint32_t k = 0; k < labels_; ++k)
    factors_[k] = sign * grained(unit.shares[k]);
  for (std::uint32_t k = 0; k < labels_; ++k)
    label_sums_[k] += factors_[k];
  for (const auto& one : unit.votes) {
    // Rows stay until all are made anew, and when there is no room there is none until then: what
    // is taken out here was put in.
    const auto row = reach(one);
    if (row == 0)
      continue;
    auto* sums = confusions_[one.contributor].rows.data();
    auto* given = sums + row * labels_;
    for (std::uint32_t k = 0; k < labels_; ++k) {
      given[k] += factors_[k];
      sums[k] += factors_[k];
    }
  }
}

void incremental::estimate(unit_state& unit) {
  if (unit.truth < labels_)
    return hold_at(unit.shares.data(), labels_, unit.truth);
  const auto units = static_cast<double>(counted_units_) + prior_label * labels_;
  for (std::uint32_t k = 0; k < labels_; ++k)
    factors_[k] = (label_sums_[k] + prior_label) / units;
  product_.begin(factors_.data());
  for (const auto& one : unit.votes) {
    const auto* sums = no_counts_.data();
    const auto* given = no_counts_.data();
    if (one.contributor < confusions_.size() && !confusions_[one.contributor].rows.empty()) {
      const auto& of = confusions_[one.contributor];
      sums = of.rows.data();
      if (const auto row = row_of(of, one.label); row > 0)
        given = sums + row * labels_;
    }
    const auto of_row = prior_cell * labels_ + prior_diagonal;
    for (std::uint32_t k = 0; k < labels_; ++k)
      factors_[k] =
          (given[k] + prior_cell + (k == one.label ? prior_diagonal : 0)) / (sums[k] + of_row);
    product_.multiply(factors_.data());
  }
  product_.finish(unit.shares.data());
  even_out_ties(unit.shares.data(), labels_);
}

void incremental::take_out(const unit_state& unit) {
  if (unit.votes.empty())
    return;
  deposit(unit, -1);
  --counted_units_;
}

void incremental::put_back(const unit_state& unit) {
  if (unit.votes.empty())
    return;
  deposit(unit, 1);
  ++counted_units_;
}

bool incremental::add(std::size_t unit, const vote& given) {
  HOLDFAST_INVARIANT(given.label < labels_, "the step knows its labels");
  auto& state = reach(unit);
  if (std::any_of(state.votes.begin(), state.votes.end(),
                  [&](const vote& one) { return one.contributor == given.contributor; }))
    return false;
  take_out(state);
  state.votes.push_back(given);
  estimate(state);
  put_back(state);
  return true;
}

bool incremental::withdraw(std::size_t unit, std::uint32_t contributor) {
  auto& state = reach(unit);
  const auto found = std::find_if(state.votes.begin(), state.votes.end(),
                                  [&](const vote& one) { return one.contributor == contributor; });
  if (found == state.votes.end())
    return false;
  take_out(state);
  state.votes.erase(found);
  estimate(state);
  put_back(state);
  return true;
}

void incremental::hold(std::size_t unit, std::uint32_t truth) {
  auto& state = reach(unit);
  take_out(state);
  state.truth = truth;
  estimate(state);
  put_back(state);
}

void incremental::adopt(const estimates& refitted, const std::vector<bool>& changed) {
  HOLDFAST_INVARIANT(refitted.labels == labels_ && refitted.units() <= units_.size(),
                     "the refit was made of what is recorded here");
  confusions_.clear();
  rows_left_ = rows_max_;
  std::fill(label_sums_.begin(), label_sums_.end(), 0.0);
  counted_units_ = 0;
  const auto is_changed = [&](std::size_t unit) {
    return unit >= refitted.units() || (!changed.empty() && changed[unit]);
  };
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    auto& state = units_[unit];
    if (is_changed(unit) || state.votes.empty())
      continue;
    std::copy(refitted.of(unit), refitted.of(unit) + labels_, state.shares.begin());
    put_back(state);
  }
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (is_changed(unit)) {
      estimate(units_[unit]);
      put_back(units_[unit]);
    }
}

vote_range incremental::votes(std::size_t unit) const {
  const auto& all = units_[unit].votes;
  return {all.data(), all.data() + all.size()};
}

known_labels incremental::held() const {
  known_labels truths;
  for (const auto& unit : units_)
    truths.push_back(unit.truth);
  return truths;
}

estimates incremental::found() const {
  estimates all{units_.size(), labels_};
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    std::copy(units_[unit].shares.begin(), units_[unit].shares.end(), all.of(unit));
  return all;
}

answers incremental::recorded() const {
  answers all;
  all.labels = labels_;
  for (const auto& unit : units_) {
    for (const auto& one : unit.votes) {
      all.votes.push_back(one);
      all.contributors = std::max(all.contributors, one.contributor + 1);
    }
    all.begins.push_back(all.votes.size());
  }
  return all;
}

} // namespace holdfast::core::quality
