#include "examples/bulk_actions/bulk_run.hpp"

#include "examples/bulk_actions/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace bulk {

namespace {

/// Holdfast passes both on as texts. One that is no number is nobody, and has no rights.
staff_id staff_of(const std::string& text) { return std::strtoll(text.c_str(), nullptr, 10); }

job job_of(const msg::leased_task& task) {
  return {task.task, task.token, staff_of(task.owner_id), staff_of(task.run_as_id)};
}

} // namespace

bulk_run::bulk_run(const tools& with, const client::task_context& task, right needed)
    : with_(with), job_(job_of(task.task())), task_(task), needed_(needed) {}

client::outcome bulk_run::go() {
  try {
    while (!task_.canceled() && chunk()) {
      if (at.finished)
        return ended();
      if (!task_.save(progress(at)))
        break;
      if (with_.pause)
        with_.pause();
    }
    return client::wait_until{}; // where it was is in our tables
  } catch (const trouble& what) {
    if (what.kind == core::failure_kind::permanent)
      given_up();
    return outcome_of(what, done_before_ && done_ > *done_before_, now());
  }
}

client::outcome bulk_run::ended() { return client::done{nlohmann::json{{"done", at.done}}.dump()}; }

bool bulk_run::transact(const chunk_work& work) {
  return record([&](transaction& tx) {
    const auto run_as = tx.find_staff(job_.run_as);
    const auto why = objection_to(needed_, tx.find_staff(job_.owner), run_as);
    if (!why.empty())
      throw trouble{error::rights_revoked, why, core::failure_kind::permanent};
    if (is_lost()) { // it was given up, and somebody has revived it
      at = {};
      done_before_ = 0;
    }
    if (!at.finished)
      work(tx, *run_as);
  });
}

bool bulk_run::record(const std::function<void(transaction&)>& what) {
  const bool held = with_.tables->transact(job_, [&](transaction& tx) {
    at = tx.at();
    if (!done_before_)
      done_before_ = at.done;
    what(tx);
  });
  if (held)
    done_ = at.done;
  return held;
}

std::vector<person> bulk_run::take(transaction& tx, const staff_member& run_as, const target& who,
                                   std::size_t most) {
  if (at.total < 0)
    at.total = tx.count(who, run_as.campus, with_.most.targets_max);
  auto people = tx.next(who, run_as.campus, at.position, most);
  at = after_chunk(at, people.size(), most, people.empty() ? at.position : people.back().id);
  return people;
}

} // namespace bulk
