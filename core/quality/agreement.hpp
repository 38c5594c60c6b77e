#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

/// How much contributors agree: figures of a whole step, beside any method of aggregation. 1 is
/// perfect, 0 what chance would do. None where chance alone leaves nothing to agree about: without
/// a unit of two judgments, and where everybody always said the same.
namespace holdfast::core::quality {

/// For any number of judgments per unit; units with one say nothing. Source: K. Krippendorff,
/// "Computing Krippendorff's alpha-reliability", 2011, nominal data.
std::optional<double> krippendorff_alpha(const answers& given);

/// Source: J. Fleiss, "Measuring nominal scale agreement among many raters", 1971; with the mean
/// over units where their numbers of judgments differ.
std::optional<double> fleiss_kappa(const answers& given);

/// Mean over units of the share of pairs of judgments that are equal.
std::optional<double> pairwise_agreement(const answers& given);

/// Of two observers with `labels` labels; one pair for each unit. Source: J. Cohen, "A coefficient
/// of agreement for nominal scales", 1960.
std::optional<double> cohen_kappa(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                                  std::uint32_t labels);

} // namespace holdfast::core::quality
