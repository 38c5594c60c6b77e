#pragma once

#include "core/decimal.hpp"
#include "documents/format.hpp"
#include "documents/pattern.hpp"
#include "documents/schema.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The compiled form of a schema: what schema_compiler.cpp makes and schema_checker.cpp follows.
namespace holdfast::documents {

/// One bit for each type of JSON Schema.
enum json_type : std::uint8_t {
  null_type = 1,
  boolean_type = 2,
  object_type = 4,
  array_type = 8,
  number_type = 16,
  string_type = 32,
  integer_type = 64, ///< A number without a fraction, however written: 1.0 is one.
};

/// Any 64-bit integer and any double, exactly (64 bits of mantissa on every platform we build for).
using number = long double;

/// A number that others are compared with.
struct number_bound {
  core::decimal exact;
  number nearest = 0;
  bool rounded = false; ///< `nearest` is not all of it.
};

/// Limits on a count: of characters, elements or members.
struct count_range {
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

struct schema_node {
  using ref = const schema_node*; ///< Owned by the schema; null: anything goes.

  bool never = false;                                    ///< The schema `false`.
  ref target = nullptr;                                  ///< Of `$ref`.
  bool target_alone = false;                             ///< In draft 7 `$ref` makes all else void.
  std::uint8_t types = 0;                                ///< Bits of json_type; 0: any.
  std::optional<std::vector<std::string>> one_of_values; ///< `enum`, `const`: canonical, sorted.

  std::optional<number_bound> minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of;

  count_range characters;
  std::optional<documents::pattern> matching;
  const text_format* format = nullptr;

  count_range elements;
  bool unique = false;
  ref each_element = nullptr;                       ///< `items` without a list beside it.
  std::optional<std::vector<ref>> leading_elements; ///< `prefixItems`; in draft 7 `items`.
  ref further_elements = nullptr;                   ///< `items`; in draft 7 `additionalItems`.
  ref contained = nullptr;
  count_range contained_elements{1};

  count_range members;
  std::vector<std::string> required;
  std::map<std::string, ref, std::less<>> properties;
  std::vector<std::pair<documents::pattern, ref>> pattern_properties;
  ref other_properties = nullptr; ///< `additionalProperties`.
  ref member_names = nullptr;
  std::vector<std::pair<std::string, std::vector<std::string>>> requires_members;
  std::vector<std::pair<std::string, ref>> requires_schema;

  std::vector<ref> all_of, any_of, one_of;
  ref none_of = nullptr; ///< `not`.
  ref condition = nullptr, consequence = nullptr, alternative = nullptr;
};

struct schema::compiled {
  std::vector<std::unique_ptr<schema_node>> nodes; ///< The root first.
};

/// The fault of a value by one schema; none when the value is valid.
std::optional<core::definition_problem> violation_of(const schema_node& node,
                                                     const nlohmann::json& value);

/// The number in `value`, exactly unless a double would round it.
number number_in(const nlohmann::json& value);

} // namespace holdfast::documents
