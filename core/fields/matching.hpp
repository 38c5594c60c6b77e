#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::core::fields {

/// How many pairs the greatest one-to-one matching has between `partners.size()` things and
/// `others` others; `partners[i]` are the others that may be matched with `i`. Source: J. E.
/// Hopcroft, R. M. Karp, "An n^5/2 algorithm for maximum matchings in bipartite graphs", 1973.
std::size_t greatest_matching(const std::vector<std::vector<std::uint32_t>>& partners,
                              std::size_t others);

/// F1 of so many matches between lists of these lengths: 1 for two empty ones.
double f1_of(std::size_t matches, std::size_t first, std::size_t second);

} // namespace holdfast::core::fields
