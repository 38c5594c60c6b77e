#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::objects {

/// An open file or directory; closed with its end.
class descriptor {
public:
  descriptor() = default;
  explicit descriptor(int number) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor();

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

private:
  int number_ = -1;
};

/// `unavailable`: what was to be done with which file, and what the system said (errno).
core::failure file_failure(const std::string& what, const std::filesystem::path& path);

/// Opens a directory, which is not a link.
core::outcome<descriptor> open_directory(const std::filesystem::path& path);

/// Creates a directory for its owner only, durably. True also when it is there.
core::outcome<bool> make_directory(const std::filesystem::path& path);

/// Makes the entries of the directory durable.
core::outcome<bool> sync_directory(const descriptor& directory, const std::filesystem::path& path);

/// Writes a new file for its owner only, with that time of change, durably but for its entry in the
/// directory. Nothing is left of it when that fails.
core::outcome<bool> write_new_file(const std::filesystem::path& path, std::string_view bytes,
                                   core::instant changed_at);

/// What the system knows of a file.
struct file_facts {
  std::uint64_t bytes = 0;
  core::instant changed_at;
};

/// The facts of a regular file; `not_found` when there is none.
core::outcome<file_facts> facts_of(const std::filesystem::path& path);

/// All of a regular file that has `bytes` bytes: `not_found` when there is none, `damaged` when it
/// has another size. Reads no more than that.
core::outcome<std::string> read_file(const std::filesystem::path& path, std::uint64_t bytes);

} // namespace holdfast::objects
