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

incremental::incremental(std::uint32_t labels)
    : labels_(labels), label_sums_(labels, 0.0), factors_(labels), product_(labels) {
  HOLDFAST_INVARIANT(labels > 0, "a step has labels");
}

double* incremental::cells_of(std::uint32_t contributor) {
  const std::size_t each = (labels_ + std::size_t{1}) * labels_;
  const auto needed = (contributor + std::size_t{1}) * each;
  if (cells_.size() < needed)
    cells_.resize(needed, 0.0);
  return cells_.data() + contributor * each;
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
    auto* cells = cells_of(one.contributor);
    auto* given = cells + std::size_t{one.label} * labels_;
    auto* sums = cells + std::size_t{labels_} * labels_;
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
    const auto* cells = cells_of(one.contributor);
    const auto* given = cells + std::size_t{one.label} * labels_;
    const auto* sums = cells + std::size_t{labels_} * labels_;
    const auto of_row = prior_cell * labels_ + prior_diagonal;
    for (std::uint32_t k = 0; k < labels_; ++k)
      factors_[k] =
          (given[k] + prior_cell + (k == one.label ? prior_diagonal : 0)) / (sums[k] + of_row);
    product_.multiply(factors_.data());
  }
  product_.finish(unit.shares.data());
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
  std::fill(cells_.begin(), cells_.end(), 0.0);
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
