#include "app/whole_file.hpp"

#include <fstream>

namespace holdfast::app {

core::outcome<std::string> text_of_whole_file(const std::filesystem::path& path) {
  std::error_code problem;
  const auto size = std::filesystem::file_size(path, problem); // of a directory a problem, too
  std::ifstream in{path, std::ios::binary};
  std::string text(problem ? 0 : size, '\0');
  if (problem || !in || !in.read(text.data(), static_cast<std::streamsize>(text.size())))
    return core::failure{core::errc::invalid_argument, path.string() + ": cannot be read"};
  return text;
}

} // namespace holdfast::app
