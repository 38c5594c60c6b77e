#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/estimates.hpp"
#include "core/quality/expectation.hpp"
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
///
/// Of a contributor it keeps counts for the labels that they have given, not for all there are:
/// with hundreds of labels most people use few of them.
class incremental {
public:
  /// `cells_max`: so many counts are kept of labels given, one for each true label. That is as many
  /// as a refit can work on, so whoever is refitted never meets it. Beyond, judgments count for
  /// their unit as ever, and a label that a contributor gives for the first time teaches nothing
  /// about them.
  explicit incremental(std::uint32_t labels, std::size_t cells_max = confusion_cells_max);

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

  /// Soft counts of one contributor, in rows with one for each true label: first their sums, then
  /// those of each label given, in the order of the first time that it was.
  struct confusion {
    std::vector<std::uint32_t> given;
    std::vector<double> rows;
  };

  /// The row of the label given; 0, that of the sums, when there is none.
  static std::size_t row_of(const confusion& of, std::uint32_t label);
  /// The same, of a contributor who gets a row for the label if there is room for another one.
  std::size_t reach(const vote& given);
  unit_state& reach(std::size_t unit);
  /// Takes the unit's soft counts out of the sums, and puts them in again.
  void take_out(const unit_state& unit);
  void put_back(const unit_state& unit);
  void deposit(const unit_state& unit, double sign);
  /// Finds the shares of a unit that has been taken out.
  void estimate(unit_state& unit);

  std::uint32_t labels_;
  std::vector<unit_state> units_;
  std::vector<confusion> confusions_; ///< By contributor.
  std::size_t rows_left_;             ///< Of labels given.
  std::size_t rows_max_;
  std::vector<double> no_counts_; ///< A row.
  std::vector<double> label_sums_;
  std::size_t counted_units_ = 0; ///< That have been put in.
  std::vector<double> factors_;   ///< One for each label, for use at once.
  label_product<0> product_;
};

} // namespace holdfast::core::quality
