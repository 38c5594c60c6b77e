#include "app/labelled_set_directory.hpp"

#include "app/printable.hpp"
#include "app/whole_file.hpp"
#include "documents/text.hpp"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

/// As many as show how answers are spelled.
std::string some_of(const std::vector<std::string>& labels) {
  constexpr std::size_t shown_max = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), shown_max); ++i)
    list += (i > 0 ? ", `" : "`") + labels[i] + '`';
  return labels.size() > shown_max ? list + ", …" : list;
}

} // namespace

documents::refuse_record refused_rows::teller() {
  return [this](const core::failure& why) {
    ++count_;
    std::cerr << "holdfast: refused: " << printable(why.detail) << '\n';
  };
}

core::outcome<documents::labelled_set> read_labelled_set(const std::filesystem::path& directory,
                                                         core::quality::repeats rule,
                                                         const documents::refuse_record& refuse) {
  std::error_code ignored;
  const auto answers_path = directory / "answers.csv";
  if (!std::filesystem::is_regular_file(answers_path, ignored))
    return core::failure{core::errc::invalid_argument,
                         answers_path.string()
                             + ": there is no such file; a data set is a directory with answers.csv"
                               " and, where something is known to be true, truth.csv"};
  const auto answers = text_of_whole_file(answers_path);
  if (!answers)
    return answers.error();
  core::outcome<std::string> truth = std::string{};
  if (const auto path = directory / "truth.csv"; std::filesystem::exists(path, ignored))
    truth = text_of_whole_file(path);
  if (!truth)
    return truth.error();
  return documents::parse_labelled_set(directory.string(), *answers, *truth, rule, refuse);
}

void tell_of_truths_nobody_gave(const std::filesystem::path& directory,
                                const documents::labelled_set& set) {
  const auto shown = [](const std::string& name) {
    return '`' + documents::printable(name, 100) + '`';
  };
  // Where all tasks have their truth, the answers are a part of a larger set.
  const auto without = core::quality::unknown_label;
  const bool some_without =
      std::find(set.truth.begin(), set.truth.end(), without) != set.truth.end();
  if (set.truths_of_no_task > 0 && some_without)
    std::cerr << "holdfast: warning: " << (directory / "truth.csv").string() << ": "
              << set.truths_of_no_task << (set.truths_of_no_task == 1 ? " truth is" : " truths are")
              << " left out, because nobody answered the task: " << shown(set.first_of_no_task)
              << "; tasks with answers are " << documents::printable(some_of(set.named.units), 200)
              << '\n';
  if (set.truths_nobody_gave == 0)
    return;
  const auto& one = set.first_nobody_gave;
  std::cerr << "holdfast: warning: " << (directory / "truth.csv").string() << ": "
            << set.truths_nobody_gave << (set.truths_nobody_gave == 1 ? " truth is" : " truths are")
            << " left out, because nobody gave such an answer to any task: " << shown(one.label)
            << " of task " << shown(one.task) << "; answers are "
            << documents::printable(some_of(set.named.labels), 200) << '\n';
}

nlohmann::ordered_json truths_nobody_gave(const documents::labelled_set& set) {
  if (set.truths_nobody_gave == 0)
    return nullptr;
  return {{"count", set.truths_nobody_gave},
          {"task", set.first_nobody_gave.task},
          {"label", set.first_nobody_gave.label}};
}

core::outcome<std::vector<double>> read_trust(const std::filesystem::path& file,
                                              const std::vector<std::string>& contributors) {
  const auto text = text_of_whole_file(file);
  if (!text)
    return text.error();
  return documents::parse_trust(file.string(), *text, contributors);
}

} // namespace holdfast::app
