#include "documents/event_details.hpp"

#include "core/invariant.hpp"
#include "documents/parse.hpp"

#include <limits>

namespace holdfast::documents {

namespace {

nlohmann::json details_of(std::string_view text) {
  auto details = parse_json(text, {std::numeric_limits<std::size_t>::max(), 1000});
  HOLDFAST_INVARIANT(details && details->is_object(), "core wrote the details of the event");
  return std::move(*details);
}

} // namespace

std::vector<std::string> next_steps_in(std::string_view finalized_details) {
  const auto details = details_of(finalized_details);
  const auto route = details.find("route");
  if (route == details.end())
    return {};
  return route->at("to").get<std::vector<std::string>>();
}

ended_task ended_task_in(std::string_view ended_details) {
  const auto details = details_of(ended_details);
  const auto task = core::parse_uuid(details.at("task_id").get<std::string>());
  const auto ending = core::task_ending_named(details.at("ending").get<std::string>());
  HOLDFAST_INVARIANT(task && ending, "core wrote the details of the event");
  return {{*task}, *ending};
}

} // namespace holdfast::documents
