#include "client/task_handler.hpp"

#include "client/envelope.hpp"
#include "core/occurrence.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace holdfast::client {

task_context::task_context(std::shared_ptr<const msg::leased_task> task,
                           std::shared_ptr<lease_watch> lease, saver save, clock now,
                           const connection* node)
    : task_(std::move(task)),
      lease_(std::move(lease)),
      save_(std::move(save)),
      now_(std::move(now)),
      node_(node) {}

bool task_context::save(const msg::task_update& update) const { return save_(update); }

bool task_context::canceled() const {
  return lease_->over.load() || time_left() == core::duration::zero();
}

core::duration task_context::time_left() const {
  const auto left = lease_->ends.load() - lease_watch::clock::now();
  return std::max(core::duration::zero(), std::chrono::duration_cast<core::duration>(left));
}

core::instant task_context::now() const { return now_(); }

const connection& task_context::node() const {
  if (node_ == nullptr)
    throw std::logic_error{"this task_context was made without a node"};
  return *node_;
}

std::optional<core::instant> task_context::occurrence() const {
  return core::occurrence_of(task_->task);
}

std::string task_context::envelope() const { return envelope_of(*task_); }

} // namespace holdfast::client
