#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// Labelled parts of a text. No value here is `absent`; an empty list says that there is no part. A
/// span without characters is overlooked.
namespace holdfast::core::fields {

/// Each character is voted on for each label, and the characters that carry it are joined where
/// most of those who labelled both neighbours did not end a span between them. `confidence` is the
/// least of what is certain about each character that somebody labelled; of an empty answer it is
/// the share that labelled nothing. At least one value.
found_value combine_spans(const field_rule& rule, const std::vector<given_value>& given);

/// F1 of the greatest one-to-one matching of spans that have the same label and whose intersection
/// over union is at least `rule.overlap`; 1 for two empty lists. With an `overlap` of 1 the F1 of
/// entities as in the shared task of CoNLL-2000.
double likeness_of_spans(const field_rule& rule, const value& a, const value& b);

/// Whether each span of either has its counterpart in the other.
bool spans_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the spans cannot be a truth; empty where it can.
std::string degenerate_spans(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
