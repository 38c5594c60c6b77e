#pragma once

#include "core/task.hpp"
#include "documents/limits.hpp"

#include <string>
#include <vector>

namespace holdfast::test {

/// A task that a producer asks for, and whether it is made: the verdict is the same by message and
/// by `holdfast.enqueue`.
struct enqueue_input {
  std::string what;
  core::new_task task; ///< Without an id.
  bool good = false;
};

/// Of the nodes that judge the inputs.
inline constexpr documents::json_limits enqueue_limits{1000, 5};

/// Of the queue that judges them.
inline const std::string enqueue_policy =
    R"({"types": {"kyc": {"first_state": "NEW", "transitions": {"NEW": ["DONE"], "DONE": []}}}})";

inline std::vector<enqueue_input> enqueue_inputs() {
  std::vector<enqueue_input> all;
  const auto plain = [] {
    core::new_task task;
    task.spec.type = "send";
    task.spec.version = "1.0";
    task.spec.body = "{}";
    return task;
  };
  const auto add = [&](const std::string& what, bool good, const auto& change) {
    auto task = plain();
    change(task);
    all.push_back({what, std::move(task), good});
  };
  const auto documents = [&](bool good, const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
      add("body " + text, good, [&](auto& task) { task.spec.body = text; });
      add("data " + text, good, [&](auto& task) { task.data = text; });
    }
  };
  const std::string digits(309, '9');
  documents(true, {"{}",
                   "[]",
                   "null",
                   "0",
                   "\"text\"",
                   "1.7976931348623157e308",
                   "-1.7976931348623157e308",
                   "1e-300",
                   "1e308",
                   "12345678901234567890123",
                   "[[[[[1]]]]]",
                   R"({"$holdfast":1})",
                   R"({"a":{"$holdfast.object":1}})",
                   R"(["$holdfast.object"])",
                   R"({"holdfast.object":1})",
                   R"({"a":"$holdfast.object"})",
                   '"' + digits + '"',
                   R"({")" + digits + R"(":1})",
                   '"' + std::string(998, 'x') + '"',
                   R"("\u0001")",
                   R"("\ud83d\ude00")"});
  documents(false, {"1e309",
                    "-1e309",
                    "[1,{\"a\":[2,1e309]}]",
                    "1.7976931348623159e308",
                    digits,
                    '-' + digits,
                    "[[[[[[1]]]]]]",
                    R"({"$holdfast.object":"sha256:1","bytes":1})",
                    R"({"a":1,"$holdfast.object":2})",
                    R"({"longer than that one":1,"$holdfast.object":2})",
                    R"({ "$holdfast.object" : 1})",
                    R"({"\u0024holdfast.object":1})",
                    R"({"$holdfast.x":1})",
                    R"({"$holdfast.":1})",
                    '"' + std::string(999, 'x') + '"',
                    R"("\u0000")",
                    R"("\ud83d")",
                    "{",
                    "",
                    "nonsense",
                    "1 2",
                    "NaN",
                    "Infinity"});

  using core::new_task;
  const auto words = [&](const std::string& what, auto member) {
    add(what + " of 128 bytes", true, [&](new_task& t) { member(t) = std::string(128, 'x'); });
    add(what + " of 129 bytes", false, [&](new_task& t) { member(t) = std::string(129, 'x'); });
    add(what + " of two-byte letters", false, [&](new_task& t) {
      member(t).clear();
      for (int i = 0; i < 65; ++i)
        member(t) += "é";
    });
  };
  words(
      "type", [](new_task & t) -> auto& { return t.spec.type; });
  words(
      "state", [](new_task & t) -> auto& { return t.state; });
  words(
      "key", [](new_task & t) -> auto& { return t.spec.key; });
  words(
      "credential", [](new_task & t) -> auto& { return t.spec.credential; });
  words(
      "unique_key", [](new_task & t) -> auto& { return t.spec.unique_key; });
  words(
      "owner_id", [](new_task & t) -> auto& { return t.spec.owner_id; });
  words(
      "run_as_id", [](new_task & t) -> auto& { return t.spec.run_as_id; });
  words(
      "trace_id", [](new_task & t) -> auto& { return t.spec.trace_id; });
  words(
      "span_id", [](new_task & t) -> auto& { return t.spec.span_id; });
  add("no type", false, [](new_task& t) { t.spec.type.clear(); });
  for (const auto* version : {"1.0", "2.7", "0.0", "999999999.999999999"})
    add("version " + std::string{version}, true, [&](new_task& t) { t.spec.version = version; });
  for (const auto* version : {"", "1", "1.", ".1", "1.0.0", "1.x", "-1.0", "1234567890.0", "1.0 "})
    add("version '" + std::string{version} + "'", false,
        [&](new_task& t) { t.spec.version = version; });
  for (const std::int16_t priority : {-1000, 0, 1000})
    add("priority " + std::to_string(priority), true,
        [&](new_task& t) { t.spec.priority = priority; });
  for (const std::int16_t priority : {-1001, 1001, 32'767, -32'768})
    add("priority " + std::to_string(priority), false,
        [&](new_task& t) { t.spec.priority = priority; });
  for (const std::uint32_t most : {0U, 1U, 1000U})
    add("max_attempts " + std::to_string(most), true,
        [&](new_task& t) { t.spec.max_attempts = most; });
  add("max_attempts 1001", false, [](new_task& t) { t.spec.max_attempts = 1001; });
  const auto kyc = [&](const std::string& state, bool good) {
    add("state '" + state + "' of kyc", good, [&](new_task& t) {
      t.spec.type = "kyc";
      t.state = state;
    });
  };
  kyc("", true);
  kyc("NEW", true);
  kyc("DONE", true);
  kyc("LOST", false);
  kyc("new", false);
  add("any state of a type without", true, [](new_task& t) { t.state = "LOST"; });
  return all;
}

} // namespace holdfast::test
