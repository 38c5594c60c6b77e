#pragma once

#include "objects/object_store.hpp"

#include <atomic>
#include <filesystem>
#include <memory>

namespace holdfast::objects {

/// Objects as files of a local directory:
///
///     <directory>/3f/3f79bb…   one object, named by its digest, in one of 256 folders
///     <directory>/new/…        what is being written
///
/// A file is written beside, made durable, and only then gets its name: under a name there is a
/// whole object or none, whatever crashes. What the disk did to it afterwards is found out when it
/// is read. Several processes may share the directory.
class file_object_store : public object_store {
public:
  /// Creates the directory, for its owner only, if it is not there, and removes what writers that
  /// have died left in `new`. `unavailable` when it cannot be used.
  static core::outcome<std::unique_ptr<file_object_store>>
  open(const std::filesystem::path& directory, clock now);

  core::instant time_now() const override { return now_(); }
  core::outcome<core::object_ref> put(std::string_view bytes) override;
  core::outcome<std::string> get(const core::object_ref& ref) override;
  core::outcome<bool> remove_if_older(const core::digest& content, core::instant before) override;
  core::outcome<std::vector<stored_object>> list(const core::digest& from,
                                                 std::uint32_t limit) override;

  /// Where the object is, or would be.
  std::filesystem::path path_of(const core::digest& content) const;

private:
  file_object_store(std::filesystem::path directory, clock now)
      : directory_(std::move(directory)), now_(std::move(now)) {}

  std::filesystem::path folder_of(std::uint8_t first_byte) const;

  const std::filesystem::path directory_;
  const clock now_;
  std::atomic<std::uint64_t> drafts_{0};
};

} // namespace holdfast::objects
