#pragma once

#include "core/errors.hpp"
#include "core/task.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

/// What the JSON that tasks bring with them must look like.
namespace holdfast::core {

/// What is wrong with a JSON text, with the place in it; `errc::none` when nothing is. A pure
/// function, made by whoever can read the schemas of a policy: core reads no JSON.
using text_check = std::function<failure(std::string_view json)>;

/// The form of the tasks of one major version of a type.
struct task_form {
  text_check body; ///< None: any JSON.
  text_check data; ///< Of `data` as it is enqueued; workers change it as they like. None: any JSON.
};

/// The forms of a type, by major version. Empty: any version is taken, with any JSON.
using task_forms = std::map<std::uint32_t, task_form>;

/// The major version in `major.minor`; empty for what is no version.
std::optional<std::uint32_t> major_of(std::string_view version);

/// Whether a task may enter under these forms of its type; else which version is unknown
/// (`invalid_argument`), or which place of body or data is wrong (`payload_invalid`).
failure check_form(const task_forms& forms, const new_task& task);

} // namespace holdfast::core
