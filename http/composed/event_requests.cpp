#include "http/composed/event_requests.hpp"

#include "core/queue_policy.hpp"
#include "core/task_events.hpp"
#include "documents/cloud_event.hpp"
#include "http/event_hub.hpp"
#include "http/waiting_call.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace holdfast::http {

namespace {

constexpr std::string_view stream_type = "text/event-stream";

/// The time in which a list that does not wait must be there.
constexpr core::duration list_patience = std::chrono::seconds{10};

/// About so many bytes of events are in one list.
constexpr std::size_t list_bytes = std::size_t{1} << 20;

/// Events are written to a stream in pieces of about this size.
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

/// The pause after which the client of a stream that ended comes again.
constexpr std::string_view retry_line = "retry: 1000\n\n";

std::string in_cloud_event(const door& through, const told_event& event) {
  return documents::cloud_event(through.settings().events_source, {event.shard, event.seq},
                                event.event());
}

/// Events for an answer of JSON.
class list_sink final : public event_sink {
public:
  list_sink(const door& through, waiting_call_ptr call, const events_wanted& asked)
      : through_(through),
        call_(std::move(call)),
        limit_(asked.limit),
        waits_(asked.wait > core::duration::zero()),
        envelope_(asked.envelope) {}

  bool take(const told_event& event, const std::string& cursor) override {
    const auto count = list_.events.size();
    if (count == limit_ || (count > 0 && bytes_ + event.text.size() > list_bytes)) {
      finish();
      return false;
    }
    bytes_ += event.text.size();
    const bool is_plain = envelope_ == core::event_envelope::plain;
    list_.events.push_back(
        {event.shard, event.seq, is_plain ? event.event() : in_cloud_event(through_, event)});
    list_.cursor = cursor;
    return true;
  }

  void rest(const std::string& cursor, bool is_newest) override {
    list_.cursor = cursor;
    if (is_newest && (!list_.events.empty() || !waits_))
      finish();
  }

  void idle(const std::string&) override {}

  void fail(const core::failure& why) override {
    if (call_->settle())
      call_->from().call->answer(problem_of(why));
  }

  bool is_over() const override { return call_->is_settled(); }

  /// The time is over.
  void end_wait() {
    if (list_.cursor.empty()) // nothing is known yet
      fail({core::errc::unavailable, "the events cannot be read now; ask again"});
    else
      finish();
  }

private:
  void finish() {
    if (!call_->settle())
      return;
    auto list = std::exchange(list_, {});
    through_.answer(call_->from(), list);
  }

  const door& through_;
  const waiting_call_ptr call_;
  const std::uint32_t limit_;
  const bool waits_;
  const core::event_envelope envelope_;
  std::size_t bytes_ = 0;
  event_list list_; ///< With the place behind its events.
};

/// Events for a stream of server-sent events.
class stream_sink final : public event_sink, public std::enable_shared_from_this<stream_sink> {
public:
  stream_sink(const door& through, waiting_call_ptr call, core::event_envelope envelope)
      : through_(through), call_(std::move(call)), envelope_(envelope) {}

  /// The reader that goes on when there is room again.
  void serve(const event_reader_ptr& reader) { reader_ = reader; }

  bool take(const told_event& event, const std::string& cursor) override {
    if (!begin() || (piece_.size() >= piece_bytes && !write()))
      return false;
    piece_ += "id: ";
    piece_ += cursor;
    piece_ += "\nevent: ";
    piece_ += event.type;
    piece_ += "\ndata: ";
    const bool is_plain = envelope_ == core::event_envelope::plain;
    piece_ += is_plain ? event.text : in_cloud_event(through_, event);
    piece_ += "\n\n";
    return true;
  }

  void rest(const std::string& cursor, bool) override {
    const bool is_first = stream_ == nullptr;
    if (!begin())
      return;
    if (is_first) // a client that is cut before the first event goes on from here
      piece_ += "id: " + cursor + "\n\n";
    write();
  }

  void idle(const std::string& cursor) override {
    if (stream_ && piece_.empty() && !std::exchange(has_written_, false)) {
      piece_ = ":\nid: " + cursor + "\n\n";
      write();
    }
    has_written_ = false;
  }

  void fail(const core::failure& why) override {
    if (!stream_) {
      if (call_->settle())
        call_->from().call->answer(problem_of(why));
      return;
    }
    if (over_.exchange(true))
      return;
    stream_->write(piece_ + "event: problem\ndata: " + problem_of(why).body + "\n\n");
    stream_->finish();
  }

  bool is_over() const override { return over_ || (!begun_ && call_->is_settled()); }

private:
  bool begin() {
    if (stream_)
      return !over_;
    if (!call_->settle())
      return false;
    begun_ = true;
    stream_ = call_->from().call->begin_stream(
        {200,
         std::string{stream_type},
         {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}}});
    // The stream keeps these functions, which must not keep it.
    stream_->on_end([weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->over_ = true;
    });
    stream_->on_drain([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self || self->over_.exchange(true))
        return;
      self->stream_->write(std::string{retry_line});
      self->stream_->finish();
    });
    piece_ = retry_line;
    return !over_;
  }

  /// False: the client has to read first, or there is none.
  bool write() {
    if (over_)
      return false;
    if (piece_.empty())
      return true;
    const auto fate = stream_->write(std::move(piece_), [weak = weak_from_this()] {
      if (const auto self = weak.lock())
        self->through_.run([self] { self->go_on(); });
    });
    if (fate == write_result::ended)
      over_ = true;
    if (fate != write_result::taken)
      return false;
    piece_.clear();
    has_written_ = true;
    return true;
  }

  void go_on() {
    if (!piece_.empty() && !write())
      return;
    const auto reader = reader_.lock();
    if (!reader || !std::exchange(reader->paused, false))
      return;
    through_.events()->go_on(reader);
  }

  const door& through_;
  const waiting_call_ptr call_;
  const core::event_envelope envelope_;
  std::weak_ptr<event_reader> reader_;
  answer_stream_ptr stream_; ///< Set before it can end, and never again.
  std::string piece_;        ///< Whole events, or a comment.
  bool has_written_ = false; ///< Since the last look.
  std::atomic<bool> begun_{false};
  std::atomic<bool> over_{false};
};

/// The types that no event has, and the filters that no event passes.
std::vector<request_problem> problems_of(const events_wanted& asked) {
  std::vector<request_problem> problems;
  for (const auto& one : asked.types)
    if (!core::event_type_named(one))
      problems.push_back({"types", "there are no events of the type " + one.substr(0, 64)});
  if (asked.queue.empty())
    return problems;
  if (!core::is_queue_name(asked.queue))
    problems.push_back({"queue", "must be 1 to 64 of a-z 0-9 _ . -"});
  if (asked.workflow || asked.step || asked.unit)
    problems.push_back({"queue", "excludes workflow_id, step_id and unit_id: an event is of a queue"
                                 " or of a step"});
  return problems;
}

event_reader_ptr reader_for(const events_wanted& asked, std::shared_ptr<event_sink> sink) {
  event_filter filter;
  filter.types.insert(asked.types.begin(), asked.types.end());
  filter.workflow = asked.workflow;
  filter.step = asked.step;
  filter.unit = asked.unit;
  filter.queue = asked.queue;
  // No others are of a queue, and nodes leave them out before they send them.
  if (!filter.queue.empty() && filter.types.empty())
    for (const auto ending : {core::task_ending::completed, core::task_ending::failed,
                              core::task_ending::dead, core::task_ending::canceled})
      filter.types.emplace(core::to_string(core::event_type_of(ending)));
  auto reader = std::make_shared<event_reader>(std::move(filter), std::move(sink));
  reader->from = asked.start;
  return reader;
}

/// Lets the reader have the events behind the cursor, if there is one.
void follow(const door& through, const waiting_call_ptr& call, const std::string& cursor,
            const event_reader_ptr& reader) {
  const auto& events = through.events();
  events->count_shards([events, call, reader, cursor](std::uint32_t shards) {
    if (!cursor.empty()) {
      auto at = positions_of(cursor, shards);
      if (!at) {
        if (call->settle())
          call->from().call->answer(
              problem_of(std::vector<request_problem>{{"cursor", "is no cursor of this cluster"}}));
        return;
      }
      reader->at = std::move(*at);
      reader->from = core::event_start::after;
    }
    events->join(reader);
  });
}

void begin_stream(const door& through, const waiting_call_ptr& call, const events_wanted& asked) {
  const auto sink = std::make_shared<stream_sink>(through, call, asked.envelope);
  const auto reader = reader_for(asked, sink);
  sink->serve(reader);
  follow(through, call, asked.cursor, reader);
}

void begin_list(const door& through, const waiting_call_ptr& call, const events_wanted& asked) {
  const bool waits = asked.wait > core::duration::zero();
  const auto sink = std::make_shared<list_sink>(through, call, asked);
  through.run(
      [weak = std::weak_ptr<list_sink>{sink}] {
        if (const auto still = weak.lock())
          still->end_wait();
      },
      waits ? asked.wait : list_patience);
  follow(through, call, asked.cursor, reader_for(asked, sink));
}

} // namespace

void events_wanted::run(const door& through, const visit& from, events_wanted asked) {
  msg::read_events as_one_shard;
  as_one_shard.step = asked.step;
  as_one_shard.types = asked.types;
  if (!through.admits(from, as_one_shard))
    return;
  if (const auto problems = problems_of(asked); !problems.empty())
    return from.call->answer(problem_of(problems));
  const auto& request = from.call->asked();
  const bool streams = header_of(request, "accept").find(stream_type) != std::string_view::npos;
  if (const auto last = header_of(request, "last-event-id"); streams && !last.empty())
    asked.cursor = last;
  const auto call = waiting_call::begin(through, from, {});
  if (!call)
    return;
  call->arm();
  const auto begin = [&through, call, asked = std::move(asked), streams] {
    if (streams)
      begin_stream(through, call, asked);
    else
      begin_list(through, call, asked);
  };
  if (!asked.workflow)
    return through.run(begin);
  through.send(
      msg::get_workflow{asked.workflow, 0}, [begin](const msg::workflow_view&) { begin(); },
      [call](const core::failure& why) {
        if (call->settle())
          call->from().call->answer(problem_of(why));
      });
}

} // namespace holdfast::http
