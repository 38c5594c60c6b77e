#include "client/peer_system.hpp"
#include "client/worker.hpp"

#include <caf/actor_system.hpp>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace holdfast;

class resize : public client::task_handler {
  outcome run(const client::task_context& task) override {
    if (task.task().body == "{}")
      return client::failed{"NO_IMAGE", "the body names none", core::failure_kind::permanent};
    return client::done{R"({"resized": )" + task.task().body + "}"};
  }
};

int main(int argc, char** argv) {
  if (argc != 2)
    return std::cerr << "usage: " << argv[0] << " PORT\n", 2;
  sigset_t ends; // before any thread is made, so that all leave these to the wait below
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  client::connection node{system, {"127.0.0.1", port}, {}, std::random_device{}()};
  client::worker_settings settings;
  settings.queue = "images";
  settings.name = "resizer";
  settings.threads = 8;
  client::worker worker{node, settings};
  worker.handle("resize", std::make_shared<resize>());
  worker.start();
  int ended_by = 0;
  sigwait(&ends, &ended_by);
  worker.stop();
}
