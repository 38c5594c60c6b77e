#pragma once

#include "core/outcome.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

/// A directory for tests about files, and what they look at there.
namespace holdfast::test {

inline constexpr uid_t nobody = 65534;

struct scratch {
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "holdfast-files-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(name.data()) != nullptr);
    directory = name;
  }
  ~scratch() { std::filesystem::remove_all(directory); }

  std::string at(const std::string& name) const { return (directory / name).string(); }
  std::string put(const std::string& name, const std::string& text, mode_t mode = 0600) const {
    std::ofstream{at(name)} << text;
    BOOST_REQUIRE(::chmod(at(name).c_str(), mode) == 0);
    return at(name);
  }
  static std::string text_of(const std::string& path) {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  static mode_t mode_of(const std::string& path) {
    struct stat facts {};
    BOOST_REQUIRE(::lstat(path.c_str(), &facts) == 0);
    return facts.st_mode & 07777;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{directory},
                                                  std::filesystem::directory_iterator{}));
  }

  std::filesystem::path directory;
};

template <class Value>
core::errc code_of(const core::outcome<Value>& outcome) {
  return outcome ? core::errc::none : outcome.error().code;
}

} // namespace holdfast::test
