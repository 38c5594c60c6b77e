#include "tests/sim/object_faults.hpp"

#include <algorithm>
#include <iterator>

namespace holdfast::sim {

namespace {

const core::failure out_of_reach{core::errc::unavailable, "injected: the store does not answer"};

} // namespace

core::outcome<core::object_ref> object_faults::put(std::string_view bytes) {
  if (random_.hit(rates_.put_fails)) {
    struck_ = true;
    return out_of_reach;
  }
  const auto ref = store_.put(bytes);
  archive_[ref->content] = std::string{bytes};
  swept_.erase(ref->content);
  log_.mix(ref->bytes);
  return ref;
}

core::outcome<std::string> object_faults::get(const core::object_ref& ref) {
  if (random_.hit(rates_.get_fails)) {
    struck_ = true;
    return out_of_reach;
  }
  if (mixes_up_ && !archive_.empty() && random_.below(10) == 0)
    return archive_.begin()->second;
  return store_.get(ref);
}

core::outcome<bool> object_faults::remove_if_older(const core::digest& content,
                                                   core::instant before) {
  auto gone = store_.remove_if_older(content, before);
  if (gone && *gone)
    swept_.insert(content);
  return gone;
}

core::outcome<std::vector<objects::stored_object>> object_faults::list(const core::digest& from,
                                                                       std::uint32_t limit) {
  return store_.list(from, limit);
}

void object_faults::lose_one() {
  if (archive_.empty())
    return;
  const auto victim =
      std::next(archive_.begin(), static_cast<std::ptrdiff_t>(random_.below(archive_.size())));
  const auto gone = store_.remove_if_older(victim->first, core::instant::max());
  if (!gone || !*gone)
    return;
  struck_ = true;
  lost_.insert(victim->second);
  log_.note([&] { return "the object " + to_string(victim->first).substr(0, 8) + " is lost"; });
}

void object_faults::stop() {
  rates_ = {};
  for (const auto& text : lost_)
    static_cast<void>(store_.put(text));
}

bool object_faults::is_swept(const std::string& text) const {
  const auto ref = core::parse_object_ref(text);
  return ref && swept_.count(ref->content) != 0;
}

std::string object_faults::whole(const std::string& text) const {
  const auto ref = core::parse_object_ref(text);
  const auto stored = ref ? archive_.find(ref->content) : archive_.end();
  return stored == archive_.end() ? text : stored->second;
}

} // namespace holdfast::sim
