#pragma once

#include "objects/object_store.hpp"

#include <map>
#include <mutex>

namespace holdfast::objects {

/// Objects in memory: for tests in virtual time. It can be damaged and taken away, as disks are.
class memory_object_store : public object_store {
public:
  explicit memory_object_store(clock now) : now_(std::move(now)) {}

  core::instant time_now() const override { return now_(); }
  core::outcome<core::object_ref> put(std::string_view bytes) override;
  core::outcome<std::string> get(const core::object_ref& ref) override;
  core::outcome<bool> remove_if_older(const core::digest& content, core::instant before) override;
  core::outcome<std::vector<stored_object>> list(const core::digest& from,
                                                 std::uint32_t limit) override;

  /// From now on every call fails with `unavailable`, or works again.
  void reachable(bool is);
  /// The object then has these bytes instead of its own; without it, nothing happens.
  void overwrite(const core::digest& content, std::string bytes);

private:
  struct object {
    std::string bytes;
    core::instant stored_at;
  };

  const clock now_;
  std::mutex mutex_;
  bool reachable_ = true;
  std::map<core::digest, object> objects_;
};

} // namespace holdfast::objects
