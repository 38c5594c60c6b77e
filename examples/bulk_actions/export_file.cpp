#include "examples/bulk_actions/export_file.hpp"

#include "examples/bulk_actions/catalogue.hpp"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace bulk {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const fs::path& path, const std::string& what) {
  throw trouble{error::disk_unavailable,
                what + " " + path.string() + ": " + std::generic_category().message(errno)};
}

/// A file or directory that is open, until the end of its life.
class opened {
public:
  opened(const fs::path& path, int flags) : path_(path), descriptor_(open_at(path, flags)) {}
  ~opened() { ::close(descriptor_); }

  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;

  void cut(std::int64_t bytes) const {
    if (::ftruncate(descriptor_, bytes) != 0)
      give_up(path_, "cannot cut");
  }

  void write(const std::string& text, std::int64_t at) const {
    std::size_t done = 0;
    while (done < text.size()) {
      const auto wrote = ::pwrite(descriptor_, text.data() + done, text.size() - done,
                                  at + static_cast<std::int64_t>(done));
      if (wrote < 0 && errno != EINTR)
        give_up(path_, "cannot write");
      done += wrote > 0 ? static_cast<std::size_t>(wrote) : 0U;
    }
  }

  void sync() const {
    if (::fsync(descriptor_) != 0)
      give_up(path_, "cannot sync");
  }

private:
  static int open_at(const fs::path& path, int flags) {
    const auto descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (descriptor < 0)
      give_up(path, "cannot open");
    return descriptor;
  }

  const fs::path path_;
  const int descriptor_;
};

} // namespace

fs::path export_path(const fs::path& directory, const core::task_id& task) {
  return directory / (core::to_string(task) + ".csv");
}

export_file::export_file(fs::path directory, const core::task_id& task, core::token token)
    : directory_(std::move(directory)), task_(task), token_(token) {}

export_file::~export_file() {
  std::error_code failed;
  if (fs::exists(export_path(directory_, task_), failed))
    clear();
}

fs::path export_file::part_of(core::token token) const {
  return directory_ / (core::to_string(task_) + '.' + std::to_string(token) + ".part");
}

/// Copies at most what one export may hold. A worker that died before it moved the bookmark may
/// have left a file of ours; and bytes behind the bookmark are of chunks that never happened.
void export_file::begin_with(const bookmark& at) {
  std::error_code failed;
  fs::create_directories(directory_, failed);
  const auto mine = part_of(token_);
  if (at.bytes > 0 && at.file_token != token_) {
    fs::copy_file(part_of(at.file_token), mine, fs::copy_options::overwrite_existing, failed);
    if (failed)
      throw trouble{error::disk_unavailable, mine.string() + ": " + failed.message()};
  }
  opened{mine, O_WRONLY | O_CREAT}.cut(at.bytes);
  begun_ = true;
}

bookmark export_file::append(bookmark at, const std::string& text) {
  if (!begun_)
    begin_with(at);
  const opened file{part_of(token_), O_WRONLY};
  file.write(text, at.bytes);
  file.sync();
  at.bytes += static_cast<std::int64_t>(text.size());
  at.file_token = token_;
  return at;
}

/// A disk that does not say is asked again by what comes next.
bool export_file::has(const bookmark& at) const {
  std::error_code failed;
  return at.bytes == 0 || begun_ || fs::exists(part_of(at.file_token), failed) || failed
         || fs::exists(export_path(directory_, task_), failed) || failed;
}

void export_file::publish(const bookmark& at) {
  const auto whole = export_path(directory_, task_);
  std::error_code failed;
  if (!fs::exists(whole, failed)) {
    const auto part = part_of(at.file_token);
    // A chunk that was written and not committed is behind the bookmark.
    opened{part, O_WRONLY}.cut(at.bytes);
    if (::rename(part.c_str(), whole.c_str()) != 0)
      give_up(whole, "cannot make");
  }
  // The name is on the disk when the directory is. Only then is anybody told of it.
  opened{directory_, O_RDONLY | O_DIRECTORY}.sync();
  clear();
}

void export_file::clear() noexcept {
  const auto begin = core::to_string(task_) + '.';
  std::error_code failed; // what cannot be removed now is litter, and no harm
  for (fs::directory_iterator entry{directory_, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    const auto name = entry->path().filename().string();
    if (name.compare(0, begin.size(), begin) == 0 && entry->path().extension() == ".part")
      fs::remove(entry->path(), failed);
  }
}

} // namespace bulk
