#include "objects/memory_object_store.hpp"

#include "objects/sha256.hpp"

namespace holdfast::objects {

namespace {

const core::failure unreachable{core::errc::unavailable, "the object store is out of reach"};

std::string name_of(const core::digest& content) {
  return "the object sha256:" + core::to_string(content);
}

} // namespace

core::outcome<core::object_ref> memory_object_store::put(std::string_view bytes) {
  const auto ref = ref_of(bytes);
  const std::lock_guard lock{mutex_};
  if (!reachable_)
    return unreachable;
  objects_[ref.content] = {std::string{bytes}, now_()};
  return ref;
}

core::outcome<std::string> memory_object_store::get(const core::object_ref& ref) {
  const std::lock_guard lock{mutex_};
  if (!reachable_)
    return unreachable;
  const auto found = objects_.find(ref.content);
  if (found == objects_.end())
    return core::failure{core::errc::not_found, name_of(ref.content) + " is not in memory"};
  const auto& bytes = found->second.bytes;
  if (!(ref_of(bytes) == ref))
    return core::failure{core::errc::damaged, name_of(ref.content) + " is not what was stored"};
  return bytes;
}

core::outcome<bool> memory_object_store::remove_if_older(const core::digest& content,
                                                         core::instant before) {
  const std::lock_guard lock{mutex_};
  if (!reachable_)
    return unreachable;
  const auto found = objects_.find(content);
  if (found == objects_.end() || found->second.stored_at >= before)
    return false;
  objects_.erase(found);
  return true;
}

core::outcome<std::vector<stored_object>> memory_object_store::list(const core::digest& from,
                                                                    std::uint32_t limit) {
  const std::lock_guard lock{mutex_};
  if (!reachable_)
    return unreachable;
  std::vector<stored_object> page;
  for (auto at = objects_.lower_bound(from); at != objects_.end() && page.size() < limit; ++at)
    page.push_back({at->first, at->second.bytes.size(), at->second.stored_at});
  return page;
}

void memory_object_store::reachable(bool is) {
  const std::lock_guard lock{mutex_};
  reachable_ = is;
}

void memory_object_store::overwrite(const core::digest& content, std::string bytes) {
  const std::lock_guard lock{mutex_};
  if (const auto found = objects_.find(content); found != objects_.end())
    found->second.bytes = std::move(bytes);
}

} // namespace holdfast::objects
