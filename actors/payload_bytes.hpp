#pragma once

#include "messages/task_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"

#include <cstddef>
#include <vector>

/// How much of the memory a request takes whose documents may be large: the bytes of these.
namespace holdfast::actors {

/// The others are small, whatever they say.
template <class Request>
std::size_t payload_bytes(const Request&) {
  return 0;
}

inline std::size_t payload_bytes(const msg::task_request& m) {
  return m.body.size() + m.data.size();
}
inline std::size_t payload_bytes(const msg::task_envelope& m) { return m.envelope.size(); }
inline std::size_t payload_bytes(const msg::task_result& m) { return m.result.size(); }
inline std::size_t payload_bytes(const msg::task_update& m) {
  return m.data.size() + m.execution_state.size();
}
inline std::size_t payload_bytes(const msg::source_row& m) { return m.input.size(); }
inline std::size_t payload_bytes(const msg::test_question& m) { return m.input.size(); }

template <class Row>
std::size_t payload_bytes(const std::vector<Row>& rows) {
  std::size_t bytes = 0;
  for (const auto& row : rows)
    bytes += payload_bytes(row);
  return bytes;
}

inline std::size_t payload_bytes(const msg::enqueue_tasks& m) { return payload_bytes(m.tasks); }
inline std::size_t payload_bytes(const msg::enqueue_envelopes& m) {
  return payload_bytes(m.envelopes);
}
inline std::size_t payload_bytes(const msg::save_task& m) { return payload_bytes(m.update); }
inline std::size_t payload_bytes(const msg::save_task_in_order& m) {
  return payload_bytes(m.update);
}
inline std::size_t payload_bytes(const msg::release_task& m) { return payload_bytes(m.update); }
inline std::size_t payload_bytes(const msg::fail_task& m) { return payload_bytes(m.update); }
inline std::size_t payload_bytes(const msg::complete_tasks& m) { return payload_bytes(m.tasks); }
inline std::size_t payload_bytes(const msg::follow_task& m) {
  return payload_bytes(m.done) + payload_bytes(m.next);
}
inline std::size_t payload_bytes(const msg::submit_judgment& m) { return m.payload.size(); }

} // namespace holdfast::actors
