#include "files/output_file.hpp"

#include "files/draft.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ext/stdio_filebuf.h>
#include <filesystem>
#include <string_view>
#include <utility>

namespace holdfast::files {

namespace {

using file_buffer = __gnu_cxx::stdio_filebuf<char>;

/// As many as Linux follows.
constexpr int links_max = 40;

core::failure foreign_link(const std::string& path) {
  return {
      core::errc::invalid_argument,
      path + ": is a symbolic link of another user, which is not followed; name the file itself"};
}

/// The end of a chain of links.
struct destination {
  std::string path;
  /// A descriptor of a process (`/dev/stdout`, `/dev/fd/3`): what it leads to has no other name, or
  /// had one.
  bool is_descriptor = false;
};

/// Where the entry leads to. Looked at and read through one descriptor, so that nobody can exchange
/// it in between.
core::outcome<destination> behind_own_links(std::string path) {
  for (int followed = 0; followed < links_max; ++followed) {
    const int entry = ::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (entry < 0) {
      if (errno == ENOENT)
        return destination{path};
      return failed_on(path, errno);
    }
    struct stat facts {};
    struct statfs system {};
    std::array<char, 4096> target{};
    const bool known = ::fstat(entry, &facts) == 0 && ::fstatfs(entry, &system) == 0;
    const bool link = known && S_ISLNK(facts.st_mode);
    const auto length = link ? ::readlinkat(entry, "", target.data(), target.size()) : 0;
    const int error = errno;
    ::close(entry);
    if (!known || length < 0)
      return failed_on(path, error);
    if (!link)
      return destination{path};
    if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
      return foreign_link(path);
    // `/proc/self` is a link to a directory as any other.
    const std::string_view shown{target.data(), static_cast<std::size_t>(length)};
    if (system.f_type == PROC_SUPER_MAGIC
        && std::filesystem::path{path}.parent_path().filename() == "fd")
      return destination{path, true};
    const std::filesystem::path next{shown};
    path = next.is_absolute() ? next.string()
                              : (std::filesystem::path{path}.parent_path() / next).string();
  }
  return failed_on(path, ELOOP);
}

/// A terminal, a pipe or a device, as it is.
core::outcome<int> open_as_it_is(const destination& to) {
  const int descriptor = ::open(to.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC
                                                     | (to.is_descriptor ? 0 : O_NOFOLLOW));
  if (descriptor < 0)
    return failed_on(to.path, errno);
  struct stat opened {};
  const bool known = ::fstat(descriptor, &opened) == 0;
  const bool foreign = opened.st_uid != ::geteuid() && opened.st_uid != 0;
  if (known
      && (to.is_descriptor || (!S_ISREG(opened.st_mode) && !(S_ISFIFO(opened.st_mode) && foreign))))
    return descriptor;
  ::close(descriptor);
  return core::failure{core::errc::invalid_argument,
                       to.path + ": belongs to another user, who would be given what is written"};
}

} // namespace

struct output_file::state {
  std::string path;  ///< Of the file itself.
  std::string draft; ///< Empty: it is written to as it is.
  file_buffer buffer;
  std::ostream stream;

  state(std::string file, std::string written_to, int descriptor)
      : path(std::move(file)),
        draft(std::move(written_to)),
        buffer(descriptor, std::ios::out | std::ios::binary),
        stream(&buffer) {}
  ~state() {
    if (!draft.empty())
      ::unlink(draft.c_str());
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
};

output_file::output_file(std::unique_ptr<state> opened) : state_(std::move(opened)) {}
output_file::output_file(output_file&&) noexcept = default;
output_file& output_file::operator=(output_file&&) noexcept = default;
output_file::~output_file() = default;

core::outcome<output_file> output_file::create(const std::string& path) {
  const auto file = behind_own_links(path);
  if (!file)
    return file.error();
  struct stat there {};
  const bool exists = ::stat(file->path.c_str(), &there) == 0;
  if (!exists && errno != ENOENT)
    return failed_on(file->path, errno);
  if (file->is_descriptor || (exists && !S_ISREG(there.st_mode))) {
    const auto descriptor = open_as_it_is(*file);
    if (!descriptor)
      return descriptor.error();
    return output_file{std::make_unique<state>(file->path, std::string{}, *descriptor)};
  }
  auto draft = draft_name(file->path);
  if (draft.empty())
    return failed_on(file->path, errno);
  const int descriptor =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return failed_on(file->path, errno);
  // An owner who has kept the file from others wants that of the next one, too, and to have it.
  if (exists
      && (::fchmod(descriptor, there.st_mode & 0755) != 0
          || (there.st_uid != ::geteuid() && ::fchown(descriptor, there.st_uid, there.st_gid) != 0
              && errno != EPERM))) {
    const int error = errno;
    ::close(descriptor);
    ::unlink(draft.c_str());
    return failed_on(file->path, error);
  }
  return output_file{std::make_unique<state>(file->path, std::move(draft), descriptor)};
}

std::ostream& output_file::stream() { return state_->stream; }

core::outcome<std::string> output_directory(const std::string& path) {
  // With a slash at its end the name of a link would mean what it leads to.
  auto directory = behind_own_links((std::filesystem::path{path} / "").parent_path().string());
  if (!directory)
    return directory.error();
  std::error_code failed;
  std::filesystem::create_directories(directory->path, failed);
  if (failed)
    return core::failure{core::errc::invalid_argument, directory->path + ": " + failed.message()};
  return directory->path;
}

core::outcome<bool> output_file::finish() {
  const auto& path = state_->path;
  errno = 0;
  if (!state_->stream.flush())
    return failed_on(path, errno != 0 ? errno : EIO); // 0: it was an earlier write that failed
  if (state_->draft.empty())
    return true;
  if (::fsync(state_->buffer.fd()) != 0 || ::rename(state_->draft.c_str(), path.c_str()) != 0)
    return failed_on(path, errno);
  state_->draft.clear();
  sync_directory_of(path);
  return true;
}

} // namespace holdfast::files
