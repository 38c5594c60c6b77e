#include "http/door.hpp"

#include "http/event_hub.hpp"
#include "http/step_lines.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::http {

namespace {

/// Units of a lineage that are asked for at once, which is as many as may be, and how often.
constexpr std::uint32_t lineage_page = 100;
constexpr unsigned lineage_pages_max = 10;

/// Tasks, units and steps whose places a node remembers: some MiB, and more than a node's workers
/// hold at a time.
constexpr std::size_t places_remembered = 16'384;

} // namespace

std::string_view header_of(const request& from, std::string_view name) {
  for (const auto& one : from.headers)
    if (one.name == name)
      return one.value;
  return {};
}

door::door(door_settings settings, gateway_client gateway)
    : settings_(std::move(settings)),
      gateway_(std::move(gateway)),
      queues_(std::make_shared<task_queues>(places_remembered)),
      steps_(std::make_shared<unit_steps>(places_remembered)),
      workflows_(std::make_shared<step_workflows>(places_remembered)),
      waits_(std::make_shared<open_waits>(settings_.waits_max)),
      events_(std::make_shared<event_hub>(gateway_)),
      lines_(std::make_shared<step_lines>(gateway_)) {}

void door::answer(const visit& from, response made, const std::string& version) {
  const auto& asked = from.call->asked();
  if (asked.method != "GET" || made.status != 200)
    return from.call->answer(std::move(made));
  auto tag = entity_tag_of(made.body, version);
  if (names_tag(header_of(asked, "if-none-match"), tag)) {
    made = {};
    made.status = 304;
    made.content_type.clear();
  }
  made.headers.push_back({"ETag", std::move(tag)});
  from.call->answer(std::move(made));
}

std::function<void(const core::failure&)> door::answer_failure(const visit& from,
                                                               std::string_view kind) const {
  return [from, kind](const core::failure& why) {
    if (from.who->scope.limits() && why.code == core::errc::not_found)
      return from.call->answer(absent(kind));
    refuse(from, why);
  };
}

void door::look_up_queue(const visit& from, core::task_id task,
                         std::function<void(const core::queue_name&)> found) const {
  const auto reached = [from, found = std::move(found)](const core::queue_name& queue) {
    if (!from.who->scope.reaches(queue))
      return from.call->answer(absent("task"));
    found(queue);
  };
  if (const auto known = queues_->find(task))
    return reached(*known);
  send(
      msg::get_task{task},
      [queues = queues_, reached](const msg::task_view& view) {
        queues->remember(view.task, view.queue);
        reached(view.queue);
      },
      answer_failure(from, "task"));
}

void door::look_up_step(const visit& from, core::unit_id unit,
                        std::function<void(core::step_id)> found) const {
  const auto reached = [this, from, found = std::move(found)](core::step_id step) {
    if (!from.who->scope.limits())
      return found(step);
    reach_step(from, step, "unit", [found, step] { found(step); });
  };
  if (const auto known = steps_->find(unit))
    return reached(*known);
  find_step(from, {unit, {}, lineage_page}, lineage_pages_max,
            [steps = steps_, unit, reached](core::step_id step) {
              steps->remember(unit, step);
              reached(step);
            });
}

void door::find_step(const visit& from, const msg::get_lineage& page, unsigned pages_left,
                     std::function<void(core::step_id)> found) const {
  gateway_.ask<msg::unit_lineage>(
      page,
      [this, from, unit = page.unit, pages_left,
       found = std::move(found)](const msg::unit_lineage& lineage) {
        for (const auto& one : lineage.units)
          if (one.unit == unit)
            return found(one.step);
        if (!lineage.more || lineage.units.empty())
          return answer_failure(from, "unit")({core::errc::not_found, "there is no such unit"});
        if (pages_left <= 1)
          return from.call->answer(problem_of(
              {{"step_id", "is needed: the item of this unit has too many units to look it up"}}));
        find_step(from, {unit, lineage.units.back().unit, lineage_page}, pages_left - 1, found);
      },
      answer_failure(from, "unit"));
}

void door::reach_step(const visit& from, core::step_id step, std::string_view kind,
                      std::function<void()> reached) const {
  const auto judge = [from, kind, reached = std::move(reached)](core::workflow_id workflow) {
    if (!from.who->scope.reaches(workflow))
      return from.call->answer(absent(kind));
    reached();
  };
  if (const auto known = workflows_->find(step))
    return judge(*known);
  gateway_.ask<msg::step_statistics>(
      msg::get_step_statistics{step},
      [workflows = workflows_, step, judge](const msg::step_statistics& found) {
        workflows->remember(step, found.step.workflow);
        judge(found.step.workflow);
      },
      answer_failure(from, kind));
}

} // namespace holdfast::http
