#include "core/task_repetition.hpp"

#include "core/object_ref.hpp"

#include <string>
#include <string_view>

namespace holdfast::core {

namespace {

bool has_body(const task_spec& known, const new_task& asked) {
  const auto& text = asked.body_ref.empty() ? asked.spec.body : asked.body_ref;
  if (known.body == text)
    return true;
  // The bound between rows and objects is an option of the node, which may have changed since.
  return begins_like_object_ref(known.body) != begins_like_object_ref(text)
         && payload_bytes(known.body) == payload_bytes(text);
}

/// The first member that differs; empty when none does.
std::string_view difference(const task_spec& known, const new_task& asked) {
  const auto& wanted = asked.spec;
  if (known.type != wanted.type)
    return "type";
  if (known.version != wanted.version)
    return "version";
  if (!has_body(known, asked))
    return "body";
  if (known.priority != wanted.priority)
    return "priority";
  if (known.key != wanted.key)
    return "key";
  if (known.credential != wanted.credential)
    return "credential";
  if (known.unique_key != wanted.unique_key)
    return "unique_key";
  if (known.max_attempts != wanted.max_attempts)
    return "max_attempts";
  if (known.owner_id != wanted.owner_id)
    return "owner_id";
  return known.run_as_id != wanted.run_as_id ? "run_as_id" : "";
}

} // namespace

failure check_repetition(const task_spec& known, const new_task& asked) {
  const auto differs = difference(known, asked);
  if (differs.empty())
    return {};
  return {errc::already_exists, "the id belongs to a task with another " + std::string{differs}};
}

} // namespace holdfast::core
