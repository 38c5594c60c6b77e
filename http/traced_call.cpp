#include "http/traced_call.hpp"

#include "http/problem.hpp"

#include <algorithm>
#include <array>
#include <atomic>
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

constexpr unsigned server_errors = 500;

/// An id has as many bytes as a trace id: its digits are one.
std::string trace_id_from(const core::uuid& id) {
  auto digits = core::to_string(id);
  digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
  return digits;
}

/// The place of the caller in a trace. More than one header is none: nobody could say which holds.
std::optional<core::trace_context> caller_of(const request& from) {
  const auto is_ours = [](const parameter& one) { return one.name == "traceparent"; };
  if (std::count_if(from.headers.begin(), from.headers.end(), is_ours) > 1)
    return std::nullopt;
  return core::parse_traceparent(header_of(from, "traceparent"));
}

/// The methods that are told by their names: a caller can send any word.
bool is_known_method(std::string_view method) {
  static constexpr std::array<std::string_view, 7> known{"GET",   "HEAD",   "POST",   "PUT",
                                                         "PATCH", "DELETE", "OPTIONS"};
  return std::find(known.begin(), known.end(), method) != known.end();
}

class call_in_trace final : public traced_call {
public:
  call_in_trace(call_ptr inner, const door_settings& settings)
      : inner_(std::move(inner)), settings_(settings), caller_(caller_of(inner_->asked())) {
    const auto& tracer = settings_.tracer;
    if (!tracer || !tracer->samples(caller_))
      return;
    auto place = caller_ ? *caller_ : core::trace_context{tracer->new_trace_id(), {}, true};
    place.span_id = tracer->new_span_id();
    place_ = std::make_shared<const core::trace_context>(std::move(place));
    began_ = tracer->now();
  }

  const request& asked() const override { return inner_->asked(); }
  std::optional<response> unpack_body() override { return inner_->unpack_body(); }
  void answer(response with) override {
    const bool problem = is_problem(with);
    if (problem)
      tell(with);
    // Before the answer: whoever has it may look for the trace.
    tell_span(with.status, problem ? code_of_problem(with) : std::string_view{});
    inner_->answer(std::move(with));
  }
  answer_stream_ptr begin_stream(stream_head head) override {
    tell_span(head.status, {});
    return inner_->begin_stream(std::move(head));
  }
  void on_route(std::string_view name) override { inner_->on_route(name); }
  void on_path(std::string_view path) override { path_ = path; }
  core::trace_ptr trace() const override { return place_; }
  void on_abandoned(std::function<void()> then) override { inner_->on_abandoned(std::move(then)); }

private:
  void tell(response& problem) const {
    const auto& from = asked();
    auto trace_id = caller_  ? caller_->trace_id
                    : place_ ? place_->trace_id
                             : trace_id_from(settings_.make_id());
    add_trace_id(problem, trace_id);
    if (!settings_.on_problem)
      return;
    auto path = from.target.substr(0, std::min(from.target.find('?'), path_told_max));
    settings_.on_problem({std::move(trace_id), problem.status,
                          std::string{code_of_problem(problem)}, from.method, std::move(path)});
  }

  /// Named by the route alone: the path has ids and names in it, and the query may have secrets.
  void tell_span(unsigned status, std::string_view problem_code) {
    const bool is_worth_it = !path_.empty() || !problem_code.empty(); // not the files of the pages
    if (!place_ || !is_worth_it || is_told_.exchange(true))
      return;
    const auto& method = asked().method;
    const bool is_known = is_known_method(method);
    core::span told;
    told.trace_id = place_->trace_id;
    told.span_id = place_->span_id;
    if (caller_)
      told.parent_id = caller_->span_id;
    told.name = is_known ? method : "HTTP";
    told.kind = core::span_kind::server;
    told.began = began_;
    told.ended = settings_.tracer->now();
    told.has_failed = status >= server_errors;
    told.texts = {{"http.request.method", is_known ? method : "_OTHER"}, {"url.scheme", "http"}};
    told.numbers = {{"http.response.status_code", status}};
    if (!path_.empty()) {
      told.name += ' ' + std::string{path_};
      told.texts.emplace_back("http.route", path_);
    }
    if (!problem_code.empty())
      told.texts.emplace_back(told.has_failed ? "error.type" : "holdfast.problem", problem_code);
    settings_.tracer->take(std::move(told));
  }

  const call_ptr inner_;
  const door_settings& settings_;
  const std::optional<core::trace_context> caller_;
  core::trace_ptr place_; ///< Null: the request is not traced.
  core::instant began_{};
  std::string_view path_; ///< Empty: it has no route.
  std::atomic<bool> is_told_{false};
};

} // namespace

std::shared_ptr<traced_call> traced(call_ptr call, const door_settings& settings) {
  return std::make_shared<call_in_trace>(std::move(call), settings);
}

} // namespace holdfast::http
