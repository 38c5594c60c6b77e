#pragma once

#include "core/fields/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Texts laid beside each other word by word, for a vote on each place.
namespace holdfast::core::fields {

/// A network of words grows by one text after the other.
class word_network {
public:
  /// Lays a text beside those that are there. Takes time in proportion to the product of its words
  /// and the places of the network.
  void add(const std::vector<word>& text, double weight, std::uint64_t lot);

  struct chosen {
    std::vector<word> words;
    double mean_share = 0; ///< Of the chosen words; without any, of those that chose none.
  };
  /// At least one text was added.
  chosen vote() const;

private:
  /// The case for a word, or for none, at one place.
  struct claim {
    const word* what = nullptr; ///< Null: no word.
    double weight = 0;
    std::uint32_t votes = 0;
    std::uint64_t lot = 0;
  };
  struct place {
    std::vector<claim> claims;
  };

  static void vote_at(place& where, const word* what, double weight, std::uint64_t lot);
  static bool has(const place& where, const word* what);
  static bool same(const word* a, const word* b);
  /// A place at which all texts so far have no word.
  place empty_place() const;

  std::vector<place> places_;
  struct voter {
    double weight = 0;
    std::uint64_t lot = 0;
  };
  std::vector<voter> voters_;
};

} // namespace holdfast::core::fields
