#include "core/intake.hpp"

namespace holdfast::core {

namespace {

/// Sorts staged tasks by what becomes of them.
struct intake_writes {
  instant now;
  intake_outcome seen;
  take_staged over;
  std::vector<write_op> refusals;

  void take(staging_id id) {
    over.staged.push_back(id);
    ++seen.taken;
  }

  void refuse(staging_id id, errc code, std::string detail) {
    refusals.push_back(refuse_staged{id, code, std::move(detail), now});
    ++seen.refused;
  }

  /// `asked`: the id that the producer has been told.
  void settle(staging_id id, const task_id& asked, item_outcome outcome) {
    if (outcome.refusal == errc::none && outcome.task != asked)
      refuse(id, errc::already_exists,
             "task " + to_string(outcome.task)
                 + " has got the same unique key meanwhile, and stands"
                   " in place of this one");
    else if (outcome.refusal == errc::none)
      take(id);
    else if (outcome.refusal == errc::overloaded)
      ++seen.left;
    else
      refuse(id, outcome.refusal, std::move(outcome.detail));
  }

  void append_to(std::vector<write_op>& writes) {
    if (!over.staged.empty())
      writes.push_back(std::move(over));
    for (auto& refusal : refusals)
      writes.push_back(std::move(refusal));
  }
};

} // namespace

std::size_t room_of(const queue& q) {
  return q.policy.depth_max > q.tasks.size() ? q.policy.depth_max - q.tasks.size() : 0;
}

decision<intake_outcome> decide(queue& q, take_in command, instant now) {
  intake_writes writes{now, {}, {}, {}};
  enqueue made;
  std::vector<staging_id> places;
  std::vector<task_id> asked;
  for (auto& item : command.staged) {
    if (item.problem.code != errc::none) {
      writes.refuse(item.id, item.problem.code, std::move(item.problem.detail));
    } else if (item.known_in == q.name) {
      writes.take(item.id); // a repetition, of a task that may have ended long ago
    } else if (!item.known_in.empty()) {
      writes.refuse(item.id, errc::already_exists,
                    "the queue " + item.known_in + " has a task of this id");
    } else {
      asked.push_back(item.task.spec.id);
      made.tasks.push_back(std::move(item.task));
      places.push_back(item.id);
    }
  }
  auto decided = decide(q, std::move(made), now);
  for (std::size_t i = 0; i < places.size(); ++i)
    writes.settle(places[i], asked[i], std::move(decided.answer[i]));
  decision<intake_outcome> taken;
  taken.answer = writes.seen;
  taken.changes = std::move(decided.changes);
  writes.append_to(taken.changes.writes);
  return taken;
}

} // namespace holdfast::core
