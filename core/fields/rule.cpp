#include "core/fields/rule.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <array>

namespace holdfast::core::fields {

namespace {

struct kind_row {
  field_kind kind;
  std::string_view name;
  std::vector<field_method> methods; ///< The default first.
};

struct method_row {
  field_method method;
  std::string_view name;
  bool looks_at_the_step;
};

const std::array<kind_row, 12>& kinds() {
  using m = field_method;
  static const std::array<kind_row, 12> rows{{
      {field_kind::category, "category", {m::majority}},
      {field_kind::set, "set", {m::options, m::exact, m::one_coin_options}},
      {field_kind::number, "number", {m::weighted_median, m::mean, m::trimmed_mean}},
      {field_kind::ordinal, "ordinal", {m::weighted_median, m::dawid_skene_ordinal}},
      {field_kind::text, "text", {m::exact, m::rover, m::medoid}},
      {field_kind::boxes, "boxes", {m::clusters}},
      {field_kind::points, "points", {m::clusters}},
      {field_kind::polygons, "polygons", {m::clusters}},
      {field_kind::spans, "spans", {m::tokens}},
      {field_kind::pairwise, "pairwise", {m::majority, m::bradley_terry, m::noisy_bradley_terry}},
      {field_kind::ranking, "ranking", {m::borda, m::bradley_terry, m::noisy_bradley_terry}},
      {field_kind::none, "none", {m::collect}},
  }};
  return rows;
}

constexpr std::array<method_row, 16> method_rows{{
    {field_method::majority, "majority", false},
    {field_method::options, "options", false},
    {field_method::exact, "exact", false},
    {field_method::weighted_median, "weighted_median", false},
    {field_method::mean, "mean", false},
    {field_method::trimmed_mean, "trimmed_mean", false},
    {field_method::rover, "rover", false},
    {field_method::medoid, "medoid", false},
    {field_method::clusters, "clusters", false},
    {field_method::tokens, "tokens", false},
    {field_method::borda, "borda", false},
    {field_method::bradley_terry, "bradley_terry", true},
    {field_method::noisy_bradley_terry, "noisy_bradley_terry", true},
    {field_method::dawid_skene_ordinal, "dawid_skene_ordinal", true},
    {field_method::one_coin_options, "one_coin_options", true},
    {field_method::collect, "collect", false},
}};

const kind_row& row_of(field_kind kind) {
  const auto& rows = kinds();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const kind_row& row) { return row.kind == kind; });
  HOLDFAST_INVARIANT(found != rows.end(), "every kind of field has a row");
  return *found;
}

const method_row& row_of(field_method method) {
  const auto* found = std::find_if(method_rows.begin(), method_rows.end(),
                                   [&](const method_row& row) { return row.method == method; });
  HOLDFAST_INVARIANT(found != method_rows.end(), "every method of fields has a row");
  return *found;
}

} // namespace

std::string_view to_string(field_kind kind) { return row_of(kind).name; }

std::optional<field_kind> field_kind_named(std::string_view name) {
  for (const auto& row : kinds())
    if (row.name == name)
      return row.kind;
  return std::nullopt;
}

std::string_view to_string(field_method method) { return row_of(method).name; }

std::optional<field_method> field_method_named(std::string_view name) {
  for (const auto& row : method_rows)
    if (row.name == name)
      return row.method;
  return std::nullopt;
}

const std::vector<field_method>& methods_of(field_kind kind) { return row_of(kind).methods; }

bool looks_at_the_step(field_kind kind, field_method method) {
  // The items of a ranking are compared by everybody who ranked the unit.
  return row_of(method).looks_at_the_step
         && !(kind == field_kind::ranking && method == field_method::bradley_terry);
}

} // namespace holdfast::core::fields
