#include "app/program.hpp"

#include <memory>

using namespace holdfast;

class resize : public client::task_handler {
  outcome run(const client::task_context& task) override {
    return client::done{R"({"resized": )" + task.task().body + "}"};
  }
};

int main(int argc, char** argv) {
  app::program program{"image-node"};
  program.work_on("images", 8, {{"resize", std::make_shared<resize>()}});
  return program.run(argc, argv);
}
