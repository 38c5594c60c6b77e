#include "examples/bulk_actions/simulation.hpp"

#include "examples/bulk_actions/smtp_mailer.hpp"
#include "examples/bulk_actions/tables.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

namespace bulk {

namespace {

constexpr const char* people_variable = "BULK_PEOPLE";
constexpr const char* port_variable = "BULK_SMTP_PORT";
constexpr const char* directory_variable = "BULK_DATA_DIR";

/// So that other work gets at the database between two chunks, and a kill between two others.
constexpr auto shop_pause = std::chrono::milliseconds{25};

} // namespace

simulation simulation_of_environment() {
  simulation read;
  if (const auto* people = std::getenv(people_variable))
    read.people = std::strtoul(people, nullptr, 10);
  if (const auto* port = std::getenv(port_variable))
    read.smtp_port = static_cast<std::uint16_t>(std::strtoul(port, nullptr, 10));
  if (const auto* directory = std::getenv(directory_variable))
    read.data_dir = directory;
  return read;
}

void set_environment(const simulation& which) {
  ::setenv(people_variable, std::to_string(which.people).c_str(), 1);
  ::setenv(port_variable, std::to_string(which.smtp_port).c_str(), 1);
  ::setenv(directory_variable, which.data_dir.c_str(), 1);
}

measure measure_of(const simulation& which) {
  measure most;
  most.people_per_chunk = 25;
  most.rows_per_chunk = 25;
  most.mails_per_chunk = 2;
  most.put_off_for = std::chrono::seconds{1};
  most.export_rows_max = static_cast<std::int64_t>(which.people * 2 / 3);
  return most;
}

std::filesystem::path exports_of(const simulation& which) {
  return std::filesystem::path{which.data_dir} / "exports";
}

tools tools_of(const simulation& which) {
  return {std::make_shared<pg_store>(examples::connections_to_node(which.data_dir)),
          [port = which.smtp_port] {
            return open_smtp({"127.0.0.1", port});
          },
          [](const client::task_context& task) { return open_units(task.node()); },
          exports_of(which),
          measure_of(which),
          [] { std::this_thread::sleep_for(shop_pause); }};
}

} // namespace bulk
