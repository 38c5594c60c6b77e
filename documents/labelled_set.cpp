#include "documents/labelled_set.hpp"

#include "documents/csv.hpp"
#include "documents/json.hpp"

#include <charconv>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holdfast::documents {

namespace {

namespace quality = core::quality;

/// Every which row of the truth may be a test question.
constexpr std::size_t test_question_stride = 10;

/// What is done with the wanted fields of a record, and the line it begins on.
using take_fields =
    std::function<core::failure(const std::vector<const std::string*>& fields, std::size_t line)>;

/// The fault of a field of this column; `none` if the field has none.
core::failure check_set_field(const std::string& text, bool quoted, const std::string& column) {
  const bool label = column == "label";
  if (label && quoted && text.empty())
    return {};
  auto problem = check_text(text, column, label ? set_label_bytes_max : set_name_bytes_max);
  if (label && text.empty())
    problem.detail += R"(; write "" where the answer is the empty text)";
  return problem;
}

/// Gives the `wanted` columns of each record but the first, which names them. With `refuse` a
/// record that is not as it should be, or that `take` fails on, is told to it and left out.
core::failure read_columns(std::string_view text, const std::string& file,
                           const std::vector<std::string>& wanted, const refuse_record& refuse,
                           const take_fields& take) {
  std::size_t width = 0;
  std::vector<std::size_t> places;
  std::vector<const std::string*> fields(wanted.size());
  core::failure no_columns; // why nothing can be read
  const auto check = [&](const csv_record& record) -> core::failure {
    if (auto bad = check_width(record, file, width); bad.code != core::errc::none)
      return bad;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      fields[i] = &record.fields[places[i]];
      if (const auto bad = check_set_field(*fields[i], record.quoted[places[i]], wanted[i]);
          bad.code != core::errc::none)
        return csv_problem(file, record.line, bad.detail);
    }
    return take(fields, record.line);
  };
  const auto take_one = [&](const csv_record& record) -> core::failure {
    if (no_columns.code != core::errc::none)
      return no_columns;
    if (width > 0) {
      auto bad = check(record);
      if (bad.code == core::errc::none || !refuse)
        return bad;
      refuse(bad);
      return {};
    }
    const auto columns = columns_of(record, file, wanted);
    if (!columns)
      return columns.error();
    width = columns->size();
    for (const auto& column : wanted)
      places.push_back(columns->at(column));
    return {};
  };
  const auto refuse_one = [&](const core::failure& why) {
    if (width > 0)
      refuse(why);
    else if (no_columns.code == core::errc::none)
      no_columns = why;
  };
  const auto problem =
      read_csv(text, file, take_one, refuse ? refuse_record{refuse_one} : refuse_record{});
  if (problem.code != core::errc::none)
    return problem;
  if (no_columns.code != core::errc::none)
    return no_columns;
  if (width == 0)
    return csv_problem(file, 1, "the file is empty; its first line must name the columns");
  return {};
}

using numbers = std::unordered_map<std::string_view, std::uint32_t>;

numbers numbers_of(const std::vector<std::string>& names) {
  numbers result;
  for (std::uint32_t i = 0; i < names.size(); ++i)
    result.emplace(names[i], i);
  return result;
}

/// None of what is no number from 0 to 1.
std::optional<double> share_in(const std::string& text) {
  double value = -1;
  const auto* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc{} || end != last || !(value >= 0 && value <= 1))
    return std::nullopt;
  return value;
}

core::failure read_truth(std::string_view text, const std::string& file, labelled_set& set,
                         const refuse_record& refuse) {
  const auto unit_of = numbers_of(set.named.units);
  const auto label_of = numbers_of(set.named.labels);
  std::unordered_map<std::string, std::string> seen;
  std::size_t rows = 0;
  const auto take = [&](const auto& fields, std::size_t line) {
    const auto& task = *fields[0];
    const auto& label = *fields[1];
    const auto row = rows++;
    if (const auto [known, fresh] = seen.emplace(task, label); known->second != label)
      return csv_problem(file, line,
                         "task `" + task + "` was `" + known->second + "` above and is `" + label
                             + "` here");
    else if (!fresh)
      return core::failure{};
    const auto unit = unit_of.find(task);
    if (unit == unit_of.end()) {
      if (set.truths_of_no_task++ == 0)
        set.first_of_no_task = task;
      return core::failure{};
    }
    const auto heard = label_of.find(label);
    if (heard == label_of.end()) {
      if (set.truths_nobody_gave++ == 0)
        set.first_nobody_gave = {task, label};
      return core::failure{};
    }
    auto& part = row % test_question_stride == 0 ? set.test_questions : set.held_back;
    set.truth[unit->second] = heard->second;
    part[unit->second] = heard->second;
    return core::failure{};
  };
  return read_columns(text, file, {"task", "label"}, refuse, take);
}

} // namespace

core::outcome<labelled_set> parse_labelled_set(const std::string& name,
                                               std::string_view answers_csv,
                                               std::string_view truth_csv, quality::repeats rule,
                                               const refuse_record& refuse) {
  const auto answers_file = name + "/answers.csv";
  quality::answers_builder builder;
  bool any = false;
  auto problem = read_columns(answers_csv, answers_file, {"worker", "task", "label"}, refuse,
                              [&](const auto& fields, std::size_t) {
                                builder.add(*fields[0], *fields[1], *fields[2]);
                                any = true;
                                return core::failure{};
                              });
  if (problem.code != core::errc::none)
    return problem;
  if (!any)
    return csv_problem(answers_file, 1, "there is no answer in the file");
  labelled_set set;
  set.named = builder.finish(rule);
  set.truth.assign(set.named.units.size(), quality::unknown_label);
  set.test_questions = set.truth;
  set.held_back = set.truth;
  if (!truth_csv.empty())
    problem = read_truth(truth_csv, name + "/truth.csv", set, refuse);
  if (problem.code != core::errc::none)
    return problem;
  return set;
}

core::outcome<std::vector<double>> parse_trust(const std::string& file, std::string_view csv,
                                               const std::vector<std::string>& contributors) {
  std::unordered_map<std::string, double> known;
  const auto problem = read_columns(
      csv, file, {"worker", "trust"}, nullptr, [&](const auto& fields, std::size_t line) {
        const auto trust = share_in(*fields[1]);
        if (!trust)
          return csv_problem(file, line, "`" + *fields[1] + "` is no trust from 0 to 1");
        if (!known.emplace(*fields[0], *trust).second)
          return csv_problem(file, line, "worker `" + *fields[0] + "` has trust above already");
        return core::failure{};
      });
  if (problem.code != core::errc::none)
    return problem;
  std::vector<double> all;
  for (const auto& contributor : contributors) {
    const auto found = known.find(contributor);
    if (found == known.end())
      return core::failure{core::errc::invalid_argument, file + ": add a row for worker `"
                                                             + contributor
                                                             + "`, who has answers and no trust"};
    all.push_back(found->second);
  }
  return all;
}

} // namespace holdfast::documents
