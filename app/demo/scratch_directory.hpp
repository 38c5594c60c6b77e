#pragma once

#include "core/outcome.hpp"

#include <filesystem>

namespace holdfast::app::demo {

/// A new directory that is removed with everything in it, unless it is kept.
class scratch_directory {
public:
  /// Below the system's place for temporary files. Other users may enter it: as root, the private
  /// database runs as another one.
  static core::outcome<scratch_directory> make();

  scratch_directory(scratch_directory&& other) noexcept;
  scratch_directory& operator=(scratch_directory&& other) noexcept;
  ~scratch_directory();

  void keep() { keep_ = true; }
  const std::filesystem::path& path() const { return path_; }

private:
  explicit scratch_directory(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
  bool keep_ = false;
};

} // namespace holdfast::app::demo
