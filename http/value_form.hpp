#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The form of JSON values: `schema_maker` collects forms from shapes, and the OpenAPI document and
/// the reference page are written from them.
namespace holdfast::http {

struct object_form;

/// The form of one value.
struct value_form {
  enum class kind : std::uint8_t {
    anything, ///< A document of a user.
    boolean,
    whole, ///< A number without a fraction.
    number,
    text,
    list,
    object,
  };

  kind is = kind::anything;
  bool may_be_null = false;
  std::string_view format{};           ///< Of a text, as JSON Schema calls it: `uuid`.
  std::optional<std::int64_t> least{}; ///< Of numbers.
  std::optional<std::int64_t> most{};
  std::vector<std::string> words{};            ///< The only texts that it may be; empty: any.
  std::shared_ptr<const value_form> element{}; ///< Of a list.
  std::string named{};                         ///< The name of the form of an object, or empty:
  std::shared_ptr<const object_form> object{}; ///< an object whose form stands here alone.
};

struct member_form {
  std::string name;
  value_form value;
  std::string doc; ///< A sentence for people.
  bool required = false;
};

struct object_form {
  std::vector<member_form> members;
  bool may_have_others = true; ///< Members of other names.
};

/// Forms that several operations share, by name.
using named_forms = std::map<std::string, object_form>;

/// Under this pointer of the OpenAPI document are the named forms.
inline constexpr std::string_view named_forms_place = "#/components/schemas/";

/// The form in JSON Schema 2020-12.
nlohmann::ordered_json json_schema_of(const value_form& form);
nlohmann::ordered_json json_schema_of(const object_form& form);

} // namespace holdfast::http
