#include "core/step_directory.hpp"

#include <utility>

namespace holdfast::core {

namespace {

class memory_step_directory : public step_directory {
public:
  failure clear() override {
    index_ = {};
    return {};
  }
  failure put(step_listing listing) override {
    index_.put(std::move(listing));
    return {};
  }
  failure erase(const step_id& step) override {
    index_.erase(step);
    return {};
  }
  outcome<std::vector<step_listing>> find(const contributor_profile& profile, double trust,
                                          const std::optional<step_rank>& after,
                                          std::size_t limit) override {
    return index_.find(profile, trust, after, limit);
  }

private:
  step_index index_;
};

} // namespace

std::unique_ptr<step_directory> open_memory_step_directory() {
  return std::make_unique<memory_step_directory>();
}

} // namespace holdfast::core
