#pragma once

#include "core/time.hpp"
#include "http/door.hpp"
#include "http/open_waits.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace holdfast::http {

/// One request that waits. Its result, the end of its time, the hanging up of its client and the
/// end of the node may come at the same time, on several threads: the first of them that settles
/// the request answers it. For any thread.
class waiting_call : public std::enable_shared_from_this<waiting_call> {
public:
  /// `given_up` runs once, on any thread, where the client hangs up or the node drains before the
  /// request is settled; then the call has been answered. It is kept for as long as this is, and
  /// must not keep this.
  waiting_call(const visit& from, std::function<void()> given_up);

  /// Takes a place among the waits of the door. Null: there is none, and the call has been answered
  /// so.
  static std::shared_ptr<waiting_call> begin(const door& through, const visit& from,
                                             std::function<void()> given_up);
  /// A request that is not to wait: it takes no place, and its client may hang up as well.
  static std::shared_ptr<waiting_call> begin_without_place(const visit& from,
                                                           std::function<void()> given_up);

  /// From now on `given_up` may run. To be called when the request that it takes back is sent.
  void arm();

  /// True for the first that asks: it answers the call. The place is free from then on.
  bool settle();
  bool is_settled() const { return settled_.load(); }
  const visit& from() const { return from_; }

private:
  void give_up(response with);

  const visit from_;
  const std::function<void()> given_up_;
  open_waits::place_ptr place_;
  std::atomic<bool> settled_{false};
  std::mutex mutex_;
  bool armed_ = false;
  bool is_given_up_ = false; ///< Before it was armed.
};
using waiting_call_ptr = std::shared_ptr<waiting_call>;

/// The answer to a request that has waited in vain.
response no_content();

/// Whether the query says how long to wait, even if not at all.
bool names_wait(const visit& from);

} // namespace holdfast::http
