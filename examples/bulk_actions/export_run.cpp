#include "examples/bulk_actions/export_run.hpp"

#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/csv.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace bulk {

export_run::export_run(const tools& with, const client::task_context& task, export_search what)
    : bulk_run(with, task, export_search::needs),
      what_(std::move(what)),
      file_(with.exports, job_.task, job_.token) {}

bool export_run::chunk() {
  return transact([&](transaction& tx, const staff_member& run_as) {
    const auto first = at.bytes == 0 ? csv_header() : std::string{};
    const auto people = take(tx, run_as, what_.who, with_.most.rows_per_chunk);
    // It was counted at submit, but a query is live.
    if (at.done > with_.most.export_rows_max)
      throw trouble{error::export_too_large,
                    "more than " + std::to_string(with_.most.export_rows_max) + " rows",
                    core::failure_kind::permanent};
    at = file_.append(at, first + csv_rows(people));
    tx.move_to(at);
  });
}

client::outcome export_run::ended() {
  file_.publish(at);
  return client::done{nlohmann::json{{"rows", at.done}, {"bytes", at.bytes}}.dump()};
}

} // namespace bulk
