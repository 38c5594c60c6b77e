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

/// Gives the `wanted` columns of each record but the first, which names them.
core::failure read_columns(std::string_view text, const std::string& file,
                           const std::vector<std::string>& wanted, const take_fields& take) {
  std::size_t width = 0;
  std::vector<std::size_t> places;
  std::vector<const std::string*> fields(wanted.size());
  const auto problem = read_csv(text, file, [&](const csv_record& record) -> core::failure {
    if (width == 0) {
      const auto columns = columns_of(record, file, wanted);
      if (!columns)
        return columns.error();
      width = columns->size();
      for (const auto& column : wanted)
        places.push_back(columns->at(column));
      return {};
    }
    if (auto bad = check_width(record, file, width); bad.code != core::errc::none)
      return bad;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      fields[i] = &record.fields[places[i]];
      if (const auto bad = check_text(*fields[i], wanted[i], set_name_bytes_max);
          bad.code != core::errc::none)
        return csv_problem(file, record.line, bad.detail);
    }
    return take(fields, record.line);
  });
  if (problem.code == core::errc::none && width == 0)
    return csv_problem(file, 1, "the file is empty; its first line must name the columns");
  return problem;
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

core::failure read_truth(std::string_view text, const std::string& file, labelled_set& set) {
  const auto unit_of = numbers_of(set.named.units);
  const auto label_of = numbers_of(set.named.labels);
  std::unordered_map<std::string, std::string> seen;
  std::size_t rows = 0;
  return read_columns(text, file, {"task", "label"}, [&](const auto& fields, std::size_t line) {
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
    if (unit == unit_of.end())
      return core::failure{};
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
  });
}

} // namespace

core::outcome<labelled_set> parse_labelled_set(const std::string& name,
                                               std::string_view answers_csv,
                                               std::string_view truth_csv, quality::repeats rule) {
  const auto answers_file = name + "/answers.csv";
  quality::answers_builder builder;
  bool any = false;
  auto problem = read_columns(answers_csv, answers_file, {"worker", "task", "label"},
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
    problem = read_truth(truth_csv, name + "/truth.csv", set);
  if (problem.code != core::errc::none)
    return problem;
  return set;
}

core::outcome<std::vector<double>> parse_trust(const std::string& file, std::string_view csv,
                                               const std::vector<std::string>& contributors) {
  std::unordered_map<std::string, double> known;
  const auto problem =
      read_columns(csv, file, {"worker", "trust"}, [&](const auto& fields, std::size_t line) {
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
