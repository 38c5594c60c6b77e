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

routed_result routed_result_in(std::string_view text) {
  const auto details = details_of(text);
  routed_result result;
  result.revision = details.value("revision", std::uint32_t{1});
  if (const auto route = details.find("route"); route != details.end())
    result.next_steps = route->at("to").get<std::vector<std::string>>();
  return result;
}

ended_task ended_task_in(std::string_view ended_details) {
  const auto details = details_of(ended_details);
  const auto task = core::parse_uuid(details.at("task_id").get<std::string>());
  const auto ending = core::task_ending_named(details.at("ending").get<std::string>());
  HOLDFAST_INVARIANT(task && ending, "core wrote the details of the event");
  return {{*task}, *ending};
}

std::optional<core::job_news> job_news_in(std::string_view step_details) {
  if (step_details.empty()) // of a node of the time before steps told how they stand
    return std::nullopt;
  const auto details = details_of(step_details);
  const auto job = details.find("job");
  if (job == details.end())
    return std::nullopt;
  const auto status = core::job_status_named(job->at("status").get<std::string>());
  HOLDFAST_INVARIANT(status, "core wrote the details of the event");
  return core::job_news{job->at("revision").get<std::uint64_t>(), *status};
}

} // namespace holdfast::documents
