#include "http/open_claims.hpp"

#include <utility>

namespace holdfast::http {

open_claims::turn::turn(std::shared_ptr<open_claims> all, core::assignment_id claim)
    : all_(std::move(all)), claim_(claim) {
  const std::lock_guard lock{all_->mutex_};
  number_ = ++all_->numbers_;
  auto& mine = all_->claims_[claim_];
  ++mine.turns;
  mine.last = number_;
}

open_claims::turn::~turn() {
  const std::lock_guard lock{all_->mutex_};
  const auto mine = all_->claims_.find(claim_);
  if (--mine->second.turns == 0)
    all_->claims_.erase(mine);
}

bool open_claims::turn::is_last() const {
  const std::lock_guard lock{all_->mutex_};
  return all_->claims_.at(claim_).last == number_;
}

} // namespace holdfast::http
