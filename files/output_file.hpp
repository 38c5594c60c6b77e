#pragma once

#include "core/outcome.hpp"

#include <memory>
#include <ostream>
#include <string>

/// Files that somebody asks a command to write, such as an export. They may lie where others write
/// as well.
namespace holdfast::files {

/// Takes the place of `path` as a whole when it is finished, and leaves nothing behind when it is
/// not. A symbolic link is followed where it is this user's or root's, which nobody else can have
/// laid; a terminal, a pipe or a device is written to as it is.
class output_file {
public:
  /// `invalid_argument` with the path and what is wrong.
  static core::outcome<output_file> create(const std::string& path);

  output_file(output_file&&) noexcept;
  output_file& operator=(output_file&&) noexcept;
  ~output_file();

  std::ostream& stream();
  /// To be called once, with all of it written. `invalid_argument` when that was not possible.
  core::outcome<bool> finish();

private:
  struct state;
  explicit output_file(std::unique_ptr<state> opened);
  std::unique_ptr<state> state_;
};

/// The directory for such files, made if need be; links as above. Where it is in the end.
core::outcome<std::string> output_directory(const std::string& path);

/// Has `write` fill such a file, and finishes it.
template <class Write>
core::outcome<bool> write_output(const std::string& path, const Write& write) {
  auto file = output_file::create(path);
  if (!file)
    return file.error();
  write(file->stream());
  return file->finish();
}

} // namespace holdfast::files
