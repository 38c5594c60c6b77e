#include "http/traced_call.hpp"

#include "http/problem.hpp"
#include "http/trace_context.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::http {

namespace {

/// Of a path, in the log: more than any route of ours has.
constexpr std::size_t path_told_max = 256;

/// An id has as many bytes as a trace id: its digits are one.
std::string trace_id_from(const core::uuid& id) {
  auto digits = core::to_string(id);
  digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
  return digits;
}

class traced_call final : public call {
public:
  traced_call(call_ptr inner, const door_settings& settings)
      : inner_(std::move(inner)), settings_(settings) {}

  const request& asked() const override { return inner_->asked(); }
  std::optional<response> unpack_body() override { return inner_->unpack_body(); }
  void answer(response with) override {
    if (is_problem(with))
      tell(with);
    inner_->answer(std::move(with));
  }
  answer_stream_ptr begin_stream(stream_head head) override {
    return inner_->begin_stream(std::move(head));
  }
  void on_route(std::string_view name) override { inner_->on_route(name); }
  void on_abandoned(std::function<void()> then) override { inner_->on_abandoned(std::move(then)); }

private:
  void tell(response& problem) const {
    const auto& from = asked();
    const auto trace = trace_of(header_of(from, "traceparent"));
    auto trace_id = trace ? trace->trace_id : trace_id_from(settings_.make_id());
    add_trace_id(problem, trace_id);
    if (!settings_.on_problem)
      return;
    auto path = from.target.substr(0, std::min(from.target.find('?'), path_told_max));
    settings_.on_problem({std::move(trace_id), problem.status,
                          std::string{code_of_problem(problem)}, from.method, std::move(path)});
  }

  const call_ptr inner_;
  const door_settings& settings_;
};

} // namespace

call_ptr traced(call_ptr call, const door_settings& settings) {
  return std::make_shared<traced_call>(std::move(call), settings);
}

} // namespace holdfast::http
