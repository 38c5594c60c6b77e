#include "documents/table_reader.hpp"

#include "core/text.hpp"
#include "documents/json.hpp"
#include "documents/table_splitter.hpp"

#include <array>
#include <utility>

namespace holdfast::documents {

namespace {

struct named_table_format {
  table_format format;
  std::string_view name;
  std::string_view also; ///< Another end of file names.
};

constexpr std::array<named_table_format, 4> table_formats{
    {{table_format::csv, "csv", ""},
     {table_format::tsv, "tsv", "tab"},
     {table_format::ndjson, "ndjson", "jsonl"},
     {table_format::json, "json", ""}}};

std::unique_ptr<table_splitter> splitter_of(table_format format, const table_limits& limits,
                                            take_table_columns columns, take_table_row take) {
  switch (format) {
  case table_format::csv:
    return split_records(',', limits, std::move(columns), std::move(take));
  case table_format::tsv:
    return split_records('\t', limits, std::move(columns), std::move(take));
  case table_format::ndjson:
    return split_lines(limits, std::move(take));
  case table_format::json:
    break;
  }
  return split_array(limits, std::move(take));
}

} // namespace

std::string_view to_string(table_format format) {
  for (const auto& one : table_formats)
    if (one.format == format)
      return one.name;
  return {};
}

std::optional<table_format> table_format_named(std::string_view name) {
  for (const auto& one : table_formats)
    if (one.name == name)
      return one.format;
  return std::nullopt;
}

std::optional<table_format> table_format_of_file(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  const auto end = name.substr(dot + 1);
  for (const auto& one : table_formats)
    if (end == one.name || (!one.also.empty() && end == one.also))
      return one.format;
  return std::nullopt;
}

core::failure table_problem(std::uint64_t line, const std::string& why) {
  return {core::errc::invalid_argument, "line " + std::to_string(line) + ": " + why};
}

core::failure table_splitter::give_object(std::uint64_t line, std::string_view text) const {
  if (text.size() > limits_.row_bytes_max)
    return refuse(line, core::errc::too_large, too_long());
  if (auto why = check_json(text, {text.size(), limits_.depth_max}); why.code != core::errc::none)
    return refuse(line, why.code, std::move(why.detail));
  if (text.front() != '{')
    return refuse(line, core::errc::payload_invalid, "must be a JSON object");
  table_row row;
  row.line = line;
  row.object = text;
  return take_(row);
}

table_reader::table_reader(table_format format, const table_limits& limits, take_columns columns,
                           take_row take)
    : splitter_(splitter_of(format, limits, std::move(columns), std::move(take))) {}

table_reader::~table_reader() = default;

core::failure table_reader::read(std::string_view piece) {
  text_.clear();
  if (auto why = decoder_.read(piece, text_); why.code != core::errc::none)
    return why;
  return splitter_->read(text_);
}

core::failure table_reader::end() {
  text_.clear();
  if (auto why = decoder_.end(text_); why.code != core::errc::none)
    return why;
  if (auto why = splitter_->read(text_); why.code != core::errc::none)
    return why;
  return splitter_->end();
}

} // namespace holdfast::documents
