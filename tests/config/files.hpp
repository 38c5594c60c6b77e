#pragma once

#include "config/load.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace holdfast::test {

/// A directory of its own for one test; gone with it.
struct files {
  files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "holdfast-XXXXXX").string();
    directory = mkdtemp(pattern.data());
  }
  ~files() {
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
  files(const files&) = delete;
  files& operator=(const files&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto path = directory / name;
    std::ofstream{path, std::ios::binary} << text;
    return path.string();
  }

  /// Loads `toml` as the only input.
  config::loaded load_toml(const std::string& toml) const {
    config::inputs given;
    given.file = write("node.toml", toml);
    return config::load(given);
  }

  std::filesystem::path directory;
};

inline config::loaded load_flag(const std::string& key, const std::string& value) {
  config::inputs given;
  given.flags = {{key, value}};
  return config::load(given);
}

inline config::loaded load_variable(const std::string& name, const std::string& value) {
  config::inputs given;
  given.environment = {{name, value}};
  return config::load(given);
}

/// All problems as one text, one in each line.
inline std::string said(const config::loaded& result) {
  std::string text;
  for (const auto& found : result.problems)
    text += found.text + '\n';
  return text;
}

inline bool says(const config::loaded& result, const std::string& part) {
  return said(result).find(part) != std::string::npos;
}

} // namespace holdfast::test
