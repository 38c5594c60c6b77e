#include "http/composed/result_requests.hpp"

#include "http/list_form.hpp"
#include "http/result_form.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace holdfast::http {

namespace {

constexpr std::uint32_t results_of_page = 100;
constexpr std::uint32_t results_of_page_max = 1000;

/// Answers a call with a file of results: asks for page after page, and holds one at a time. A
/// failure of the first page is a problem as any other; a later one cuts the answer.
class result_file : public std::enable_shared_from_this<result_file> {
public:
  result_file(const door& through, const visit& from, msg::list_workflow_results ask,
              result_form form, std::uint64_t limit)
      : through_(through),
        from_(from),
        first_(std::move(ask)),
        ask_(first_),
        form_(form),
        writer_(make_result_writer(form, through.settings().now().value_or(from.parts.now))),
        limit_(limit),
        left_(limit) {}

  void begin() {
    ask_.limit = next_limit();
    through_.ask(from_, msg::list_workflow_results{ask_},
                 [self = shared_from_this()](msg::workflow_result_page& page) {
                   self->writer_->begin(self->pass_, self->piece_);
                   if (const auto why = self->take(page); why.code != core::errc::none)
                     return door::refuse(self->from_, why);
                   self->begin_stream();
                   self->write();
                 });
  }

private:
  std::uint32_t next_limit() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, results_of_page_max));
  }

  void begin_stream() {
    stream_head head;
    head.content_type = content_type_of(form_);
    head.headers.push_back({"Vary", "Accept"});
    stream_ = from_.call->begin_stream(std::move(head));
    from_.call = nullptr;
  }

  /// Appends the results of a page to the piece.
  core::failure take(msg::workflow_result_page& page) {
    for (auto& result : page.results)
      if (auto why = writer_->append(result, piece_); why.code != core::errc::none)
        return why;
    left_ -= std::min<std::uint64_t>(left_, page.results.size());
    ask_.after = page.last;
    is_over_ = !page.more || left_ == 0;
    if (!is_over_)
      return {};
    if (pass_ < writer_->passes()) {
      writer_->begin(++pass_, piece_);
      ask_ = first_;
      left_ = limit_;
      is_over_ = false;
    } else {
      writer_->finish(piece_);
    }
    return {};
  }

  void write() {
    // Behind a piece that is not the last, `go_on` may run before `write` returns.
    const auto stream = stream_;
    const bool is_last = is_over_;
    const auto fate =
        stream->write(std::move(piece_), [self = shared_from_this()] { self->go_on(); });
    if (is_last && fate == write_result::taken)
      stream->finish();
  }

  void go_on() {
    if (!piece_.empty()) // there was no room for it
      return write();
    if (is_over_)
      return;
    ask_.limit = next_limit();
    through_.send(
        msg::list_workflow_results{ask_},
        [self = shared_from_this()](msg::workflow_result_page& page) {
          if (self->take(page).code != core::errc::none)
            return self->stream_->abort();
          self->write();
        },
        [stream = stream_](const core::failure&) { stream->abort(); });
  }

  const door& through_;
  visit from_; ///< Its call until the stream begins.
  const msg::list_workflow_results first_;
  msg::list_workflow_results ask_; ///< For the next page.
  const result_form form_;
  const std::unique_ptr<result_writer> writer_;
  const std::uint64_t limit_;
  std::uint64_t left_; ///< Results that the client still wants, of this pass.
  unsigned pass_ = 1;
  answer_stream_ptr stream_;
  std::string piece_;
  bool is_over_ = false; ///< Nothing follows the piece.
};

/// The form that is asked for; none when the format is unknown.
std::optional<result_form> form_wanted(const visit& from, const std::string& format) {
  if (!format.empty())
    return result_form_named(format);
  switch (form_for(from.call->asked(), true)) {
  case list_form::page:
    break;
  case list_form::ndjson:
    return result_form::jsonl;
  case list_form::csv:
    return result_form::csv;
  }
  return result_form::page;
}

} // namespace

void workflow_results_wanted::run(const door& through, const visit& from,
                                  workflow_results_wanted asked) {
  std::vector<request_problem> problems;
  msg::list_workflow_results ask;
  ask.workflow = asked.workflow;
  ask.after = std::move(asked.after);
  ask.pseudonyms = asked.pseudonyms;
  ask.leave_inputs = !asked.inputs;
  for (const auto& one : asked.states)
    if (const auto state = core::result_state_named(one))
      ask.states = static_cast<std::uint8_t>(ask.states | core::bit_of(*state));
    else
      problems.push_back({"state", "must be final, rejected, canceled, superseded or gathered"});
  const auto form = form_wanted(from, asked.format);
  if (!form)
    problems.push_back({"format", std::string{"must be "} + result_form_names});
  if (form == result_form::page && asked.limit > results_of_page_max)
    problems.push_back({"limit", "must be at most 1000 of a page; name a format to take all"});
  if (form == result_form::conll && !asked.inputs)
    problems.push_back({"inputs", "must not be false: the form conll has the texts of the items"});
  if (!problems.empty())
    return from.call->answer(problem_of(problems));
  if (*form != result_form::page)
    return std::make_shared<result_file>(through, from, std::move(ask), *form,
                                         asked.limit == 0 ? no_limit : asked.limit)
        ->begin();
  ask.limit = asked.limit == 0 ? results_of_page : static_cast<std::uint32_t>(asked.limit);
  through.ask(from, std::move(ask), [&through, from](auto& page) { through.answer(from, page); });
}

} // namespace holdfast::http
