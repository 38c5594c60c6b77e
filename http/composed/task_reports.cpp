#include "http/composed/lease_ends.hpp"
#include "http/composed/task_requests.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

/// Reports about many tasks in one request.
namespace holdfast::http {

namespace {

/// Reports of one request. Failures, releases and saves are one message each.
constexpr std::size_t reports_max = 1000;

std::vector<msg::task_outcome> all_outcomes(msg::task_outcome& said) { return {std::move(said)}; }
std::vector<msg::task_outcome> all_outcomes(msg::task_outcomes& said) {
  return std::move(said.outcomes);
}

/// Whether the caller may send all that reports are made of. The access table gives these requests
/// to the same roles today.
template <class... Requests>
bool admits_all(const door& through, const visit& from, const core::queue_name& queue,
                const core::worker_id& worker) {
  const auto may_send = [&](auto message) {
    message.queue = queue;
    message.worker = worker;
    return through.admits(from, message);
  };
  return (may_send(Requests{}) && ...);
}

/// Leases of one request whose new ends are read: each takes a read of the database.
constexpr std::size_t ends_read_max = 100;

/// Puts the outcomes of several requests together, and answers the call when the last is there. For
/// any thread.
class gathered_outcomes {
public:
  /// `untold` are the outcomes of tasks of which no request brings any.
  gathered_outcomes(const door& through, visit from, report_outcomes untold, std::size_t requests)
      : through_(through),
        from_(std::move(from)),
        all_(std::move(untold)),
        requests_open_(requests) {}

  /// So many requests more are under way. To be called before the last of the others is taken.
  void expect(std::size_t requests) {
    const std::lock_guard lock{mutex_};
    requests_open_ += requests;
  }

  /// The outcomes that one request has brought, of the tasks at these places.
  void take(const std::vector<std::size_t>& places, std::vector<msg::task_outcome> outcomes) {
    {
      const std::lock_guard lock{mutex_};
      const auto told = std::min(places.size(), outcomes.size());
      for (std::size_t i = 0; i < told; ++i)
        all_.outcomes[places[i]].said = std::move(outcomes[i]);
      if (--requests_open_ > 0)
        return;
    }
    through_.answer(from_, all_);
  }

  /// One request has told the end of the lease that the report at `place` has extended.
  void take_end(std::size_t place, core::instant expires_at) {
    {
      const std::lock_guard lock{mutex_};
      all_.outcomes[place].expires_at = expires_at;
      if (--requests_open_ > 0)
        return;
    }
    through_.answer(from_, all_);
  }

  /// One request has failed.
  void fail(const std::vector<std::size_t>& places, const core::failure& why) {
    std::vector<msg::task_outcome> outcomes;
    {
      const std::lock_guard lock{mutex_};
      for (const auto place : places)
        outcomes.push_back({all_.outcomes[place].said.task, why.code, why.detail, false});
    }
    take(places, std::move(outcomes));
  }

private:
  const door& through_;
  const visit from_;
  std::mutex mutex_;
  report_outcomes all_;
  std::size_t requests_open_;
};
using gathered_ptr = std::shared_ptr<gathered_outcomes>;

/// The outcomes of reports before any request has brought one.
report_outcomes untold_outcomes(const report_tasks& asked) {
  report_outcomes untold;
  for (std::size_t place = 0; place < asked.reports.size(); ++place) {
    msg::task_outcome one{asked.reports[place].task.task, core::errc::unavailable,
                          "the node told nothing of the task", false};
    if (asked.aside.has(place)) {
      const auto task = one.task;
      one = asked.aside.outcome_at(place);
      one.task = task;
    }
    untold.outcomes.push_back({std::move(one), {}});
  }
  return untold;
}

/// Sends a request about the reports at these places.
template <class Request>
void send_reports(const door& through, const gathered_ptr& all, std::vector<std::size_t> places,
                  Request message) {
  through.send(
      std::move(message), [all, places](auto& said) { all->take(places, all_outcomes(said)); },
      [all, places](const core::failure& why) { all->fail(places, why); });
}

/// Sends the extensions at these places, and reads where the leases end then.
void send_extensions(const door& through, const gathered_ptr& all, std::vector<std::size_t> places,
                     msg::extend_tasks message) {
  auto leases = message.tasks;
  through.send(
      std::move(message),
      [&through, all, places, leases = std::move(leases)](msg::task_outcomes& said) {
        std::vector<std::size_t> extended;
        const auto told = std::min(places.size(), said.outcomes.size());
        for (std::size_t i = 0; i < told && extended.size() < ends_read_max; ++i)
          if (said.outcomes[i].refusal == core::errc::none)
            extended.push_back(i);
        all->expect(extended.size());
        all->take(places, std::move(said.outcomes));
        for (const auto i : extended)
          look_up_end(through, leases[i], [all, place = places[i]](core::instant expires_at) {
            all->take_end(place, expires_at);
          });
      },
      [all, places](const core::failure& why) { all->fail(places, why); });
}

/// A message about one task of a worker.
template <class Request>
Request about(const report_tasks& asked, const task_report& report) {
  Request message;
  message.queue = asked.queue;
  message.worker = asked.worker;
  message.task = report.task;
  message.update = report.update;
  return message;
}

/// Sends a report that is a request of its own.
void send_report(const door& through, const gathered_ptr& all, const report_tasks& asked,
                 std::size_t place) {
  const auto& report = asked.reports[place];
  switch (report.done) {
  case deed::fail: {
    auto message = about<msg::fail_task>(asked, report);
    message.kind = report.kind;
    message.error_code = report.error_code;
    message.detail = report.detail;
    message.retry_after = report.retry_after;
    return send_reports(through, all, {place}, std::move(message));
  }
  case deed::release: {
    auto message = about<msg::release_task>(asked, report);
    message.next_action = report.next_action;
    return send_reports(through, all, {place}, std::move(message));
  }
  default:
    break;
  }
  if (report.number == 0)
    return send_reports(through, all, {place}, about<msg::save_task>(asked, report));
  auto message = about<msg::save_task_in_order>(asked, report);
  message.number = report.number;
  send_reports(through, all, {place}, std::move(message));
}

} // namespace

void look_up_end(const door& through, const msg::task_ref& lease,
                 std::function<void(core::instant)> then) {
  through.send(
      msg::get_task_attempts{lease.task, lease.token - 1, 1},
      [then, token = lease.token](const msg::task_attempts& found) {
        const bool is_there = !found.attempts.empty() && found.attempts.front().token == token;
        then(is_there ? found.attempts.front().expires_at : core::instant{});
      },
      [then](const core::failure&) { then({}); });
}

void report_tasks::run(const door& through, const visit& from, report_tasks asked) {
  if (asked.reports.size() > reports_max)
    return from.call->answer(
        problem_of(core::failure{core::errc::too_large, "at most " + std::to_string(reports_max)
                                                            + " outcomes in one request"}));
  if (!admits_all<msg::complete_tasks, msg::fail_task, msg::release_task, msg::save_task,
                  msg::save_task_in_order, msg::extend_tasks>(through, from, asked.queue,
                                                              asked.worker))
    return;
  msg::complete_tasks completions{asked.queue, asked.worker, {}};
  msg::extend_tasks extensions{asked.queue, asked.worker, {}};
  std::vector<std::size_t> completed;
  std::vector<std::size_t> extended;
  std::vector<std::size_t> others;
  for (std::size_t place = 0; place < asked.reports.size(); ++place) {
    auto& report = asked.reports[place];
    if (asked.aside.has(place))
      continue;
    if (report.done == deed::complete) {
      completions.tasks.push_back({report.task, std::move(report.result)});
      completed.push_back(place);
    } else if (report.done == deed::extend) {
      extensions.tasks.push_back(report.task);
      extended.push_back(place);
    } else {
      others.push_back(place);
    }
  }
  const auto requests =
      others.size() + (completed.empty() ? 0U : 1U) + (extended.empty() ? 0U : 1U);
  auto outcomes = untold_outcomes(asked);
  if (requests == 0)
    return through.answer(from, outcomes);
  const auto all =
      std::make_shared<gathered_outcomes>(through, from, std::move(outcomes), requests);
  for (const auto place : others)
    send_report(through, all, asked, place);
  if (!extended.empty())
    send_extensions(through, all, std::move(extended), std::move(extensions));
  if (!completed.empty())
    send_reports(through, all, std::move(completed), std::move(completions));
}

} // namespace holdfast::http
