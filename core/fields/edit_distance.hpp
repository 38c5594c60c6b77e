#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// How far texts are apart.
namespace holdfast::core::fields {

/// The code points of UTF-8; bytes that are none count as one each.
std::u32string code_points(std::string_view text);

/// How many code points must be put in, left out or replaced to make one of the other. Takes time
/// in proportion to the product of the lengths divided by 64.
///
/// Sources: V. I. Levenshtein, 1966; G. Myers, "A fast bit-vector algorithm for approximate string
/// matching based on dynamic programming", 1999; H. Hyyrö, "A bit-vector algorithm for computing
/// Levenshtein and Damerau edit distances", 2003.
std::size_t edit_distance(const std::u32string& a, const std::u32string& b);

} // namespace holdfast::core::fields
