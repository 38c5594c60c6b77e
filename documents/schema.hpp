#pragma once

#include "core/workflow.hpp"
#include "documents/pointer.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::documents {

/// A JSON Schema (draft 2020-12, or draft 7 where `$schema` names it), compiled. Its author and the
/// sender of the values are both strangers, so it never throws, never recurses without bound, and
/// the work of one check is bounded.
///
/// Without `$schema` the keywords of both drafts are understood, as Pydantic, zod and OpenAPI write
/// them; keywords beside `$ref` count then, which draft 7 leaves out.
///
/// Stricter than the specification where that would check nothing without saying so: unknown
/// keywords (but `x-…`), `$ref` to another document and `$id` below the root are refused when the
/// schema is compiled. A format that is not checked here is an annotation, as in the specification.
class schema {
public:
  /// Schemas inside one schema, its own included.
  static constexpr std::size_t subschemas_max = 1000;
  /// Checks of a value against a subschema during one `violation_in`. A list of a hundred thousand
  /// numbers needs as many; a schema that doubles its work with every level runs into it.
  static constexpr std::size_t checks_max = 1'000'000;
  /// Subschemas that may apply inside each other, `$ref`s and levels of the value counted alike.
  static constexpr std::size_t nesting_max = 512;

  /// Compiles `source`. When it is no usable schema, appends every reason to `problems`, with
  /// `place` (a JSON pointer) in front of each place, and returns nothing.
  static std::optional<schema> compile(const nlohmann::json& source, const std::string& place,
                                       std::vector<core::definition_problem>& problems);

  schema(schema&&) noexcept;
  schema& operator=(schema&&) noexcept;
  ~schema();

  /// What is wrong with `value`, where, and what would be right; nothing when it is valid. Safe to
  /// use from several threads.
  std::optional<core::definition_problem> violation_in(const nlohmann::json& value) const;

  // The rules of the schema for the value at one place, whatever else there is. Alternatives
  // (`anyOf`, `oneOf`, `if`) on the way there are left out: which of them holds depends on the
  // rest.

  /// The fault of `value` at `place`.
  std::optional<core::definition_problem> violation_at(const json_pointer& place,
                                                       const nlohmann::json& value) const;
  /// Whether a value of the type of `example` may be at `place`, whatever its value.
  bool allows_type_at(const json_pointer& place, const nlohmann::json& example) const;
  /// Whether it says something about the value there, or one of the alternatives on the way may.
  bool may_describe(const json_pointer& place) const;
  /// The values that there may be, as canonical texts in order of bytes; none where they are not
  /// listed.
  std::optional<std::vector<std::string>> values_at(const json_pointer& place) const;

private:
  struct compiled;
  explicit schema(std::unique_ptr<const compiled> content);

  std::unique_ptr<const compiled> compiled_;
};

/// The value as compact JSON with sorted keys, in which equal values have equal texts: 2, 2.0 and
/// 2e0 are all `2`.
std::string canonical_text(const nlohmann::json& value);

} // namespace holdfast::documents
