#include "client/task_producer.hpp"

#include "core/uuid.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;

namespace {

/// What a program that has tasks made is tested with: no node, and it takes so many.
class tasks_in_memory : public client::task_producer {
public:
  std::size_t most = 3;
  std::map<core::task_id, msg::task_request> made;
  core::failure away;

  client::enqueued enqueue_all(std::vector<msg::task_request> tasks) override {
    client::enqueued answer;
    answer.stopped = away;
    for (auto& task : tasks) {
      if (!answer.complete())
        break;
      const auto id = task.task;
      if (made.count(id) != 0)
        answer.outcomes.push_back({id, core::errc::none, {}, true});
      else if (made.size() == most)
        answer.outcomes.push_back({id, core::errc::overloaded, "full", false});
      else
        answer.outcomes.push_back(
            {made.emplace(id, std::move(task)).first->first, core::errc::none, {}, false});
    }
    return answer;
  }
  core::outcome<msg::task_view> look(core::task_id task) override {
    if (made.count(task) == 0)
      return core::failure{core::errc::not_found, "no such task"};
    msg::task_view seen;
    seen.task = task;
    return seen;
  }
};

core::uuid_source producer_ids{5};

msg::task_request task_of(std::size_t bytes) {
  msg::task_request made;
  made.task = {producer_ids.next(core::from_micros(1'767'225'600'000'000))};
  made.body = std::string(bytes, 'x');
  made.data.clear();
  return made;
}

std::vector<std::size_t> sizes(std::vector<msg::task_request> tasks) {
  std::vector<core::task_id> order;
  for (const auto& task : tasks)
    order.push_back(task.task);
  std::vector<std::size_t> found;
  std::vector<core::task_id> sent;
  for (const auto& request : client::requests_for("images", std::move(tasks))) {
    BOOST_TEST(request.queue == "images");
    found.push_back(request.tasks.size());
    for (const auto& task : request.tasks)
      sent.push_back(task.task);
  }
  BOOST_TEST((sent == order));
  return found;
}

std::vector<msg::task_request> many(std::size_t count, std::size_t bytes) {
  std::vector<msg::task_request> tasks;
  for (; count > 0; --count)
    tasks.push_back(task_of(bytes));
  return tasks;
}

} // namespace

BOOST_AUTO_TEST_SUITE(task_producer)

// C42, C12: the program knows what has tasks made, and not how
BOOST_AUTO_TEST_CASE(a_program_is_tested_without_a_node) {
  tasks_in_memory memory;
  client::task_producer& producer = memory;
  const auto task = task_of(2);
  const auto made = producer.enqueue(task);
  BOOST_REQUIRE(made);
  BOOST_TEST((made->task == task.task));
  BOOST_TEST(!made->repeated);
  BOOST_TEST(producer.enqueue(task)->repeated);
  BOOST_TEST((producer.look(task.task)->task == task.task));
  BOOST_TEST((producer.look(task_of(2).task).error().code == core::errc::not_found));
}

// C10, C42: what the queue refuses and what is not reached are failures of a single one
BOOST_AUTO_TEST_CASE(one_that_is_not_made_is_a_failure) {
  tasks_in_memory memory;
  memory.most = 0;
  const auto full = memory.enqueue(task_of(2));
  BOOST_REQUIRE(!full);
  BOOST_TEST((full.error().code == core::errc::overloaded));
  BOOST_TEST(full.error().detail == "full");
  memory.away = {core::errc::unavailable, "no node"};
  const auto lost = memory.enqueue(task_of(2));
  BOOST_REQUIRE(!lost);
  BOOST_TEST((lost.error().code == core::errc::unavailable));
}

// C23, C24
BOOST_AUTO_TEST_CASE(tasks_travel_together_as_far_as_a_message_goes) {
  using numbers = std::vector<std::size_t>;
  BOOST_TEST(sizes({}).empty());
  BOOST_TEST(sizes(many(1, 10)) == (numbers{1}));
  BOOST_TEST(sizes(many(1000, 10)) == (numbers{1000}));
  BOOST_TEST(sizes(many(2001, 10)) == (numbers{1000, 1000, 1}));
  constexpr std::size_t mebibyte = 1024 * 1024;
  BOOST_TEST(sizes(many(9, mebibyte)) == (numbers{4, 4, 1}));
  BOOST_TEST(sizes(many(3, 8 * mebibyte)) == (numbers{1, 1, 1})); // none is left out
  auto mixed = many(1, 4 * mebibyte);
  mixed.push_back(task_of(1));
  BOOST_TEST(sizes(mixed) == (numbers{1, 1}));
}

BOOST_AUTO_TEST_SUITE_END()
