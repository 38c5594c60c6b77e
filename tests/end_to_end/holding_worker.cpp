// A worker that does the first tasks it gets and never finishes the others: it is made to be
// killed. Usage: holding_worker PORT QUEUE DONE

#include "client/peer_system.hpp"
#include "client/worker.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <random>

using namespace holdfast;

namespace {

class some_only : public client::task_handler {
public:
  explicit some_only(int most) : left_(most) {}

  outcome run(const client::task_context&) override {
    if (--left_ >= 0)
      return client::done{R"("by the first")"};
    std::unique_lock lock{mutex_};
    never_.wait(lock, [] { return false; });
    return client::done{};
  }

private:
  std::atomic<int> left_;
  std::mutex mutex_;
  std::condition_variable never_;
};

} // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return 2;
  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  client::connection node{system, {"127.0.0.1", port}, {}, std::random_device{}()};
  client::worker_settings settings;
  settings.queue = argv[2];
  settings.threads = 8;
  client::worker worker{node, settings};
  worker.handle("resize", std::make_shared<some_only>(std::atoi(argv[3])));
  worker.run();
}
