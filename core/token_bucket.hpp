#pragma once

#include "core/time.hpp"

namespace holdfast::core {

/// A token bucket: `per_second` on average, `burst` at once. Source: J. Turner, "New directions in
/// communications (or which way to the information age?)", 1986.
struct rate_limit {
  double per_second = 0; ///< 0: no limit.
  double burst = 1;      ///< At least 1.
};

/// The state of one token bucket.
class token_bucket {
public:
  token_bucket() = default;
  /// One that had a single one at `began`, and has gained since.
  explicit token_bucket(instant began) : started_(true), level_(1), at_(began) {}

  /// Whether one may be taken at `now`.
  bool open(const rate_limit& limit, instant now) const;
  /// Takes one; only after `open`.
  void take(const rate_limit& limit, instant now);
  /// When `open` will next be true, if nobody takes anything before.
  instant opens_at(const rate_limit& limit, instant now) const;
  /// Whether it has no less than `fresh`, of which nothing was ever taken.
  bool as_new(const rate_limit& limit, const token_bucket& fresh, instant now) const;

private:
  double level(const rate_limit& limit, instant now) const;

  bool started_ = false;
  double level_ = 0;
  instant at_;
};

} // namespace holdfast::core
