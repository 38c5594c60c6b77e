#include "actors/queue_state.hpp"
#include "core/intake.hpp"

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

/// The functions that stage check the same; the nodes' limits may have changed since.
void check_page(queue_ptr self, persistence::staged_page& page) {
  auto& st = self->state;
  for (auto& staged : page.tasks) {
    staged.problem = check(staged.task, st.context->settings.json);
    // What ended while this was being read was not among the finished yet.
    if (staged.known_in.empty() && st.recently_finished.count(staged.task.spec.id) != 0)
      staged.known_in = st.queue.name;
  }
}

/// `take_page`, as soon as the payloads that are too large for a row of a task are stored. What
/// cannot be stored stays staged, where it is safe, and is found by the next look.
void store_and_take_page(queue_ptr self, persistence::staged_page& read) {
  check_page(self, read);
  const auto page = std::make_shared<persistence::staged_page>(std::move(read));
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
    auto& tasks = page->tasks;
    tasks.erase(std::remove_if(tasks.begin(), tasks.end(),
                               [&](const auto& staged) { return left.count(staged.id) != 0; }),
                tasks.end());
    page->more = page->more && left.empty(); // else it would be read again at once
    check_page(self, *page);                 // once more, for what has ended meanwhile
    take_page(self, *page);
  });
}

} // namespace

void on_take_in(queue_ptr self) {
  auto& st = self->state;
  // Whoever does not get through now is told again by the next look of the intake.
  const bool writes_wait = st.undurable >= st.context->settings.batching.high_water;
  if (!st.loaded || st.taking_in || writes_wait)
    return;
  const auto rows = std::min(page_rows, core::room_of(st.queue));
  if (rows == 0)
    return;
  st.taking_in = true;
  self->request(st.links.loader, internal_timeout,
                load_staged{st.queue.name, static_cast<std::uint32_t>(rows), page_bytes})
      .then([=](staged_loaded& loaded) { store_and_take_page(self, loaded.page); },
            [=](const caf::error&) { self->state.taking_in = false; });
}

} // namespace holdfast::actors
