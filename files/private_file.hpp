#pragma once

#include "core/outcome.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/types.h>

/// Files and directories whose content others must not read, choose or redirect. Every secret is
/// read, and every file of a node's own is written, through these functions.
namespace holdfast::files {

/// The whole of a secret. It must be a regular file, reached without a symbolic link as its last
/// step, of this user or of root, that nobody else can read or write (its group may read it).
/// `invalid_argument` with the path and what is wrong, `too_large` above `bytes_max`.
core::outcome<std::string> read_secret(const std::string& path, std::size_t bytes_max);

/// The whole of a file that is no secret: regular, and reached without a symbolic link as its last
/// step. Errors as above.
core::outcome<std::string> read_plain(const std::string& path, std::size_t bytes_max);

enum class existing {
  keep,    ///< `already_exists` when there is such a file.
  replace, ///< Any entry under that name gives way, also a symbolic link.
};

/// Puts a file in place as a whole and on disk: it is written under a name that nobody can guess,
/// then takes its place in one step. Links that others have laid are never followed. `mode` is
/// exact, whatever the umask.
core::outcome<bool> write_whole(const std::string& path, std::string_view content, mode_t mode,
                                existing there);

/// Opens a file for a lock, made if need be, for its owner only. Follows no link; -1 with `errno`.
int open_lock(const std::string& path);

/// Makes a directory with all above it, where it is missing, writable for its owner only; then
/// checks it as `check_directory` does.
core::outcome<bool> make_directory(const std::string& path);

/// Whether a directory belongs to this user, also where that is root, and nobody else can write
/// there: whoever can, replaces files and lays links. `invalid_argument` with
/// what is wrong and what to do.
core::outcome<bool> check_directory(const std::string& path);

} // namespace holdfast::files
