#include "app/labelled_set_directory.hpp"

#include "app/printable.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

namespace holdfast::app {

namespace {

core::outcome<std::string> text_of(const std::filesystem::path& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem); // of a directory a problem, too
  std::ifstream in{path, std::ios::binary};
  std::string text(problem ? 0 : size, '\0');
  if (problem || !in || !in.read(text.data(), static_cast<std::streamsize>(text.size())))
    return core::failure{core::errc::invalid_argument, path.string() + ": cannot be read"};
  return text;
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
  const auto answers = text_of(answers_path);
  if (!answers)
    return answers.error();
  core::outcome<std::string> truth = std::string{};
  if (const auto path = directory / "truth.csv"; std::filesystem::exists(path, ignored))
    truth = text_of(path);
  if (!truth)
    return truth.error();
  return documents::parse_labelled_set(directory.string(), *answers, *truth, rule, refuse);
}

core::outcome<std::vector<double>> read_trust(const std::filesystem::path& file,
                                              const std::vector<std::string>& contributors) {
  const auto text = text_of(file);
  if (!text)
    return text.error();
  return documents::parse_trust(file.string(), *text, contributors);
}

} // namespace holdfast::app
