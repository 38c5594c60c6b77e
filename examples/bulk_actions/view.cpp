#include "examples/bulk_actions/view.hpp"

#include "examples/bulk_actions/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>

namespace bulk {

namespace {

using nlohmann::json;

/// ISO 8601, UTC.
std::string text_of(core::instant at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

json members_of(const receipt& given) {
  return {{"task_id", core::to_string(given.task)},
          {"location", "/bulk/tasks/" + core::to_string(given.task)},
          {"created_date", text_of(given.created)},
          {"created_by", given.created_by},
          {"modified_date", text_of(given.modified)},
          {"modified_by", given.modified_by}};
}

/// What the person is told of the way a task ended; nothing where there is nothing to say.
const catalogue_entry* said_of(const std::string& status, const std::string& error_code) {
  if (status == "FORGOTTEN")
    return &entry_for(error::not_kept);
  return status == "FAILURE" || status == "ERROR" ? &entry_for(error_code) : nullptr;
}

} // namespace

receipt receipt_of(const request_row& request) {
  return {request.task, request.created, request.owner, request.created, request.owner};
}

std::string to_json(const receipt& given) { return members_of(given).dump(); }

requester_view view_of(const request_row& request, const task_row& task) {
  requester_view view{receipt_of(request), request.action, "QUEUED", 0, "", "", ""};
  if (task.status == "STAGED")
    return view;
  view.about.modified = task.last_action;
  view.about.modified_by = request.run_as;
  view.status = task.status == "REFUSED" ? "ERROR" : task.status;
  view.percent = task.percent;
  view.result = task.result;
  if (const auto* entry = said_of(view.status, task.error_code); entry != nullptr) {
    view.error_code = entry->code;
    view.message = entry->message;
  }
  return view;
}

std::string to_json(const requester_view& view) {
  auto members = members_of(view.about);
  members["action"] = view.action;
  members["workflow_status"] = view.status;
  members["percent"] = view.percent;
  if (!view.error_code.empty())
    members["error"] = {{"code", view.error_code}, {"message", view.message}};
  if (!view.result.empty())
    members["result"] = json::parse(view.result, nullptr, false);
  return members.dump();
}

} // namespace bulk
