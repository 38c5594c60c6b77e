#include "http/readiness.hpp"

#include "http/json_values.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/guard_messages.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::http {

namespace {

void answer_readiness(const call_ptr& call, const std::vector<std::string_view>& missing) {
  response made;
  if (missing.empty()) {
    made.body = R"({"status":"ready"})";
    return call->answer(std::move(made));
  }
  made.status = 503;
  made.headers.push_back({"Retry-After", "1"});
  made.body = R"({"status":"not_ready","missing":[)";
  for (const auto name : missing) {
    if (name != missing.front())
      made.body += ',';
    append_string(made.body, name);
  }
  made.body += "]}";
  call->answer(std::move(made));
}

} // namespace

void tell_readiness(const door& through, const call_ptr& call) {
  const auto fail = [call](const core::failure&) { answer_readiness(call, {"node"}); };
  through.send(
      msg::get_node_status{},
      [&through, call, fail](const msg::node_status& node) {
        const bool knows_time = through.settings().now().has_value();
        through.send(
            msg::get_guard_status{},
            [call, knows_time, draining = node.draining](const msg::guard_status& guards) {
              std::vector<std::string_view> missing;
              if (!knows_time)
                missing.emplace_back("clock");
              if (guards.fenced)
                missing.emplace_back("database");
              if (draining)
                missing.emplace_back("draining");
              answer_readiness(call, missing);
            },
            fail);
      },
      fail);
}

} // namespace holdfast::http
