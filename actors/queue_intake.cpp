#include "actors/queue_state.hpp"
#include "core/intake.hpp"
#include "core/object_ref.hpp"
#include "core/pause.hpp"
#include "core/task_purpose.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace holdfast::actors {

namespace {

/// Staged tasks of one transaction at most, by number and by the bytes of their documents: other
/// requests to the queue wait while it decides about them.
constexpr std::size_t page_rows = 500;
constexpr std::size_t page_bytes = std::size_t{4} * 1024 * 1024;

void take_page(queue_ptr self, persistence::staged_page& page) {
  auto& st = self->state;
  auto decided = core::decide(st.queue, core::take_in{std::move(page.tasks)}, time(self));
  const bool again = page.more && decided.answer.left == 0;
  carry_out(self, std::move(decided.changes), [=](const core::failure& why) {
    self->state.taking_in = false;
    if (again && why.code == core::errc::none)
      on_take_in(self);
  });
  look_after(self);
}

/// Whether the task judges a unit whose input is in the store, and was not fetched: nobody else
/// stages a reference.
bool has_unit_ref(const core::new_task& task) {
  return core::begins_like_object_ref(task.spec.body) && core::purpose_in(task.spec.owner_id);
}

/// The functions that stage check the same; the nodes' limits may have changed since.
void check_page(queue_ptr self, persistence::staged_page& page) {
  auto& st = self->state;
  // The intake tells of queues that exist and of those that were removed.
  const bool is_removed = st.queue.revision == 0 || st.queue.removed;
  for (auto& staged : page.tasks) {
    if (staged.problem.code != core::errc::none)
      continue; // its row cannot be read
    staged.problem =
        is_removed ? core::failure{core::errc::not_found, "queue " + st.queue.name + " was removed"}
        : has_unit_ref(staged.task)
            ? core::failure{core::errc::damaged, "the input of its unit is lost"}
            : check(staged.task, st.context->settings.json);
    // What ended while this was being read was not among the finished yet.
    if (staged.known_in.empty() && st.recently_finished.count(staged.task.spec.id) != 0)
      staged.known_in = st.queue.name;
  }
}

using page_ptr = std::shared_ptr<persistence::staged_page>;

/// These stay staged, where they are safe, and are found by the next look.
void leave(persistence::staged_page& page, const std::set<core::staging_id>& left) {
  auto& tasks = page.tasks;
  tasks.erase(std::remove_if(tasks.begin(), tasks.end(),
                             [&](const auto& staged) { return left.count(staged.id) != 0; }),
              tasks.end());
  page.more = page.more && left.empty(); // else it would be read again at once
}

/// `take_page`, as soon as the payloads that are too large for a row of a task are stored. What
/// cannot be stored stays staged.
void store_and_take_page(queue_ptr self, const page_ptr& page) {
  check_page(self, *page);
  std::vector<large_text> large;
  std::vector<core::staging_id> owners;
  for (auto& staged : page->tasks)
    if (staged.problem.code == core::errc::none && staged.known_in.empty())
      for (const auto& text : large_in(self, staged.task)) {
        large.push_back(text);
        owners.push_back(staged.id);
      }
  if (large.empty())
    return take_page(self, *page);
  store(self, nullptr, large, [=](const std::vector<core::failure>& stored) {
    std::set<core::staging_id> left;
    for (std::size_t i = 0; i < stored.size(); ++i)
      if (stored[i].code != core::errc::none)
        left.insert(owners[i]);
    leave(*page, left);
    check_page(self, *page); // once more, for what has ended meanwhile
    take_page(self, *page);
  });
}

/// Leaves as many for the next page that the whole documents of the others are not too large
/// together.
void cut_by_payloads(persistence::staged_page& page) {
  std::size_t bytes = 0;
  auto last = page.tasks.begin();
  while (last != page.tasks.end() && bytes < page_bytes)
    bytes += core::payload_bytes((last++)->task.spec.body);
  page.more = page.more || last != page.tasks.end();
  page.tasks.erase(last, page.tasks.end());
}

/// Tasks that judge units are checked like all others: so what they refer to is fetched first. One
/// whose unit's input is lost is refused; its slot goes to people when its patience is over. While
/// the store is away they stay staged.
void fetch_and_take_page(queue_ptr self, persistence::staged_page& read) {
  cut_by_payloads(read);
  const auto page = std::make_shared<persistence::staged_page>(std::move(read));
  std::vector<std::string*> bodies;
  std::vector<core::staging_id> owners;
  for (auto& staged : page->tasks)
    if (has_unit_ref(staged.task)) {
      bodies.push_back(&staged.task.spec.body);
      owners.push_back(staged.id);
    }
  get_payloads(self, self->state.links.objects, bodies, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 std::set<core::staging_id> left;
                 for (std::size_t i = 0; i < outcomes.size(); ++i)
                   if (is_lost(outcomes[i]))
                     self->state.context->log(log_level::error, "payload_unreadable",
                                              {{"queue", self->state.queue.name},
                                               {"staged", std::to_string(owners[i])},
                                               {"reason", outcomes[i].detail}});
                   else if (outcomes[i].code != core::errc::none)
                     left.insert(owners[i]);
                 leave(*page, left);
                 store_and_take_page(self, page);
               });
}

/// Rows that the database does not give back are refused, so that they stand in nobody's way.
void tell_of_unreadable(queue_ptr self, const persistence::staged_page& page) {
  const core::staged_task* first = nullptr;
  std::size_t number = 0;
  for (const auto& staged : page.tasks)
    if (staged.problem.code == core::errc::damaged && ++number == 1)
      first = &staged;
  if (first != nullptr)
    self->state.context->log(log_level::error, "staged_rows_unreadable",
                             {{"queue", self->state.queue.name},
                              {"number", std::to_string(number)},
                              {"first", std::to_string(first->id)},
                              {"reason", first->problem.detail}});
}

void on_page(queue_ptr self, persistence::staged_page& page) {
  auto& st = self->state;
  st.intakes_failed = 0;
  if (st.intake_fault.over())
    st.context->log(log_level::info, "stage_read_again", {{"queue", st.queue.name}});
  tell_of_unreadable(self, page);
  fetch_and_take_page(self, page);
}

/// The stage stays as it is, and is asked for less and less often.
void on_page_failed(queue_ptr self, const core::failure& why) {
  auto& st = self->state;
  st.taking_in = false;
  st.intake_not_before = time(self) + retry_pause(st.context, ++st.intakes_failed);
  if (st.intake_fault.met(why.detail))
    st.context->log(log_level::error, "stage_not_read",
                    {{"queue", st.queue.name}, {"reason", why.detail}});
}

} // namespace

void on_take_in(queue_ptr self) {
  auto& st = self->state;
  // Whoever does not get through now is told again by the next look of the intake.
  if (!st.loaded || st.queue.removed || st.taking_in || writers_are_busy(*st.context)
      || core::is_under_way(st.intake_not_before, st.context->settings.writer_retry_max,
                            time(self)))
    return;
  const auto rows = std::min(page_rows, core::room_of(st.queue));
  if (rows == 0)
    return;
  st.taking_in = true;
  read(self, st.links.loader,
       [queue = st.queue.name, limit = static_cast<std::uint32_t>(rows)](persistence::store& db) {
         return db.load_staged(queue, limit, page_bytes);
       })
      .then([=](persistence::staged_page& page) { on_page(self, page); },
            [=](const core::failure& why) { on_page_failed(self, why); });
}

} // namespace holdfast::actors
