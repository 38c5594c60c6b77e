#pragma once

#include "core/object_ref.hpp"
#include "core/outcome.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Where documents are kept that are too large for a row.
namespace holdfast::objects {

/// One object, as whoever sweeps sees it.
struct stored_object {
  core::digest content;
  std::uint64_t bytes = 0;
  core::instant stored_at; ///< Of the last `put` of these bytes.
};

/// The port of the OBJECT STORE: bytes under the digest of what they are.
///
/// An object never changes, so nothing has to be agreed on: a row refers to it by address, and
/// whoever has the address knows whether it got the right bytes. What is stored and referred to by
/// no row is waste, not damage; it is swept when it is old.
///
/// The rule that keeps a sweep from taking what is about to be referred to: `put` makes the object
/// young, also when it was there, and `remove_if_older` looks at the age in the same step in which
/// it removes. So whoever puts, and then commits the reference within the sweep's grace, is safe.
///
/// Every call waits for the disk or the network, and may come from any thread. Failures say which
/// file or address they are about:
///   `not_found`    it is not there;
///   `damaged`      it is there and is not what was stored;
///   `unavailable`  the store could not be read or written; the same call may succeed later.
class object_store {
public:
  using clock = std::function<core::instant()>;

  virtual ~object_store() = default;

  /// Now, on the clock by which `stored_at` and `remove_if_older` go. It waits for nothing.
  virtual core::instant time_now() const = 0;

  /// Stores the bytes and returns their address. Durable when it returns.
  virtual core::outcome<core::object_ref> put(std::string_view bytes) = 0;

  /// The bytes of that address, whole and checked against it.
  virtual core::outcome<std::string> get(const core::object_ref& ref) = 0;

  /// Removes the object if it was last put before `before`. False when it was not, or is not there.
  virtual core::outcome<bool> remove_if_older(const core::digest& content,
                                              core::instant before) = 0;

  /// Up to `limit` objects in order of address, from the first one that is not below `from`. What
  /// is put or removed meanwhile may or may not be among them.
  virtual core::outcome<std::vector<stored_object>> list(const core::digest& from,
                                                         std::uint32_t limit) = 0;
};

} // namespace holdfast::objects
