#pragma once

#include "http/answer_writer.hpp"
#include "http/door.hpp"
#include "http/list_form.hpp"
#include "messages/task_messages.hpp"
#include "messages/workflow_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Lists that are read to their end: the door asks for page after page, and holds one at a time.
namespace holdfast::http {

/// Of an operation that lists something page by page:
///
///   using item = …;                          one thing of the list
///   static constexpr std::uint32_t page_max; items of a page: some MiB at most
///   static auto& items(page);                those of a page
///   static bool go_on(request, page);        has the request ask for the next page; false: none
///   static constexpr bool has_csv;           with `csv_header` and `append_csv`
template <class Request>
struct list_of {
  static constexpr bool is_streamed = false;
};

/// Items of a page whose documents may be large.
inline constexpr std::uint32_t document_page = 100;
/// Items of a page without documents.
inline constexpr std::uint32_t plain_page = 500;

struct streamed {
  static constexpr bool is_streamed = true;
  static constexpr bool has_csv = false;
};

template <>
struct list_of<msg::list_results> : streamed {
  using item = msg::unit_result;
  static constexpr std::uint32_t page_max = document_page;
  static auto& items(msg::result_page& page) { return page.results; }
  static bool go_on(msg::list_results& ask, const msg::result_page& page) {
    return std::exchange(ask.after, page.last) != page.last;
  }

  static constexpr bool has_csv = true;
  static constexpr std::string_view csv_header =
      "unit_id,source_key,state,judgments,confidence,result\r\n";
  static void append_csv(std::string& to, const msg::unit_result& one) {
    append_csv_field(to, core::to_string(one.unit), true);
    append_csv_field(to, one.source_key, false);
    append_csv_field(to, core::to_string(one.state), false);
    append_csv_field(to, std::to_string(one.judgments), false);
    std::string confidence;
    append_number(confidence, one.confidence);
    append_csv_field(to, confidence, false);
    append_csv_field(to, one.result, false);
    to += "\r\n";
  }
};

template <>
struct list_of<msg::search_tasks> : streamed {
  using item = msg::task_summary;
  static constexpr std::uint32_t page_max = plain_page;
  static auto& items(msg::task_page& page) { return page.tasks; }
  static bool go_on(msg::search_tasks& ask, const msg::task_page& page) {
    if (page.last)
      ask.after = page.last;
    return page.more;
  }
};

template <>
struct list_of<msg::list_workflows> : streamed {
  using item = msg::workflow_summary;
  static constexpr std::uint32_t page_max = plain_page;
  static auto& items(msg::workflow_page& page) { return page.workflows; }
  static bool go_on(msg::list_workflows& ask, const msg::workflow_page& page) {
    if (!page.workflows.empty())
      ask.after = page.workflows.back().workflow;
    return page.more && !page.workflows.empty();
  }
};

template <>
struct list_of<msg::list_test_questions> : streamed {
  using item = msg::test_question_summary;
  static constexpr std::uint32_t page_max = document_page;
  static auto& items(msg::test_question_page& page) { return page.questions; }
  static bool go_on(msg::list_test_questions& ask, const msg::test_question_page& page) {
    if (!page.questions.empty())
      ask.after = page.questions.back().ordinal;
    return page.more && !page.questions.empty();
  }
};

template <>
struct list_of<msg::list_contributors> : streamed {
  using item = msg::contributor_view;
  static constexpr std::uint32_t page_max = plain_page;
  static auto& items(msg::contributor_page& page) { return page.contributors; }
  static bool go_on(msg::list_contributors& ask, const msg::contributor_page& page) {
    if (!page.contributors.empty())
      ask.after = page.contributors.back().contributor;
    return page.more && !page.contributors.empty();
  }
};

/// Answers a call with a whole list, or with the first `limit` items of it. A failure of the first
/// page is a problem as any other; a later one cuts the answer.
template <class Request>
class streamed_list : public std::enable_shared_from_this<streamed_list<Request>> {
public:
  streamed_list(const door& through, const visit& from, Request ask, list_form form,
                std::uint64_t limit)
      : through_(through),
        call_(from.call),
        who_(from.who),
        now_(from.parts.now),
        ask_(std::move(ask)),
        form_(form),
        left_(limit) {}

  void begin(const visit& from) {
    ask_.limit = next_limit();
    through_.ask(from, Request{ask_}, [self = this->shared_from_this()](auto& page) {
      self->begin_stream();
      self->take(page);
    });
  }

private:
  using list = list_of<Request>;

  /// Bytes of a piece: items are added while it has fewer.
  static constexpr std::size_t piece_bytes = 32UL * 1024;

  std::uint32_t next_limit() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, list::page_max));
  }

  void begin_stream() {
    stream_head head;
    head.content_type = form_ == list_form::csv ? csv_type : ndjson_type;
    head.headers.push_back({"Vary", "Accept"});
    stream_ = std::exchange(call_, nullptr)->begin_stream(std::move(head));
    if constexpr (list::has_csv)
      if (form_ == list_form::csv)
        piece_ = list::csv_header;
  }

  template <class Page>
  void take(Page& page) {
    has_more_ = list::go_on(ask_, page);
    if constexpr (reach_of<Request> == reach::filtered)
      if (who_->scope.limits())
        keep_in_scope(who_->scope, page);
    items_ = std::move(list::items(page));
    next_ = 0;
    write_more();
  }

  void write_more() {
    while (next_ < items_.size() && left_ > 0 && piece_.size() < piece_bytes) {
      append(items_[next_]);
      ++next_;
      --left_;
    }
    const bool is_last = left_ == 0 || (next_ == items_.size() && !has_more_);
    // An empty piece, of a page without items, shows that the search goes on. Behind a piece that
    // is not the last, `go_on` may run before `write` returns.
    const auto stream = stream_;
    const auto fate =
        stream->write(std::move(piece_), [self = this->shared_from_this()] { self->go_on(); });
    if (is_last && fate == write_result::taken)
      stream->finish();
  }

  void append(typename list::item& one) {
    if constexpr (list::has_csv)
      if (form_ == list_form::csv)
        return list::append_csv(piece_, one);
    append_json_line(piece_, to_json(one, now_));
  }

  void go_on() {
    if (next_ < items_.size() || !piece_.empty())
      return write_more();
    ask_.limit = next_limit();
    through_.send(
        Request{ask_}, [self = this->shared_from_this()](auto& page) { self->take(page); },
        [stream = stream_](const core::failure&) { stream->abort(); });
  }

  const door& through_;
  call_ptr call_; ///< Until the stream begins.
  const std::shared_ptr<const core::principal> who_;
  const core::instant now_;
  Request ask_; ///< For the next page.
  const list_form form_;
  std::uint64_t left_; ///< Items that the client still wants.
  answer_stream_ptr stream_;
  std::string piece_;
  std::vector<typename list::item> items_; ///< Of the present page.
  std::size_t next_ = 0;                   ///< The first of them that is not written.
  bool has_more_ = false;                  ///< Another page follows.
};

} // namespace holdfast::http
