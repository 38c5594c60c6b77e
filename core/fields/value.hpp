#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// Fields of a judgment: what people say about one place in it, and how several of them become one
/// answer. Standard library only; documents/ reads values from JSON and writes them.
namespace holdfast::core::fields {

/// A place on an image, in its pixels.
struct point {
  double x = 0;
  double y = 0;
};

/// A rectangle: `left <= right`, `top <= bottom`, whatever order its corners were written in.
struct rectangle {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

/// One object that somebody marked on an image. Which member is used follows from the field's kind:
/// a box has `box`, a point one corner, a polygon its corners in order (at least three, not
/// closed).
struct mark {
  std::string label; ///< Empty where the field has no labels.
  rectangle box{};
  std::vector<point> corners{};
};

/// A labelled part of a text: `[start, end)` in Unicode code points.
struct span {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::string label;
};

/// A word of a text. `compared` is the word after the field's normalisation, which has tables of
/// letters and is done by documents/; two words are the same if it is.
struct word {
  std::string written;
  std::string compared;
};

/// A text: as it was written, as it is compared, and its words in order, without those of which
/// normalisation leaves nothing.
struct phrase {
  std::string written;
  std::string compared;
  std::vector<word> words;
};

/// Nothing was said about the field: the member is not there, or null.
struct absent {};

/// The value that one person gave to one field:
/// category, ordinal, pairwise: the label as text · text: a phrase · number: the number ·
/// set: options, each once, sorted by bytes · ranking: items, the best first, each once ·
/// boxes, points, polygons: marks · spans: spans sorted by start, then end, then label.
using value = std::variant<absent, std::string, double, phrase, std::vector<std::string>,
                           std::vector<mark>, std::vector<span>>;

inline bool is_absent(const value& v) { return std::holds_alternative<absent>(v); }

} // namespace holdfast::core::fields
