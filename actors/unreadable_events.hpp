#pragma once

#include "actors/context.hpp"
#include "core/change.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace holdfast::actors {

/// The events of a shard that cannot be read and that one reader of its table has met. Each is
/// logged once, however often it is met.
class unreadable_events {
public:
  /// Logs those of a page that are new, in one line. The first of all in it, new or not; 0: none.
  core::event_seq note(const context_ptr& context, const std::string& reader, core::shard_id shard,
                       const std::vector<core::sequenced_event>& page) {
    core::event_seq first = 0;
    const core::sequenced_event* first_new = nullptr;
    std::size_t count = 0;
    if (known_.size() > known_max)
      known_.clear(); // so that some may be logged once more
    for (const auto& e : page)
      if (e.event.type == core::event_type::event_unreadable) {
        first = first == 0 ? e.id.seq : first;
        if (known_.insert(e.id.seq).second && count++ == 0)
          first_new = &e;
      }
    if (first_new != nullptr)
      context->log(log_level::error, "events_unreadable",
                   {{"consumer", reader},
                    {"shard", std::to_string(shard)},
                    {"seq", std::to_string(first_new->id.seq)},
                    {"count", std::to_string(count)},
                    {"details", first_new->event.details}});
    return first;
  }

private:
  static constexpr std::size_t known_max = 1000;

  std::set<core::event_seq> known_;
};

} // namespace holdfast::actors
