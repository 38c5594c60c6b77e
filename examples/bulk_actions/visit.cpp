#include "examples/bulk_actions/visit.hpp"

#include "examples/bulk_actions/story_world.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>
#include <variant>

namespace bulk {

namespace {

using namespace std::chrono_literals;
using examples::broken_off;
using examples::wall_time;

constexpr auto part_limit = 2min;
constexpr auto look_every = 20ms;

} // namespace

visit::visit(const simulation& world, std::uint64_t seed) : world_(world), ids_(seed) { connect(); }

void visit::connect() {
  pool_ = examples::connections_to_node(world_.data_dir);
  college_ = std::make_unique<endpoints>(pool_, exports_of(world_), measure_of(world_));
}

caller visit::as(staff_id who, staff_id run_as) {
  return {who, run_as == 0 ? who : run_as, {ids_.next(wall_time())}};
}

core::task_id visit::accepted(const answer<receipt>& given, const std::string& what) {
  if (const auto* why = std::get_if<refusal>(&given))
    throw broken_off{what + " is refused: " + why->code + ", " + why->detail};
  return std::get<receipt>(given).task;
}

requester_view visit::seen(staff_id who, const core::task_id& task) {
  const auto view = college_->look(who, task);
  if (!view)
    throw broken_off{"a task is gone: " + core::to_string(task)};
  return *view;
}

requester_view visit::ended(staff_id who, const core::task_id& task) {
  requester_view view;
  watch_until("task " + core::to_string(task), [&] {
    view = seen(who, task);
    return view.status != "QUEUED" && view.status != "EXECUTING";
  });
  return view;
}

std::string visit::exported(staff_id who, const core::task_id& task) {
  const auto file = college_->exported(who, task);
  if (const auto* why = std::get_if<refusal>(&file))
    throw broken_off{"no file of an export: " + why->code + ", " + why->detail};
  std::ifstream in{std::get<std::filesystem::path>(file), std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

void visit::watch_until(const std::string& what, const std::function<bool()>& over) {
  const auto until = wall_time() + part_limit;
  while (!over()) {
    if (wall_time() > until)
      throw broken_off{what + " took too long"};
    std::this_thread::sleep_for(look_every);
  }
}

void visit::expect(bool kept, const std::string& otherwise) {
  if (!kept)
    problems_.push_back(otherwise);
}

std::int64_t visit::number(const std::string& query) { return bulk::number(*pool_, query); }

} // namespace bulk
