#include "objects/file_object_store.hpp"

#include "objects/posix_file.hpp"
#include "objects/sha256.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <sys/file.h>
#include <unistd.h>

namespace holdfast::objects {

namespace {

namespace fs = std::filesystem;

/// No writer needs so long for one file; what is older in `new` is of one that has died.
constexpr core::duration draft_left_after = std::chrono::hours{1};

/// Holds a folder against all who put into it or remove from it, in this process and others, until
/// the descriptor is closed. Readers need it not.
core::outcome<descriptor> hold_folder(const fs::path& folder) {
  auto held = open_directory(folder);
  while (held && ::flock(held->number(), LOCK_EX) != 0)
    if (errno != EINTR)
      return file_failure("lock", folder);
  return held;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !error;
}

/// Removes drafts of writers that have died.
core::outcome<bool> remove_old_drafts(const fs::path& drafts, core::instant now) {
  std::error_code error;
  for (fs::directory_iterator at{drafts, error}, end; !error && at != end; at.increment(error)) {
    const auto facts = facts_of(at->path());
    if (facts && facts->changed_at + draft_left_after < now)
      ::unlink(at->path().c_str()); // who cannot be removed now is tried again at the next start
  }
  if (error)
    return core::failure{core::errc::unavailable,
                         "cannot list " + drafts.string() + ": " + error.message()};
  return true;
}

/// The objects of one folder that are not below `from`, in order.
core::outcome<std::vector<core::digest>> digests_in(const fs::path& folder,
                                                    const core::digest& from) {
  std::vector<core::digest> found;
  std::error_code error;
  for (fs::directory_iterator at{folder, error}, end; !error && at != end; at.increment(error))
    if (const auto content = core::parse_digest(at->path().filename().string());
        content && !(*content < from))
      found.push_back(*content);
  if (error && error != std::errc::no_such_file_or_directory)
    return core::failure{core::errc::unavailable,
                         "cannot list " + folder.string() + ": " + error.message()};
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace

core::outcome<std::unique_ptr<file_object_store>> file_object_store::open(const fs::path& directory,
                                                                          clock now) {
  const auto drafts = directory / "new";
  for (const auto& path : {directory, drafts})
    if (const auto made = make_directory(path); !made)
      return made.error();
  for (const auto& path : {directory, drafts})
    if (const auto usable = open_directory(path); !usable)
      return usable.error();
  if (const auto cleared = remove_old_drafts(drafts, now()); !cleared)
    return cleared.error();
  return std::unique_ptr<file_object_store>{new file_object_store{directory, std::move(now)}};
}

fs::path file_object_store::folder_of(std::uint8_t first_byte) const {
  core::digest any;
  any.bytes[0] = first_byte;
  return directory_ / core::to_string(any).substr(0, 2);
}

fs::path file_object_store::path_of(const core::digest& content) const {
  return folder_of(content.bytes[0]) / core::to_string(content);
}

core::outcome<core::object_ref> file_object_store::put(std::string_view bytes) {
  const auto ref = ref_of(bytes);
  const auto folder = folder_of(ref.content.bytes[0]);
  const auto path = path_of(ref.content);
  // Written also when the file is there: that makes it young, and whole if it was damaged.
  const auto draft = directory_ / "new"
                     / (core::to_string(ref.content) + '.' + std::to_string(::getpid()) + '.'
                        + std::to_string(++drafts_));
  if (const auto written = write_new_file(draft, bytes, now_()); !written)
    return written.error();
  const auto fail = [&](core::failure why) {
    ::unlink(draft.c_str());
    return why;
  };
  if (const auto made = is_there(folder) ? true : make_directory(folder); !made)
    return fail(made.error());
  const auto held = hold_folder(folder);
  if (!held)
    return fail(held.error());
  if (::rename(draft.c_str(), path.c_str()) != 0)
    return fail(file_failure("rename " + draft.string() + " to", path));
  if (const auto durable = sync_directory(*held, folder); !durable)
    return durable.error();
  return ref;
}

core::outcome<std::string> file_object_store::get(const core::object_ref& ref) {
  const auto path = path_of(ref.content);
  auto bytes = read_file(path, ref.bytes);
  if (bytes && sha256(*bytes) != ref.content)
    return core::failure{core::errc::damaged,
                         path.string() + " is not what was stored: its SHA-256 is another one"};
  return bytes;
}

core::outcome<bool> file_object_store::remove_if_older(const core::digest& content,
                                                       core::instant before) {
  const auto path = path_of(content);
  const auto folder = folder_of(content.bytes[0]);
  if (!is_there(folder))
    return false;
  const auto held = hold_folder(folder);
  if (!held)
    return held.error();
  const auto facts = facts_of(path);
  if (!facts)
    return facts.error().code == core::errc::not_found ? core::outcome<bool>{false} : facts.error();
  if (facts->changed_at >= before)
    return false;
  if (::unlink(path.c_str()) != 0)
    return file_failure("remove", path);
  return true; // if a crash undoes it, it is found again
}

core::outcome<std::vector<stored_object>> file_object_store::list(const core::digest& from,
                                                                  std::uint32_t limit) {
  std::vector<stored_object> page;
  for (unsigned first = from.bytes[0]; first < 256 && page.size() < limit; ++first) {
    const auto digests = digests_in(folder_of(static_cast<std::uint8_t>(first)), from);
    if (!digests)
      return digests.error();
    for (std::size_t i = 0; i < digests->size() && page.size() < limit; ++i) {
      const auto facts = facts_of(path_of((*digests)[i]));
      if (facts)
        page.push_back({(*digests)[i], facts->bytes, facts->changed_at});
      else if (facts.error().code == core::errc::unavailable)
        return facts.error();
    }
  }
  return page;
}

} // namespace holdfast::objects
