#pragma once

#include "core/errors.hpp"
#include "documents/limits.hpp"

#include <string>
#include <string_view>

namespace holdfast::documents {

/// Checks JSON text from outside: well-formed, within `limits`, valid UTF-8, and acceptable to
/// PostgreSQL's `jsonb` (no `\u0000`, no lone surrogate, no number beyond its range): what passes
/// here never fails a batch later. Gives `errc::none`, `too_large` or `payload_invalid`, with the
/// place in the detail.
core::failure check_json(std::string_view text, const json_limits& limits);

/// Checks a name or key from outside: valid UTF-8, no NUL, 1 to `bytes_max` bytes. `what` names the
/// field in the detail. Gives `errc::none` or `invalid_argument`.
core::failure check_text(std::string_view text, std::string_view what, std::size_t bytes_max);

/// The input of a unit that continues a chain: `{"data": <source data>, "result": <parent's
/// result>}`, where the source data is the parent's input, or the `data` of it when the parent
/// continued a chain itself.
std::string chained_input(std::string_view parent_input, bool parent_was_chained,
                          std::string_view parent_result);

} // namespace holdfast::documents
