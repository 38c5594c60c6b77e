#include "core/node_worker.hpp"

#include <cstddef>
#include <string_view>

namespace holdfast::core {

namespace {

/// Of a uuid as text.
constexpr std::size_t id_bytes = 36;
/// What a worker may choose of its name itself, see `client::worker_settings`.
constexpr std::size_t chosen_bytes_max = 90;
/// `@`, the process, `-` and the worker's own id.
constexpr std::size_t tail_bytes = 1 + id_bytes + 1 + id_bytes;

} // namespace

std::string name_inside(const std::string& node, const incarnation_id& process) {
  return node.substr(0, chosen_bytes_max - 1 - id_bytes) + '@' + to_string(process);
}

std::optional<incarnation_id> process_of(const worker_id& worker) {
  if (worker.size() < tail_bytes)
    return {};
  const auto tail = std::string_view{worker}.substr(worker.size() - tail_bytes);
  if (tail.front() != '@' || tail[1 + id_bytes] != '-' || !parse_uuid(tail.substr(2 + id_bytes)))
    return {};
  const auto process = parse_uuid(tail.substr(1, id_bytes));
  if (!process)
    return {};
  return incarnation_id{*process};
}

} // namespace holdfast::core
