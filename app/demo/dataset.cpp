#include "app/demo/dataset.hpp"

#include "core/quality/labels.hpp"
#include "core/workflow.hpp"
#include "documents/csv.hpp"
#include "documents/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace holdfast::app::demo {

namespace {

/// Taken when no answer of the set says how long it took.
constexpr double seconds_when_unknown = 5;

/// Ten years: beyond it the column means something else.
constexpr double seconds_max = 3.2e8;

/// The contributor's name in the system is `<set>/<worker>`, with a number where sets share a name.
constexpr std::size_t prefix_bytes_max = 64;
constexpr std::size_t label_bytes_max = 1024;

/// Of form.json: the hints of a form have at most a kilobyte, without the white space.
constexpr documents::json_limits form_limits{16UL * 1024, 16};

using documents::csv_record;
constexpr auto* problem_at = documents::csv_problem;

/// A table with named columns.
struct table {
  std::string file;
  std::vector<csv_record> rows;
  documents::csv_columns columns;

  bool has(const std::string& column) const { return columns.count(column) != 0; }
  const std::string& at(const csv_record& row, const std::string& column) const {
    return row.fields[columns.at(column)];
  }
};

core::outcome<table> read_table(std::string_view text, const std::string& file,
                                const std::vector<std::string>& required) {
  auto records = documents::parse_csv(text, file);
  if (!records)
    return records.error();
  if (records->empty())
    return problem_at(file, 1, "the file is empty; its first line must name the columns");
  auto columns = documents::columns_of(records->front(), file, required);
  if (!columns)
    return columns.error();
  table result{file, {}, std::move(*columns)};
  for (auto row = std::next(records->begin()); row != records->end(); ++row) {
    if (auto problem = documents::check_width(*row, file, result.columns.size());
        problem.code != core::errc::none)
      return problem;
    result.rows.push_back(std::move(*row));
  }
  return result;
}

core::failure check_field(const table& from, const csv_record& row, const std::string& column,
                          std::size_t bytes_max) {
  const auto problem = documents::check_text(from.at(row, column), column, bytes_max);
  return problem.code == core::errc::none ? problem
                                          : problem_at(from.file, row.line, problem.detail);
}

/// Empty for an empty field.
core::outcome<std::optional<double>> read_seconds(const table& from, const csv_record& row) {
  if (!from.has("seconds") || from.at(row, "seconds").empty())
    return std::optional<double>{};
  const auto& text = from.at(row, "seconds");
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0)
      || value > seconds_max)
    return problem_at(from.file, row.line,
                      "seconds must be a number from 0 to "
                          + std::to_string(std::llround(seconds_max)) + ", not `" + text + '`');
  return std::optional<double>{value};
}

double median(std::vector<double> values) {
  if (values.empty())
    return seconds_when_unknown;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

core::outcome<std::map<std::string, std::string>> read_truth(std::string_view text,
                                                             const std::string& file) {
  std::map<std::string, std::string> truth;
  if (text.empty())
    return truth;
  const auto known = read_table(text, file, {"task", "label"});
  if (!known)
    return known.error();
  for (const auto& row : known->rows) {
    const auto& label = known->at(row, "label");
    const auto [at, fresh] = truth.emplace(known->at(row, "task"), label);
    if (!fresh && at->second != label)
      return problem_at(file, row.line,
                        "task `" + at->first + "` was `" + at->second + "` above and is `" + label
                            + "` here");
  }
  return truth;
}

core::outcome<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (!in.good() && !in.eof())
    return core::failure{core::errc::invalid_argument, path.string() + ": cannot be read"};
  return text;
}

/// Fills in what people see of the set.
core::failure read_form(std::string_view text, const std::string& file, dataset& into) {
  const auto mistake = [&](const std::string& what) {
    return core::failure{core::errc::invalid_argument, file + ": " + what};
  };
  if (const auto problem = documents::check_json(text, form_limits);
      problem.code != core::errc::none)
    return mistake(problem.detail);
  const auto form = nlohmann::json::parse(text);
  if (!form.is_object())
    return mistake("must be a JSON object with title and ui");
  for (const auto& [name, value] : form.items()) {
    if (name == "title" && value.is_string())
      into.title = value.get<std::string>();
    else if (name == "ui" && value.is_object())
      into.ui = value.dump();
    else
      return mistake("may have title, a text, and ui, an object; found `" + name + '`');
  }
  if (into.ui.size() > core::ui_bytes_max)
    return mistake("ui has " + std::to_string(into.ui.size()) + " bytes, and may have "
                   + std::to_string(core::ui_bytes_max));
  return {};
}

} // namespace

std::size_t dataset::answers() const {
  std::size_t count = 0;
  for (const auto& unit : units)
    count += unit.answers;
  return count;
}

core::outcome<dataset> parse_dataset(const std::string& name, std::string_view answers_csv,
                                     std::string_view truth_csv) {
  if (const auto problem = documents::check_text(name, "the name of the set", prefix_bytes_max);
      problem.code != core::errc::none)
    return problem;
  const auto truth = read_truth(truth_csv, name + "/truth.csv");
  if (!truth)
    return truth.error();
  const auto given = read_table(answers_csv, name + "/answers.csv", {"worker", "task", "label"});
  if (!given)
    return given.error();

  dataset set;
  set.name = name;
  std::map<std::string, std::size_t> unit_of;
  std::map<std::string, std::size_t> contributor_of;
  std::set<std::pair<std::size_t, std::size_t>> answered;
  std::vector<double> known_seconds;
  std::vector<std::pair<std::size_t, std::size_t>> without_seconds; // contributor, answer
  for (const auto& row : given->rows) {
    constexpr auto worker_bytes_max = core::contributor_id_bytes_max - prefix_bytes_max - 8;
    for (const auto& [column, bytes_max] :
         {std::pair{"worker", worker_bytes_max}, std::pair{"task", core::source_key_bytes_max},
          std::pair{"label", label_bytes_max}})
      if (auto problem = check_field(*given, row, column, bytes_max);
          problem.code != core::errc::none)
        return problem;
    const auto seconds = read_seconds(*given, row);
    if (!seconds)
      return seconds.error();

    const auto& task = given->at(row, "task");
    const auto unit = unit_of.emplace(task, set.units.size()).first->second;
    if (unit == set.units.size()) {
      const auto known = truth->find(task);
      set.units.push_back(
          {task, 0, known == truth->end() ? std::nullopt : std::optional{known->second}});
    }
    const auto& worker = given->at(row, "worker");
    const auto who = contributor_of.emplace(worker, set.contributors.size()).first->second;
    if (who == set.contributors.size())
      set.contributors.push_back({worker, {}});

    if (!answered.emplace(who, unit).second) {
      ++set.repeated;
      continue;
    }
    if (++set.units[unit].answers > core::judgments_per_unit_max)
      return problem_at(given->file, row.line,
                        "task `" + task + "` has more than "
                            + std::to_string(core::judgments_per_unit_max) + " answers");
    auto& answers = set.contributors[who].answers;
    answers.push_back({unit, given->at(row, "label"), seconds->value_or(0)});
    if (*seconds)
      known_seconds.push_back(**seconds);
    else
      without_seconds.emplace_back(who, answers.size() - 1);
    set.labels.push_back(answers.back().label);
  }
  if (set.units.empty())
    return problem_at(given->file, 1, "there is no answer in the file");
  core::quality::sort_labels(set.labels);
  set.labels.erase(std::unique(set.labels.begin(), set.labels.end()), set.labels.end());
  const auto usual = median(std::move(known_seconds));
  for (const auto& [who, answer] : without_seconds)
    set.contributors[who].answers[answer].seconds = usual;
  return set;
}

core::outcome<dataset> read_dataset(const std::filesystem::path& directory) {
  std::error_code ignored;
  const auto answers_path = directory / "answers.csv";
  if (!std::filesystem::is_regular_file(answers_path, ignored))
    return core::failure{core::errc::invalid_argument,
                         answers_path.string()
                             + ": there is no such file; a data set is a "
                               "directory with answers.csv and truth.csv"};
  const auto answers = read_file(answers_path);
  if (!answers)
    return answers.error();
  core::outcome<std::string> truth = std::string{};
  if (std::filesystem::exists(directory / "truth.csv", ignored))
    truth = read_file(directory / "truth.csv");
  if (!truth)
    return truth.error();
  // `data/x/` and `data/x/.` are called x, too.
  const auto whole = std::filesystem::weakly_canonical(directory, ignored);
  auto set = parse_dataset(whole.filename().string(), *answers, *truth);
  const auto form_path = directory / "form.json";
  if (!set || !std::filesystem::exists(form_path, ignored))
    return set;
  const auto form = read_file(form_path);
  if (!form)
    return form.error();
  if (auto problem = read_form(*form, set->name + "/form.json", *set);
      problem.code != core::errc::none)
    return problem;
  return set;
}

} // namespace holdfast::app::demo
