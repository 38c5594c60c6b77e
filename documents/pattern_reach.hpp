#pragma once

#include <functional>
#include <string>
#include <vector>

namespace holdfast::documents {

/// Which of `candidates` one atom of a regular expression matches: a character, an escape, or a
/// class in brackets.
using matched_by_atom = std::function<std::vector<wchar_t>(const std::wstring& atom,
                                                           const std::vector<wchar_t>& candidates)>;

/// Whether some text has a part that `expression` (ECMAScript, without lookahead and
/// back-references) matches. Assertions are followed: `a^b` and `\w\B\W` match nothing. Of
/// characters, those are tried that stand in the expression or next to one there, the first 256,
/// and some beyond; what cannot be read, or only with much work, counts as matching. With an
/// `alphabet`: some text of these characters alone.
bool can_match(const std::wstring& expression, const matched_by_atom& matched,
               const std::wstring& alphabet = {});

} // namespace holdfast::documents
