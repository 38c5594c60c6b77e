#pragma once

#include "core/quality/answers.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core::quality {

/// A number that stands for a name in the drawing of lots.
std::uint64_t lot_of(std::string_view name);

/// The lot of a contributor on a unit.
std::uint64_t lot_on(std::uint64_t unit, std::uint64_t contributor);

/// The case for one of several labels that are as likely: most votes win, of several with as many
/// the one with the least lot of those who voted for it.
struct tie_claim {
  std::size_t votes = 0;
  std::uint64_t lot = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t lot_of_label = 0; ///< Decides between labels for which nobody voted.

  void add_vote(std::uint64_t lot_of_voter);
  bool goes_before(const tie_claim& other) const;
};

/// Numbers of names, by which lots are drawn.
struct lots {
  std::vector<std::uint64_t> of_units;
  std::vector<std::uint64_t> of_contributors;
  /// By all who voted for the label anywhere: the only thing that tells labels apart besides names.
  std::vector<std::uint64_t> of_labels;
};

lots lots_of(const answers& given, const std::vector<std::string>& units,
             const std::vector<std::string>& contributors);

/// The label by which a unit is reported when several are as likely. It depends neither on the
/// names of labels nor on the order of anything: of the likeliest the one with most votes; of
/// several of these the lot decides, which is drawn by the unit and those who voted for each. Where
/// nobody voted for any of them the lot is drawn by the unit and those who voted for them
/// elsewhere.
std::uint32_t settled_label(const double* shares, const answers& given, std::size_t unit,
                            const lots& drawn);

} // namespace holdfast::core::quality
