#pragma once

#include "actors/context.hpp"
#include "messages/operations.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::actors {

/// The part of `writer_gauges::queued` that one change is: what it weighs, from when it was decided
/// until the writer's answer has been read. A writer that waits for its database reads no message,
/// so it could not count what is on its way to it.
class rows_under_way {
public:
  rows_under_way() = default;
  rows_under_way(context_ptr context, std::size_t rows)
      : context_(std::move(context)), rows_(rows) {
    context_->gauges.writer.queued += rows_;
  }
  rows_under_way(rows_under_way&& other) noexcept
      : context_(std::move(other.context_)), rows_(other.rows_) {}
  rows_under_way& operator=(rows_under_way&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(rows_, other.rows_);
    return *this;
  }
  ~rows_under_way() {
    if (context_)
      context_->gauges.writer.queued -= rows_;
  }

  std::size_t rows() const { return rows_; }

private:
  context_ptr context_;
  std::size_t rows_ = 0;
};

/// Whether the writers have as much to do as they may, with `more` rows that somebody is about to
/// decide. What is decided all the same, because nobody could be told to come again, they take as
/// well, up to a bound; see writer.hpp.
inline bool writers_are_busy(const node_context& context, std::size_t more = 0) {
  return context.gauges.writer.queued + more >= context.settings.batching.high_water;
}

/// Why a request that would write is refused now, which it is before anything is decided: whoever
/// refuses it is as it was.
inline core::failure room_to_write(node_context& context, std::size_t more = 0) {
  if (!writers_are_busy(context, more))
    return {};
  ++context.gauges.overloaded;
  return {core::errc::overloaded,
          std::to_string(context.settings.batching.high_water) + " writes are waiting already"};
}

/// The same of a request of this kind.
template <class Message>
core::failure room_for(node_context& context) {
  return msg::needs_room<Message> ? room_to_write(context) : core::failure{};
}

/// How many rows the writers may be given of what keeps leases, which goes before all else: up to
/// twice the mark, so that they still take what their other senders cannot put off.
inline std::size_t room_for_extensions(const node_context& context) {
  const auto most = 2 * context.settings.batching.high_water;
  return most - std::min<std::size_t>(most, context.gauges.writer.queued);
}

} // namespace holdfast::actors
