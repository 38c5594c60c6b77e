#pragma once

#include "core/errors.hpp"
#include "core/routing.hpp"
#include "documents/limits.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Checks JSON text from outside: well-formed, within `limits`, valid UTF-8, and acceptable to
/// PostgreSQL's `jsonb` (no `\u0000`, no lone surrogate, no number beyond its range): what passes
/// here never fails a batch later. Nor may it have a member whose name begins with `$holdfast.`, as
/// references to the object store do. Gives `errc::none`, `too_large` or `payload_invalid`, with
/// the place in the detail.
core::failure check_json(std::string_view text, const json_limits& limits);

/// The refusal of a document that has a member whose name begins with `$holdfast.`.
core::failure refused_as_reference();

/// Checks a name or key from outside: valid UTF-8, no NUL, 1 to `bytes_max` bytes. `what` names the
/// field in the detail. Gives `errc::none` or `invalid_argument`.
core::failure check_text(std::string_view text, std::string_view what, std::size_t bytes_max);

/// A finished unit that others continue.
struct finished_link {
  std::string_view input;
  bool chained = false; ///< Its own input was made by `chained_input`, or by `mapped_input` of it.
  std::string_view result;
};

/// The input of a unit that continues a chain: `{"data": <source data>, "item": <item>, "result":
/// <parent's result>}`. The source data is the parent's input, or the `data` of it when the parent
/// continued a chain itself; so is the item (JSON), unless there is a new one. Without any there is
/// no such member.
std::string chained_input(const finished_link& parent, std::string_view item = {});

/// That input as a route shows it: `{"data": {<name>: <what its pointer leads to in `input`>, …}}`,
/// `null` where that is nothing; `with_result` with the `result` as it was, too.
std::string mapped_input(std::string_view input, const std::vector<core::input_member>& members,
                         bool with_result);

/// What the source data of the units of a batch are.
enum class batch_data {
  of_each,   ///< Their own.
  in_common, ///< The same: all of them are what the items of one list became.
};

struct gathered {
  std::string input;
  std::size_t units = 0; ///< It is that of so many of the first; at least one.
};

/// The input of a batch of units that have `inputs`, made by `chained_input` or by `mapped_input`
/// with the result: the same form, with a list in place of each member, as `{"data": [<of each>],
/// "item": [<of each>], "result": [<of each>]}`. Data that they have in common are there once, and
/// no list. Without any item there is no such member; who has none has `null` there. Not longer
/// than `bytes_max`, unless one unit is.
gathered gathered_input(const std::vector<std::string_view>& inputs, batch_data data_is,
                        std::size_t bytes_max);

/// What counts as the result when the unit was a review of its parent's: that one if it was
/// approved or rejected, `{"answer": <correction>, "corrected": true}` if it was corrected.
std::string reviewed_result(const finished_link& review);

struct result_item {
  std::string json;
  std::string result; ///< The item as a result: `{"answer": <its text>}`.
};

/// The items of a result's answer: of a list its members, of anything else itself.
std::vector<result_item> items_of(std::string_view result);

} // namespace holdfast::documents
