#include "http/door.hpp"

#include "http/event_hub.hpp"
#include "http/step_lines.hpp"

#include <cstdint>
#include <utility>

namespace holdfast::http {

namespace {

/// Units of a lineage that are asked for at once, which is as many as may be, and how often.
constexpr std::uint32_t lineage_page = 100;
constexpr unsigned lineage_pages_max = 10;

/// Tasks whose queue a node remembers: some MiB, and more than a node's workers hold at a time.
constexpr std::size_t task_queues_remembered = 16'384;

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
      queues_(std::make_shared<task_queues>(task_queues_remembered)),
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

void door::look_up_queue(const visit& from, core::task_id task,
                         std::function<void(const core::queue_name&)> found) const {
  if (const auto known = queues_->find(task))
    return found(*known);
  send(
      msg::get_task{task},
      [queues = queues_, found = std::move(found)](const msg::task_view& view) {
        queues->remember(view.task, view.queue);
        found(view.queue);
      },
      [call = from.call](const core::failure& why) { call->answer(problem_of(why)); });
}

void door::look_up_step(const visit& from, core::unit_id unit,
                        std::function<void(core::step_id)> found) const {
  look_up_step_in(from, {unit, {}, lineage_page}, lineage_pages_max, std::move(found));
}

void door::look_up_step_in(const visit& from, const msg::get_lineage& page, unsigned pages_left,
                           std::function<void(core::step_id)> found) const {
  gateway_.ask<msg::unit_lineage>(
      page,
      [this, from, unit = page.unit, pages_left,
       found = std::move(found)](const msg::unit_lineage& lineage) {
        for (const auto& one : lineage.units)
          if (one.unit == unit)
            return found(one.step);
        if (!lineage.more || lineage.units.empty())
          return from.call->answer(problem_of({core::errc::not_found, "there is no such unit"}));
        if (pages_left <= 1)
          return from.call->answer(problem_of(
              {{"step_id", "is needed: the item of this unit has too many units to look it up"}}));
        look_up_step_in(from, {unit, lineage.units.back().unit, lineage_page}, pages_left - 1,
                        found);
      },
      [call = from.call](const core::failure& why) { call->answer(problem_of(why)); });
}

} // namespace holdfast::http
