#include "documents/field_table.hpp"

#include "core/quality/tie_break.hpp"
#include "documents/answer_text.hpp"
#include "documents/parse.hpp"
#include "documents/pointer.hpp"
#include "documents/schema.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace holdfast::documents {

using core::fields::field_kind;
using core::fields::value;
using nlohmann::json;

namespace {

constexpr json_limits row_limits{std::size_t{64} * 1024 * 1024, 100};

/// One line of a file, whatever its form.
struct judgment_row {
  std::string unit;
  std::string contributor;
  double trust = 1;
  json input;
  std::vector<value> said;
};

using take_row = std::function<core::failure(judgment_row)>;

core::failure bad_line(const std::string& why) { return {core::errc::invalid_argument, why}; }

bool is_written_plainly(field_kind kind) {
  return kind == field_kind::category || kind == field_kind::ordinal || kind == field_kind::pairwise
         || kind == field_kind::text;
}

/// The values of a judgment, or why it cannot be used.
core::failure read_judgment(const field_values& fields, const json& judgment,
                            std::vector<value>& into) {
  auto said = fields.read(judgment);
  if (!said)
    return bad_line(said.error().detail);
  into = std::move(*said);
  return {};
}

/// Values by the names of their fields; `find` gives null where there is none.
core::failure read_named(const field_values& fields,
                         const std::function<const json*(const std::string&)>& find,
                         std::vector<value>& into) {
  for (std::size_t i = 0; i < fields.rules().size(); ++i) {
    const auto& rule = fields.rules()[i];
    const auto* found = find(rule.name);
    if (found == nullptr || found->is_null()) {
      if (!rule.optional && rule.kind != field_kind::none)
        return bad_line("field " + rule.name + " is missing");
      into.emplace_back(core::fields::absent{});
      continue;
    }
    auto said = fields.read_value(i, *found, rule.name);
    if (!said)
      return bad_line(said.error().detail);
    into.push_back(std::move(*said));
  }
  return {};
}

core::failure read_label(const field_values& fields, const json& label, std::vector<value>& into) {
  const auto& rules = fields.rules();
  const bool by_name = label.is_object() && (rules.size() > 1 || label.contains(rules[0].name));
  return read_named(
      fields,
      [&](const std::string& name) -> const json* {
        if (!by_name)
          return &label;
        const auto found = label.find(name);
        return found == label.end() ? nullptr : &*found;
      },
      into);
}

/// JSON, or where it is none the text itself.
json json_or_text(const std::string& cell) {
  auto parsed = parse_json(cell, row_limits);
  return parsed ? std::move(*parsed) : json(cell);
}

class csv_rows {
public:
  csv_rows(const field_values& fields, bool with_contributors)
      : fields_(fields), with_contributors_(with_contributors) {}

  core::failure take(const csv_record& record, const std::string& file, const take_row& use) {
    if (columns_.empty())
      return read_header(record, file);
    if (auto why = check_width(record, file, columns_.size()); why.code != core::errc::none)
      return why;
    judgment_row row;
    row.unit = cell(record, unit_);
    if (with_contributors_)
      row.contributor = cell(record, contributor_);
    if (const auto trust = columns_.find("trust"); trust != columns_.end())
      row.trust = std::strtod(record.fields[trust->second].c_str(), nullptr);
    if (const auto input = columns_.find("input"); input != columns_.end())
      row.input = json_or_text(record.fields[input->second]);
    auto why = read_values(record, row.said);
    return why.code == core::errc::none ? use(std::move(row)) : why;
  }

private:
  static std::string cell(const csv_record& record, std::size_t column) {
    return record.fields[column];
  }

  core::failure read_header(const csv_record& record, const std::string& file) {
    auto columns = columns_of(record, file, {});
    if (!columns)
      return columns.error();
    columns_ = std::move(*columns);
    const auto either = [&](const char* one, const char* other, std::size_t& into) {
      for (const auto* name : {one, other})
        if (const auto found = columns_.find(name); found != columns_.end()) {
          into = found->second;
          return core::failure{};
        }
      return csv_problem(file, record.line,
                         std::string{"there is no column "} + one + " or " + other);
    };
    if (auto why = either("unit", "task", unit_); why.code != core::errc::none)
      return why;
    if (with_contributors_)
      if (auto why = either("contributor", "worker", contributor_); why.code != core::errc::none)
        return why;
    if (columns_.count("judgment") != 0 || columns_.count("label") != 0)
      return {};
    for (const auto& rule : fields_.rules())
      if (!rule.optional && columns_.count(rule.name) == 0)
        return csv_problem(file, record.line,
                           "there is neither a column judgment nor label, nor " + rule.name
                               + ", the name of a field");
    return {};
  }

  core::failure read_values(const csv_record& record, std::vector<value>& into) const {
    if (const auto found = columns_.find("judgment"); found != columns_.end()) {
      const auto judgment = parse_json(record.fields[found->second], row_limits);
      return judgment ? read_judgment(fields_, *judgment, into)
                      : bad_line("judgment: " + judgment.error().detail);
    }
    if (const auto found = columns_.find("label"); found != columns_.end()) {
      const auto& text = record.fields[found->second];
      const auto& rules = fields_.rules();
      return read_label(fields_,
                        rules.size() == 1 && is_written_plainly(rules[0].kind) ? json(text)
                                                                               : json_or_text(text),
                        into);
    }
    std::map<std::string, json> cells;
    for (const auto& rule : fields_.rules())
      if (const auto found = columns_.find(rule.name); found != columns_.end()) {
        const auto& text = record.fields[found->second];
        if (text.empty() && !record.quoted[found->second])
          continue;
        cells[rule.name] = is_written_plainly(rule.kind) ? json(text) : json_or_text(text);
      }
    return read_named(
        fields_,
        [&](const std::string& name) -> const json* {
          const auto found = cells.find(name);
          return found == cells.end() ? nullptr : &found->second;
        },
        into);
  }

  const field_values& fields_;
  const bool with_contributors_;
  csv_columns columns_;
  std::size_t unit_ = 0;
  std::size_t contributor_ = 0;
};

core::failure read_line(std::string_view line, const field_values& fields, bool with_contributors,
                        judgment_row& row) {
  const auto parsed = parse_json(line, row_limits);
  if (!parsed)
    return bad_line(parsed.error().detail);
  if (!parsed->is_object())
    return bad_line("is no JSON object");
  const auto named = [&](const char* one, const char* other, std::string& into) {
    for (const auto* name : {one, other})
      if (const auto found = parsed->find(name); found != parsed->end()) {
        if (found->is_structured() || found->is_null())
          return bad_line(std::string{name} + " must be a text or a number");
        into = answer_text(*found);
        return core::failure{};
      }
    return bad_line(std::string{"there is no member "} + one + " or " + other);
  };
  if (auto why = named("unit", "task", row.unit); why.code != core::errc::none)
    return why;
  if (with_contributors)
    if (auto why = named("contributor", "worker", row.contributor); why.code != core::errc::none)
      return why;
  if (const auto trust = parsed->find("trust"); trust != parsed->end())
    row.trust = trust->is_number() ? trust->get<double>() : 0;
  if (const auto input = parsed->find("input"); input != parsed->end())
    row.input = *input;
  if (const auto judgment = parsed->find("judgment"); judgment != parsed->end())
    return read_judgment(fields, *judgment, row.said);
  if (const auto label = parsed->find("label"); label != parsed->end())
    return read_label(fields, *label, row.said);
  return bad_line("there is no member judgment");
}

core::failure read_json_lines(std::string_view text, const std::string& file,
                              const field_values& fields, bool with_contributors,
                              const take_row& use, const refuse_record& refuse) {
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    auto one = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!one.empty() && one.back() == '\r')
      one.remove_suffix(1);
    if (one.find_first_not_of(" \t") == std::string_view::npos)
      continue;
    judgment_row row;
    auto why = read_line(one, fields, with_contributors, row);
    if (why.code == core::errc::none)
      why = use(std::move(row));
    if (why.code == core::errc::none)
      continue;
    why = csv_problem(file, line, why.detail);
    if (!refuse)
      return why;
    refuse(why);
  }
  return {};
}

core::failure read_rows(std::string_view text, judgment_format format, const std::string& file,
                        const field_values& fields, bool with_contributors, const take_row& use,
                        const refuse_record& refuse) {
  if (format == judgment_format::json_lines)
    return read_json_lines(text, file, fields, with_contributors, use, refuse);
  csv_rows rows{fields, with_contributors};
  bool has_header = false;
  const auto take = [&](const csv_record& record) -> core::failure {
    const bool is_header = !std::exchange(has_header, true);
    auto why = rows.take(record, file, use);
    if (why.code == core::errc::none || is_header)
      return why;
    if (why.detail.rfind(file, 0) != 0)
      why = csv_problem(file, record.line, why.detail);
    if (!refuse)
      return why;
    refuse(why);
    return {};
  };
  return refuse ? read_csv(text, file, take, refuse) : read_csv(text, file, take);
}

/// Numbers names in order of appearance.
class numbered_names {
public:
  std::uint32_t number_of(const std::string& name) {
    return numbers_.emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::optional<std::uint32_t> known(const std::string& name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional{found->second};
  }
  std::vector<std::string> take() const {
    std::vector<std::string> names(numbers_.size());
    for (const auto& [name, number] : numbers_)
      names[number] = name;
    return names;
  }

private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// The two items that a unit compares, as its input names them.
core::fields::compared_pair pair_in(const core::fields::field_rule& rule, const json& input) {
  const auto text_at = [&](const std::string& pointer) {
    const auto place = json_pointer::parse(pointer);
    const auto* found = place ? place->find(input) : nullptr;
    return found == nullptr ? std::string{} : answer_text(*found);
  };
  return {text_at(rule.between[0]), text_at(rule.between[1])};
}

} // namespace

core::outcome<field_table> read_field_table(std::string_view text, judgment_format format,
                                            const std::string& file, const field_values& fields,
                                            bool weighs, const refuse_record& refuse) {
  field_table table;
  table.judgments.resize(fields.rules().size());
  table.pairs.resize(fields.rules().size());
  numbered_names units;
  numbered_names contributors;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  const auto take = [&](judgment_row row) -> core::failure {
    if (weighs && !(row.trust > 0 && std::isfinite(row.trust)))
      return bad_line("trust must be a number above 0");
    const auto unit = units.number_of(row.unit);
    const auto contributor = contributors.number_of(row.contributor);
    if (!seen.emplace(unit, contributor).second) {
      ++table.repeated;
      return {};
    }
    const auto lot = core::quality::lot_on(core::quality::lot_of(row.unit),
                                           core::quality::lot_of(row.contributor));
    for (std::size_t rule = 0; rule < row.said.size(); ++rule) {
      table.judgments[rule].push_back(
          {unit, contributor, std::move(row.said[rule]), weighs ? row.trust : 1, lot});
      if (fields.rules()[rule].between.empty())
        continue;
      auto& pairs = table.pairs[rule];
      pairs.resize(std::max<std::size_t>(pairs.size(), unit + 1));
      if (pairs[unit].first.empty())
        pairs[unit] = pair_in(fields.rules()[rule], row.input);
    }
    return {};
  };
  if (auto why = read_rows(text, format, file, fields, true, take, refuse);
      why.code != core::errc::none)
    return why;
  table.units = units.take();
  table.contributors = contributors.take();
  return table;
}

core::outcome<std::vector<std::optional<std::vector<value>>>>
read_field_truths(std::string_view text, judgment_format format, const std::string& file,
                  const field_values& fields, const field_table& table,
                  const refuse_record& refuse) {
  numbered_names units;
  for (const auto& name : table.units)
    units.number_of(name);
  std::vector<std::optional<std::vector<value>>> truths(table.units.size());
  const auto take = [&](judgment_row row) -> core::failure {
    if (const auto unit = units.known(row.unit))
      truths[*unit] = std::move(row.said);
    return {};
  };
  if (auto why = read_rows(text, format, file, fields, false, take, refuse);
      why.code != core::errc::none)
    return why;
  return truths;
}

} // namespace holdfast::documents
