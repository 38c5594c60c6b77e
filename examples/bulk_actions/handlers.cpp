#include "examples/bulk_actions/handlers.hpp"

#include "examples/bulk_actions/actions.hpp"
#include "examples/bulk_actions/catalogue.hpp"
#include "examples/bulk_actions/export_run.hpp"
#include "examples/bulk_actions/mail_run.hpp"
#include "examples/bulk_actions/units_run.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace bulk {

namespace {

class status_run : public bulk_run {
public:
  status_run(const tools& with, const client::task_context& task, change_program_status what)
      : bulk_run(with, task, change_program_status::needs), what_(std::move(what)) {}

private:
  bool chunk() override {
    return transact([&](transaction& tx, const staff_member& run_as) {
      const auto people = take(tx, run_as, what_.who, with_.most.people_per_chunk);
      tx.set_status(people, what_.to, what_.reason);
      tx.move_to(at);
    });
  }

  const change_program_status what_;
};

/// Watches, or does not any more.
template <class Action>
class watch_run : public bulk_run {
public:
  watch_run(const tools& with, const client::task_context& task, Action what)
      : bulk_run(with, task, Action::needs), what_(std::move(what)) {}

private:
  bool chunk() override {
    return transact([&](transaction& tx, const staff_member& run_as) {
      const auto people = take(tx, run_as, what_.who, with_.most.people_per_chunk);
      tx.set_watched(people, std::is_same_v<Action, watch>);
      tx.move_to(at);
    });
  }

  const Action what_;
};

/// Its place is one in the list that it was given.
class enrol_run : public bulk_run {
public:
  enrol_run(const tools& with, const client::task_context& task, enrol what)
      : bulk_run(with, task, enrol::needs), what_(std::move(what)) {}

private:
  bool chunk() override {
    return transact([&](transaction& tx, const staff_member&) {
      const auto& all = what_.people;
      at.total = static_cast<std::int64_t>(all.size());
      const auto from = all.begin() + std::min(at.position, at.total);
      const auto most = static_cast<std::int64_t>(with_.most.people_per_chunk);
      const auto until = from + std::min<std::int64_t>(most, all.end() - from);
      tx.add(what_.program, {from, until});
      at = after_chunk(at, static_cast<std::size_t>(until - from), with_.most.people_per_chunk,
                       until - all.begin());
      tx.move_to(at);
    });
  }

  const enrol what_;
};

/// Reads the body, which its action wrote at submit, and runs the task.
template <class Action, class Run>
class handler_of : public client::task_handler {
public:
  explicit handler_of(tools with) : with_(std::move(with)) {}

  outcome run(const client::task_context& task) override {
    auto read = decode<Action>(task.task().version, task.task().body);
    if (const auto* why = std::get_if<unreadable>(&read))
      return why->newer
                 ? client::failed{error::spec_newer, why->why}
                 : client::failed{error::spec_unreadable, why->why, core::failure_kind::permanent};
    return Run{with_, task, std::get<Action>(std::move(read))}.go();
  }

private:
  const tools with_;
};

template <class Action, class Run>
std::pair<const std::string, std::shared_ptr<client::task_handler>> entry(const tools& with) {
  return {Action::type, std::make_shared<handler_of<Action, Run>>(with)};
}

} // namespace

std::map<std::string, std::shared_ptr<client::task_handler>> handlers(const tools& with) {
  return {entry<export_search, export_run>(with),
          entry<change_program_status, status_run>(with),
          entry<watch, watch_run<watch>>(with),
          entry<unwatch, watch_run<unwatch>>(with),
          entry<change_unit_status, units_run>(with),
          entry<send_mail, mail_run>(with),
          entry<enrol, enrol_run>(with)};
}

} // namespace bulk
