// Does the tasks of one type of the queue `images`, until SIGTERM or SIGINT.

#include "client/worker.hpp"
#include "client/id_source.hpp"
#include "client/peer_system.hpp"

#include <caf/actor_system.hpp>

#include <csignal>
#include <iostream>
#include <memory>
#include <optional>

using namespace holdfast;

class resize : public client::task_handler {
  outcome run(const client::task_context& task) override {
    if (task.task().body == "{}")
      return client::failed{"NO_IMAGE", "the body names none", core::failure_kind::permanent};
    return client::done{R"({"resized": )" + task.task().body + "}"};
  }
};

int main(int argc, char** argv) {
  if (argc != 2 && argc != 5)
    return std::cerr << "usage: " << argv[0] << " HOST:PORT,... [CERTIFICATE KEY CA]\n", 2;
  std::optional<link::credentials> tls;
  if (argc == 5)
    tls = {argv[2], argv[3], argv[4], {}};
  const auto nodes = client::endpoints_of(argv[1], tls);
  if (!nodes)
    return std::cerr << nodes.error().detail << '\n', 2;
  sigset_t ends; // before any thread is made, so that all leave these to the wait below
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);

  client::peer_system configuration{client::peer_settings{}};
  caf::actor_system system{configuration};
  client::connection node{system, *nodes, {}, client::random_seed()};
  client::worker_settings settings;
  settings.queue = "images";
  settings.name = "resizer";
  settings.threads = 8;
  settings.on_problem = [](const client::worker_problem& problem) {
    std::cerr << problem.what << ": " << problem.why.detail << '\n';
  };
  client::worker worker{node, settings};
  worker.handle("resize", std::make_shared<resize>());
  worker.start();
  int ended_by = 0;
  sigwait(&ends, &ended_by);
  worker.stop(); // what is not finished within its grace is given back, for others
}
