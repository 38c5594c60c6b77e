#pragma once

#include "core/errors.hpp"
#include "core/invariant.hpp"

#include <utility>
#include <variant>

namespace holdfast::core {

/// A value or the failure that stands in its place. What every fallible function outside the hot
/// path returns.
template <class T>
class outcome {
public:
  outcome(T value) : content_(std::move(value)) {}
  outcome(failure why) : content_(std::move(why)) {
    HOLDFAST_INVARIANT(error().code != errc::none, "a failure carries a code");
  }

  explicit operator bool() const { return content_.index() == 0; }
  T& operator*() { return std::get<0>(content_); }
  const T& operator*() const { return std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  const failure& error() const { return std::get<1>(content_); }

private:
  std::variant<T, failure> content_;
};

} // namespace holdfast::core
