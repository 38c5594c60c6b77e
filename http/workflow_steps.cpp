#include "http/workflow_steps.hpp"

#include "messages/workflow_messages.hpp"

#include <iterator>
#include <utility>

namespace holdfast::http {

namespace {

/// Workflows and foreign steps that are remembered: some MiB at most.
constexpr std::size_t workflows_most = 1'000;
constexpr std::size_t others_most = 10'000;

} // namespace

std::optional<bool> workflow_steps::has(core::workflow_id workflow, core::step_id step) const {
  const auto found = workflows_.find(workflow);
  if (found == workflows_.end())
    return std::nullopt;
  if (found->second.own.count(step) != 0)
    return true;
  if (found->second.others.count(step) != 0)
    return false;
  return std::nullopt;
}

void workflow_steps::look_up(core::workflow_id workflow, core::step_id step,
                             std::function<void(const core::failure&)> then) {
  if (workflows_.size() >= workflows_most && workflows_.count(workflow) == 0)
    for (auto at = workflows_.begin(); at != workflows_.end();)
      at = at->second.asked.empty() ? workflows_.erase(at) : std::next(at);
  auto& of = workflows_[workflow];
  if (!of.asked.empty()) {
    of.later.emplace_back(step, std::move(then));
    return;
  }
  of.asked.emplace_back(step, std::move(then));
  read(workflow, 0, 0);
}

void workflow_steps::read(core::workflow_id workflow, std::uint32_t version, std::uint32_t latest) {
  gateway_.ask<msg::workflow_view>(
      msg::get_workflow{workflow, version},
      [weak = weak_from_this(), workflow, version, latest](const msg::workflow_view& view) {
        const auto self = weak.lock();
        if (!self)
          return;
        auto& of = self->workflows_[workflow];
        for (const auto& one : view.steps)
          of.own.insert(one.step);
        // The steps of versions in between may be in no other.
        const auto last = version == 0 ? view.latest : latest;
        if (of.versions + 1 < last)
          return self->read(workflow, ++of.versions, last);
        of.versions = last;
        self->end(workflow, {});
      },
      [weak = weak_from_this(), workflow](const core::failure& why) {
        if (const auto self = weak.lock())
          self->end(workflow, why);
      });
}

void workflow_steps::end(core::workflow_id workflow, const core::failure& why) {
  auto& of = workflows_[workflow];
  const auto asked = std::exchange(of.asked, {});
  if (of.others.size() >= others_most)
    of.others.clear();
  if (why.code == core::errc::none)
    for (const auto& [step, then] : asked)
      if (of.own.count(step) == 0)
        of.others.insert(step);
  of.asked = std::exchange(of.later, {});
  if (!of.asked.empty())
    read(workflow, 0, 0);
  for (const auto& [step, then] : asked)
    then(why);
}

} // namespace holdfast::http
