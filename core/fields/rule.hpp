#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core::fields {

enum class field_kind : std::uint8_t {
  category = 1, ///< One of labels, or any JSON value by its text.
  set,          ///< Several of the options.
  number,
  ordinal, ///< One of labels that stand in an order.
  text,
  boxes,
  points,
  polygons,
  spans,
  pairwise, ///< Which of two is the better one.
  ranking,
  none, ///< Never compared: all judgments are the result.
};

/// Whether what is said is a list of marks on an image.
constexpr bool has_marks(field_kind kind) {
  return kind == field_kind::boxes || kind == field_kind::points || kind == field_kind::polygons;
}

std::string_view to_string(field_kind kind);
std::optional<field_kind> field_kind_named(std::string_view name);

/// How values become one. Each kind has its own, the first of which is its default
/// (`methods_of`).
enum class field_method : std::uint8_t {
  majority = 1,    ///< category, pairwise: most weight.
  options,         ///< set: each option by itself.
  exact,           ///< set: the whole set as one answer. text: the normalised text as one answer.
  weighted_median, ///< number, ordinal.
  mean,            ///< number, by weight.
  trimmed_mean,    ///< number: without the outer `trim` of the weight on each side.
  rover,           ///< text: words, aligned and voted on.
  medoid,          ///< text: the one that is nearest to all others.
  clusters,        ///< boxes, points, polygons: marks that are the same object, voted on.
  tokens,          ///< spans: each character by itself, then joined.
  borda,           ///< ranking.
  bradley_terry,   ///< pairwise over a whole step, ranking from its pairs.
  noisy_bradley_terry, ///< The same, with how reliable each contributor is.
  dawid_skene_ordinal, ///< ordinal over a whole step.
  one_coin_options,    ///< set over a whole step: one accuracy for each contributor.
  collect,             ///< none.
};

std::string_view to_string(field_method method);
std::optional<field_method> field_method_named(std::string_view name);

/// The methods of a kind, its default first.
const std::vector<field_method>& methods_of(field_kind kind);

/// Whether the method needs the judgments of the whole step; the others need those of one unit, and
/// only they may decide in a live step.
bool looks_at_the_step(field_kind kind, field_method method);

/// What is overlooked when texts are compared; done in documents/, where `phrase::compared` is
/// made.
struct text_normalisation {
  bool nfc = true;          ///< Composed and decomposed letters are the same.
  bool letter_case = false; ///< Upper and lower case are the same.
  bool blanks = true;       ///< Runs of white space are one blank, and none at the ends.
  bool punctuation = false; ///< Signs that are no letters, digits or blanks are left out.
};

/// One field of a step, as its requester defines it. The names of the members are those of the JSON
/// form, where `at` is the place in the judgment.
struct field_rule {
  std::string name; ///< Unique in the step: 1 to 64 of `a-z 0-9 _ -`.
  std::string at;   ///< JSON pointer.
  field_kind kind = field_kind::category;
  field_method method = field_method::majority;
  /// Or options, or items; of an ordinal the lowest first. Of marks and spans their text; of all
  /// other kinds the JSON text of each value, because 10 and "10" are two values.
  std::vector<std::string> labels;
  bool optional = false; ///< A judgment may say nothing about it.
  bool single = false;   ///< boxes, points, polygons: one mark and no list.
  /// pairwise: two JSON pointers into the input of a unit, to the items that the first two labels
  /// stand for; empty: units are not compared with each other.
  std::vector<std::string> between;

  // number
  double within = 0;       ///< Two numbers agree when no farther apart than this,
  double within_share = 0; ///< or than this share of the greater of the two by size.
  double trim = 0.2; ///< trimmed_mean: at most this share of the weight is left out at each end.

  // text
  text_normalisation normalise;

  // boxes, polygons: least intersection over union of the same object; spans: least overlap.
  double overlap = 0.5;
  // points: greatest distance of the same object, in pixels.
  double distance = 10;
  /// boxes, points, polygons, spans, options: what share of the weight of all who judged must have
  /// marked an object (character, option) for it to be in the answer: more than this share, or just
  /// this share where it is above one half.
  double share = 0.5;
};

} // namespace holdfast::core::fields
