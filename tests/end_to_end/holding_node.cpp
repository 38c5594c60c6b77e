// A node with handlers that do not finish under the first lease of a task, only under a later one:
// it is made to be stopped and killed at work. One of them kills it. It knows of one contributor.

#include "app/program.hpp"
#include "core/eligibility.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>

using namespace holdfast;

namespace {

/// Whoever waits for a task to be leased does not know yet that its handler has been called.
void say_begun(const client::task_context& task) {
  msg::task_update begun;
  begun.percent = 1;
  task.save(begun);
}

/// Waits for its cancellation and leaves a bookmark.
class patient : public client::task_handler {
public:
  outcome run(const client::task_context& task) override {
    if (task.task().token > 1)
      return client::done{task.task().execution_state};
    say_begun(task);
    std::unique_lock lock{mutex_};
    while (!task.canceled())
      never_.wait_for(lock, std::chrono::milliseconds{10});
    client::wait_until later;
    later.update.execution_state = R"("from the bookmark")";
    return later;
  }

private:
  std::mutex mutex_;
  std::condition_variable never_;
};

/// Does not look at its cancellation.
class stubborn : public client::task_handler {
public:
  outcome run(const client::task_context& task) override {
    if (task.task().token > 1)
      return client::done{R"("by the next life")"};
    say_begun(task);
    std::unique_lock lock{mutex_};
    never_.wait(lock, [] { return false; });
    return client::done{};
  }

private:
  std::mutex mutex_;
  std::condition_variable never_;
};

/// A bug that no supervisor outlives.
class poison : public client::task_handler {
public:
  outcome run(const client::task_context&) override { std::abort(); }
};

class harmless : public client::task_handler {
public:
  outcome run(const client::task_context&) override { return client::done{R"("well")"}; }
};

} // namespace

int main(int argc, char** argv) {
  app::program program{"holding_node"};
  program.work_on("held", 4,
                  {{"patient", std::make_shared<patient>()},
                   {"stubborn", std::make_shared<stubborn>()},
                   {"poison", std::make_shared<poison>()},
                   {"harmless", std::make_shared<harmless>()}});
  program.find_profiles_with([](const core::contributor_id& who) {
    core::contributor_profile known;
    if (who == "ana")
      known.skills = {"ner"};
    return known;
  });
  return program.run(argc, argv);
}
