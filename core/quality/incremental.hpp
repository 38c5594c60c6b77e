#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/estimates.hpp"
#include "core/quality/label_product.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::core::quality {

/// `dawid_skene` with its prior, one judgment at a time: what a live step uses. A judgment takes
/// the soft counts of its unit out of the sums, finds the unit's posterior from what the other
/// units say, and puts it in again, in time proportional to labels times judgments of the unit.
/// Source: R. Neal, G. Hinton, "A view of the EM algorithm that justifies incremental, sparse, and
/// other variants", 1998.
///
/// What it says depends on the order of judgments, a little; a refit over all of them (`recorded`,
/// `refit_of`, `adopt`) takes that away.
class incremental {
public:
  explicit incremental(std::uint32_t labels);

  /// Counts a judgment. False: the contributor has one on this unit already, which stays.
  bool add(std::size_t unit, const vote& given);

  /// Takes a judgment out again. False: there is none.
  bool withdraw(std::size_t unit, std::uint32_t contributor);

  /// Holds a unit at its true label; `unknown_label` lets go of it.
  void hold(std::size_t unit, std::uint32_t truth);

  /// Goes on from other estimates, those of a refit. Units that have `changed` since it was begun,
  /// or that it has not seen, are estimated from what it says of the others. `changed` is empty, or
  /// has one entry per unit.
  void adopt(const estimates& refitted, const std::vector<bool>& changed = {});

  /// How likely each label of the unit is; before its first judgment, as likely as anywhere.
  const double* shares(std::size_t unit) const { return units_[unit].shares.data(); }
  estimates found() const;

  /// All judgments that count, of the unit or of all.
  vote_range votes(std::size_t unit) const;
  answers recorded() const;

  /// The labels that units are held at.
  known_labels held() const;

private:
  struct unit_state {
    std::vector<vote> votes;
    std::vector<double> shares;
    std::uint32_t truth = unknown_label;
  };

  /// Soft counts of one contributor: by label given and true label, and the sums of the former.
  double* cells_of(std::uint32_t contributor);
  unit_state& reach(std::size_t unit);
  /// Takes the unit's soft counts out of the sums, and puts them in again.
  void take_out(const unit_state& unit);
  void put_back(const unit_state& unit);
  void deposit(const unit_state& unit, double sign);
  /// Finds the shares of a unit that has been taken out.
  void estimate(unit_state& unit);

  std::uint32_t labels_;
  std::vector<unit_state> units_;
  std::vector<double> cells_; ///< By contributor: label given × true label, then the sums.
  std::vector<double> label_sums_;
  std::size_t counted_units_ = 0; ///< That have been put in.
  std::vector<double> factors_;   ///< One for each label, for use at once.
  label_product<0> product_;
};

} // namespace holdfast::core::quality
