#include "examples/bulk_actions/endpoints.hpp"

#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/export_file.hpp"
#include "examples/shared/exec_params.hpp"

#include <pqxx/pqxx>

#include <type_traits>
#include <utility>

namespace bulk {

namespace {

using examples::exec_params;

constexpr const char* insert_request = R"sql(
  INSERT INTO bulk.requests (task_id, action, version, spec, owner_id, run_as_id)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING)sql";
// Shares and limits are per key, so the requester is the key: nobody's million delays anybody's
// ten.
constexpr const char* enqueue = R"sql(
  SELECT holdfast.enqueue($1, $2, $3::jsonb, version => $4, task_id => $5::uuid, key => $6,
                          owner_id => $6, run_as_id => $7))sql";
constexpr const char* select_requests = R"sql(
  SELECT r.task_id, r.action, r.spec, r.owner_id, r.run_as_id,
         (extract(epoch FROM r.created_date) * 1000000)::bigint AS created,
         coalesce(t.workflow_status, i.status, e.status) AS status,
         coalesce(t.percent, CASE WHEN i.task_id IS NULL AND b.finished THEN 100 END, 0) AS percent,
         coalesce(t.error_code, i.refusal, e.error_code, '') AS error_code,
         coalesce(t.result::text, '') AS result,
         (extract(epoch FROM coalesce(t.last_action, r.created_date)) * 1000000)::bigint
           AS last_action
  FROM bulk.requests r
  LEFT JOIN report.tasks t ON t.task_id = r.task_id
  LEFT JOIN report.task_intake i ON i.task_id = r.task_id AND t.task_id IS NULL
  LEFT JOIN bulk.bookmarks b ON b.task_id = r.task_id
  -- Holdfast has forgotten the task, long after its end: the bookmark still knows of a good one.
  LEFT JOIN LATERAL (
    SELECT CASE WHEN NOT coalesce(b.finished, false) THEN 'FORGOTTEN'
                WHEN b.refused > 0 AND r.action = 'bulk.send_mail' THEN 'FAILURE'
                ELSE 'COMPLETED' END AS status,
           CASE WHEN b.finished AND b.refused > 0 AND r.action = 'bulk.send_mail'
                THEN 'RECIPIENTS_REFUSED' END AS error_code
    WHERE t.task_id IS NULL AND i.task_id IS NULL) AS e ON true)sql";

request_row request_of(const pqxx::row& row) {
  request_row read;
  read.task.value = *core::parse_uuid(row["task_id"].as<std::string>());
  read.action = row["action"].as<std::string>();
  read.owner = row["owner_id"].as<staff_id>();
  read.run_as = row["run_as_id"].as<staff_id>();
  read.created = core::from_micros(row["created"].as<std::int64_t>());
  return read;
}

requester_view view_of_row(const pqxx::row& row) {
  return view_of(request_of(row),
                 task_row{row["status"].as<std::string>(), row["percent"].as<std::uint32_t>(),
                          row["error_code"].as<std::string>(), row["result"].as<std::string>(),
                          core::from_micros(row["last_action"].as<std::int64_t>())});
}

pqxx::result find_request(pqxx::transaction_base& tx, const core::task_id& task) {
  return exec_params(tx, std::string{select_requests} + " WHERE r.task_id = $1",
                     core::to_string(task));
}

/// The receipt of what is there now: of this request, or of the same one made before.
answer<receipt> receipt_for(pqxx::transaction_base& tx, const caller& by, const std::string& action,
                            const std::string& spec) {
  const auto row = find_request(tx, by.request).front();
  const auto request = request_of(row);
  if (request.owner != by.who || request.run_as != by.run_as || request.action != action
      || row["spec"].as<std::string>() != spec)
    return refusal{error::request_known, "choose another id"};
  return receipt_of(request);
}

/// Each id once and in order, as the bookmark needs them.
template <class Action>
void put_in_order(Action& what) {
  if (auto* list = std::get_if<by_ids>(&what.who))
    what.who = in_order(std::move(*list));
}
void put_in_order(change_unit_status&) {} // by their places in the step
void put_in_order(enrol&) {}

template <class Action>
bool reaches_too_many(pqxx::transaction_base& tx, const Action& what, const std::string& campus,
                      std::int64_t most) {
  return count_people(tx, what.who, campus, most + 1) > most;
}
bool reaches_too_many(pqxx::transaction_base& tx, const change_unit_status& what,
                      const std::string&, std::int64_t most) {
  return count_units(tx, what.step, what.who, most + 1) > most;
}
bool reaches_too_many(pqxx::transaction_base&, const enrol&, const std::string&, std::int64_t) {
  return false;
}

} // namespace

template <class Action>
answer<receipt> endpoints::ask_about(const caller& by, Action what, std::int64_t targets_max) {
  if (!by.request)
    return refusal{error::request_invalid, "the request has no id"};
  put_in_order(what);
  if (auto why = objection(what); !why.empty())
    return refusal{error::request_invalid, std::move(why)};
  const auto spec = encode(what);
  if (auto why = objection_to_spec(spec); !why.empty())
    return refusal{error::request_invalid, std::move(why)};
  return pool_->run<pqxx::work>([&](auto& tx) -> answer<receipt> {
    // Asked again after a lost answer. It stands, whatever has changed since: its task looks for
    // itself whether it still may.
    if (!find_request(tx, by.request).empty())
      return receipt_for(tx, by, Action::type, spec);
    const auto run_as = find_staff(tx, by.run_as);
    if (auto why = objection_to(Action::needs, find_staff(tx, by.who), run_as); !why.empty())
      return refusal{error::not_allowed, std::move(why)};
    if (reaches_too_many(tx, what, run_as->campus, targets_max))
      return refusal{error::too_many_targets, "at most " + std::to_string(targets_max)};
    const auto id = core::to_string(by.request);
    const auto made =
        exec_params(tx, insert_request, id, Action::type, Action::version, spec, by.who, by.run_as);
    if (made.affected_rows() == 1)
      exec_params(tx, enqueue, queue_name, Action::type, spec, Action::version, id,
                  std::to_string(by.who), std::to_string(by.run_as));
    return receipt_for(tx, by, Action::type, spec);
  });
}

answer<receipt> endpoints::ask(const caller& by, export_search what) {
  return ask_about(by, std::move(what), most_.export_rows_max);
}

answer<receipt> endpoints::ask(const caller& by, change_program_status what) {
  return ask_about(by, std::move(what), most_.targets_max);
}

answer<receipt> endpoints::ask(const caller& by, watch what) {
  return ask_about(by, std::move(what), most_.targets_max);
}

answer<receipt> endpoints::ask(const caller& by, unwatch what) {
  return ask_about(by, std::move(what), most_.targets_max);
}

answer<receipt> endpoints::ask(const caller& by, send_mail what) {
  return ask_about(by, std::move(what), most_.targets_max);
}

answer<receipt> endpoints::ask(const caller& by, const change_unit_status& what) {
  return ask_about(by, what, most_.targets_max);
}

answer<receipt> endpoints::ask(const caller& by, const enrol& what) {
  return ask_about(by, what, most_.targets_max);
}

template <class Action>
answer<applied> endpoints::watch_now(const caller& by, Action what) {
  put_in_order(what);
  if (auto why = objection(what); !why.empty())
    return refusal{error::request_invalid, std::move(why)};
  return pool_->run<pqxx::work>([&](auto& tx) -> answer<applied> {
    const auto run_as = find_staff(tx, by.run_as);
    if (auto why = objection_to(Action::needs, find_staff(tx, by.who), run_as); !why.empty())
      return refusal{error::not_allowed, std::move(why)};
    const auto most = static_cast<std::size_t>(most_.at_once_max);
    const auto people = next_people(tx, what.who, run_as->campus, 0, most + 1);
    if (people.size() > most)
      return refusal{error::too_many_targets, "at most " + std::to_string(most) + " at once"};
    set_watched(tx, by.run_as, people, std::is_same_v<Action, watch>);
    return applied{people.size()};
  });
}

answer<applied> endpoints::ask_now(const caller& by, watch what) {
  return watch_now(by, std::move(what));
}

answer<applied> endpoints::ask_now(const caller& by, unwatch what) {
  return watch_now(by, std::move(what));
}

std::optional<requester_view> endpoints::look(staff_id who, const core::task_id& task) {
  return pool_->run<pqxx::nontransaction>([&](auto& tx) -> std::optional<requester_view> {
    const auto rows = find_request(tx, task);
    if (rows.empty() || rows.front()["owner_id"].template as<staff_id>() != who)
      return std::nullopt;
    return view_of_row(rows.front());
  });
}

std::vector<requester_view> endpoints::latest(staff_id who, std::size_t most) {
  return pool_->run<pqxx::nontransaction>([&](auto& tx) {
    std::vector<requester_view> views;
    for (const auto& row : exec_params(tx,
                                       std::string{select_requests}
                                           + " WHERE r.owner_id = $1 ORDER BY r.created_date DESC, "
                                             "r.task_id DESC LIMIT $2",
                                       who, most))
      views.push_back(view_of_row(row));
    return views;
  });
}

answer<std::filesystem::path> endpoints::exported(staff_id who, const core::task_id& task) {
  const auto view = look(who, task);
  if (!view || view->action != export_search::type)
    return refusal{error::request_invalid, "there is no such export"};
  if (view->status != "COMPLETED")
    return refusal{error::not_ready, view->status};
  // Of a task that is forgotten the bookmark knows that its rows were written, and not whether they
  // were kept.
  auto file = export_path(exports_, task);
  if (!std::filesystem::exists(file))
    return refusal{error::not_kept, "its file is not there"};
  return file;
}

} // namespace bulk
