#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// Texts, compared after the field's normalisation. No value here is `absent`.
namespace holdfast::core::fields {

/// Longest text of a field, in code points: two of them are compared within some ten milliseconds.
inline constexpr std::size_t phrase_points_max = 10'000;

/// Of more different texts those with most weight alone may be the answer of `medoid` and `rover`.
inline constexpr std::size_t compared_phrases_max = 32;

/// `exact`: the text with most weight among those that are the same once normalised, written as
/// most people wrote it; `confidence` is its share of the weight. `medoid`: the text that is most
/// like all others, by the mean of likeness over the weight; that mean is the `confidence`.
/// `rover`: words are voted on. Texts are laid beside each other, beginning with the one that is
/// most like the others, each with as few words put in, left out or replaced as can be; at each
/// place the word with most weight is taken, or none. `confidence` is the mean share of those words
/// (of the empty answer the share that said nothing). Ties go by votes, then by lot. At least one
/// value.
///
/// Source of `rover`: J. G. Fiscus, "A post-processing system to yield reduced word error rates:
/// recognizer output voting error reduction (ROVER)", 1997, with votes alone.
found_value combine_phrases(const field_rule& rule, const std::vector<given_value>& given);

/// 1 minus the edit distance of the normalised texts as a share of the length of the longer one, in
/// code points; 1 for two that are empty.
double likeness_of_phrases(const field_rule& rule, const value& a, const value& b);

/// Whether the normalised texts are the same.
bool phrases_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the text cannot be a truth; empty where it can.
std::string degenerate_phrases(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
