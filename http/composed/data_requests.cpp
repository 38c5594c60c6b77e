#include "http/composed/data_requests.hpp"

#include "documents/row_mapping.hpp"
#include "documents/table_reader.hpp"
#include "http/header_names.hpp"
#include "http/problem.hpp"
#include "http/request_body.hpp"
#include "http/serve_operation.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <utility>

namespace holdfast::http {

namespace {

/// Of one request to the step; small, so that others have their turn between two.
constexpr std::size_t load_rows_max = 500;
constexpr std::size_t load_bytes_max = std::size_t{1024} * 1024;
/// Bytes of the body that are split at a time.
constexpr std::size_t load_piece_bytes = std::size_t{64} * 1024;

/// One file on its way into a step. Holds the body, and the rows of one piece of it.
class table_load : public std::enable_shared_from_this<table_load> {
public:
  table_load(const door& through, visit from, documents::table_format format,
             documents::row_mapping mapping, const data_load& asked)
      : through_(through),
        from_(std::move(from)),
        body_(from_.call->asked().body),
        mapper_(std::move(mapping)),
        replace_(asked.on_change == replace_changes),
        reader_(
            format, {}, [this](const auto& columns) { return mapper_.bind(columns); },
            [this](documents::table_row& row) {
              take(mapper_.map(row));
              return core::failure{};
            }) {
    told_.dry_run = asked.dry_run;
  }

  void begin(core::step_id step) {
    step_ = step;
    from_.call->on_abandoned([weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->is_abandoned_ = true;
    });
    go_on();
  }

private:
  void take(documents::mapped_row row) {
    ++told_.rows;
    if (row.problem.code != core::errc::none)
      return refuse(row.line, std::move(row.key), row.problem);
    if (told_.dry_run && told_.first.size() < first_units)
      told_.first.push_back({row.line, row.key, row.input, row.judgments});
    waiting_.push_back(std::move(row));
  }

  void refuse(std::uint64_t line, std::string key, const core::failure& why) {
    ++told_.refused;
    if (told_.problems.size() < told_rows_max)
      told_.problems.push_back(
          {line, std::move(key), static_cast<std::uint8_t>(why.code), why.detail});
  }

  /// Reads until there is enough for a request, and sends it; at the end it answers.
  void go_on() {
    if (is_abandoned_)
      return; // nobody waits for the answer; what is in stays
    while (waiting_.size() < load_rows_max && !is_read_)
      read_piece();
    if (waiting_.empty())
      return finish();
    send();
  }

  void read_piece() {
    const auto piece = body_.substr(0, load_piece_bytes);
    body_.remove_prefix(piece.size());
    failed_ = reader_.read(piece);
    if (failed_.code == core::errc::none && body_.empty())
      failed_ = reader_.end();
    is_read_ = body_.empty() || failed_.code != core::errc::none;
  }

  void send() {
    msg::load_source_data request{step_, {}, replace_, told_.dry_run};
    sent_.clear();
    std::size_t bytes = 0;
    while (!waiting_.empty() && request.rows.size() < load_rows_max) {
      auto& next = waiting_.front();
      bytes += next.key.size() + next.input.size();
      if (bytes > load_bytes_max && !request.rows.empty())
        break;
      sent_.push_back({next.line, next.key});
      request.rows.push_back({std::move(next.key), std::move(next.input), next.judgments});
      waiting_.pop_front();
    }
    through_.send_for(
        from_, std::move(request),
        [self = shared_from_this()](msg::source_data_loaded& loaded) { self->on_loaded(loaded); },
        [self = shared_from_this()](const core::failure& why) { self->stop(why); });
  }

  void on_loaded(msg::source_data_loaded& loaded) {
    told_.added += loaded.added;
    told_.already_there += loaded.already_there;
    told_.changed += loaded.changed.size();
    for (const auto& one : loaded.changed) {
      told_.replaced += one.replaced ? 1 : 0;
      if (told_.changes.size() < told_rows_max && one.row < sent_.size())
        told_.changes.push_back({sent_[one.row].line, sent_[one.row].key, one.unit, one.replaced});
    }
    for (auto& one : loaded.problems)
      if (one.row < sent_.size())
        refuse(sent_[one.row].line, sent_[one.row].key,
               {static_cast<core::errc>(one.code), std::move(one.detail)});
    go_on();
  }

  /// The node takes no more rows.
  void stop(core::failure why) {
    if (told_.added + told_.replaced > 0)
      why.detail += "; " + std::to_string(told_.added + told_.replaced)
                    + " rows were taken before; send the file again, and they are left as they are";
    door::refuse(from_, why);
  }

  void finish() {
    if (failed_.code != core::errc::none && told_.rows == 0)
      return door::refuse(from_, failed_);
    told_.columns = mapper_.told();
    told_.stopped = failed_.detail;
    std::stable_sort(told_.problems.begin(), told_.problems.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    through_.answer(from_, told_);
  }

  struct sent_row {
    std::uint64_t line;
    std::string key;
  };

  const door& through_;
  const visit from_; ///< Keeps the body.
  std::string_view body_;
  documents::row_mapper mapper_;
  const bool replace_;
  documents::table_reader reader_;
  core::step_id step_;
  data_loaded told_;
  core::failure failed_; ///< Of the file.
  std::deque<documents::mapped_row> waiting_;
  std::vector<sent_row> sent_; ///< Of the request that is under way.
  bool is_read_ = false;
  std::atomic<bool> is_abandoned_{false};
};

} // namespace

void data_load::run(const door& through, const visit& from, const data_load& asked) {
  const auto format = table_format_of(header_of(from.call->asked(), "content-type"));
  if (!format) // refused before the request was read
    return from.call->answer(problem_of(refusal::unsupported_media_type, table_types_told()));
  auto mapping = documents::parse_row_mapping(asked.map, asked.key);
  if (!mapping)
    return door::refuse(from, mapping.error());
  if (!through.admits(from, msg::load_source_data{}))
    return;
  const auto load =
      std::make_shared<table_load>(through, from, *format, std::move(*mapping), asked);
  through.ask(
      from, msg::get_workflow{asked.workflow, 0}, [from, load](const msg::workflow_view& found) {
        if (found.steps.empty())
          return from.call->answer(problem_of({core::errc::damaged, "the workflow has no steps"}));
        load->begin(found.steps.front().step);
      });
}

} // namespace holdfast::http
