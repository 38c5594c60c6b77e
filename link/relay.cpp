#include "link/relay.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace holdfast::link {

namespace {

using boost::system::error_code;
using std::chrono::steady_clock;

/// How often a piece that a test holds back asks whether it may go.
constexpr auto held_recheck = std::chrono::milliseconds{5};

} // namespace

relay::relay(boost::asio::io_context& io, std::unique_ptr<wire> dialer,
             std::unique_ptr<wire> listener, link_counters& counters, relay_settings settings)
    : io_(io),
      dialer_(std::move(dialer)),
      listener_(std::move(listener)),
      counters_(counters),
      settings_(std::move(settings)),
      of_dialer_{sender::dialer,
                 *dialer_,
                 *listener_,
                 frame_validator{sender::dialer, shared_},
                 counters.bytes_from_dialers,
                 boost::asio::steady_timer{io}},
      of_listener_{sender::listener,
                   *listener_,
                   *dialer_,
                   frame_validator{sender::listener, shared_},
                   counters.bytes_from_listeners,
                   boost::asio::steady_timer{io}},
      greeting_(io),
      stall_(io) {
  shared_.dialer_is_node = settings_.dialer_is_node;
  shared_.dialer_roles = settings_.dialer_roles;
  shared_.own = settings_.own;
  shared_.published = settings_.published;
  shared_.open = settings_.open;
  shared_.actors_max = settings_.actors_max;
}

void relay::start(std::string_view of_listener) {
  dialer_->send_at_once();
  listener_->send_at_once();
  ++counters_.established;
  ++counters_.open;
  if (settings_.faults)
    number_ = settings_.faults->attach([weak = weak_from_this(), &io = io_] {
      boost::asio::post(io, [weak] {
        if (const auto self = weak.lock())
          self->close();
      });
    });
  greeting_.expires_after(settings_.greeting_deadline);
  greeting_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->end({refusal::greeting_timeout, frame_fault::none, {}});
  });
  read_when_due(of_dialer_);
  if (of_listener.empty())
    return read(of_listener_);
  std::copy(of_listener.begin(), of_listener.end(), of_listener_.read.begin());
  on_read(of_listener_, of_listener.size());
}

void relay::end(const relay_end& how) {
  if (std::exchange(ended_, true))
    return;
  --counters_.open;
  if (settings_.faults)
    settings_.faults->detach(number_);
  greeting_.cancel();
  stall_.cancel();
  of_dialer_.pause.cancel();
  of_listener_.pause.cancel();
  of_dialer_.room.reset();
  if (settings_.waiting && of_dialer_.asks && !of_dialer_.waits
      && of_dialer_.validator.within_payload())
    settings_.waiting->unfinished(shared_.dialer.bytes, *of_dialer_.asks, of_dialer_.asks_serial);
  of_dialer_.waits.reset();
  settings_.admit_dialer = nullptr; // they keep alive who keeps us alive
  settings_.slowed = nullptr;
  std::exchange(settings_.ended, nullptr)(how);
  dialer_->close(); // last: who hears the end may look at the numbers at once
  listener_->close();
}

void relay::read_when_due(direction& way) {
  const auto wait = way.from == sender::dialer && settings_.rate
                        ? settings_.rate->wait(steady_clock::now())
                        : steady_clock::duration::zero();
  if (wait == steady_clock::duration::zero())
    return read(way);
  note_slowed("rate");
  way.pause.expires_after(wait);
  way.pause.async_wait([self = shared_from_this(), &way](error_code) {
    if (!self->ended_)
      self->read_when_due(way); // others of the same peer may have been faster
  });
}

void relay::note_slowed(std::string_view why) {
  ++counters_.slowed;
  if (settings_.slowed)
    settings_.slowed(why);
}

void relay::read(direction& way) {
  way.source.read_some(boost::asio::buffer(way.read),
                       [self = shared_from_this(), &way](error_code error, std::size_t bytes) {
                         if (self->ended_)
                           return;
                         if (error)
                           self->end_of_stream(error); // all that came before has been written
                         else
                           self->on_read(way, bytes);
                       });
}

void relay::on_read(direction& way, std::size_t bytes) {
  way.bytes += bytes;
  way.unjudged = {way.read.data(), bytes};
  way.ready_bytes = 0;
  const bool goes_on = judge(way);
  count(way, bytes);
  if (goes_on)
    forward(way);
}

void relay::count(direction& way, std::size_t bytes) {
  const auto frames = way.validator.frames();
  const auto dropped = way.validator.dropped();
  const auto more = frames - std::exchange(way.frames_counted, frames);
  counters_.frames += more;
  if (way.from == sender::dialer && settings_.rate)
    settings_.rate->take(steady_clock::now(), static_cast<double>(more),
                         static_cast<double>(bytes));
  counters_.dropped += dropped - std::exchange(way.dropped_counted, dropped);
}

void relay::end_of_stream(const error_code& error) {
  const bool closed =
      error == boost::asio::error::eof || error == boost::asio::ssl::error::stream_truncated;
  end({std::nullopt, frame_fault::none, closed ? std::string{} : error.message()});
}

bool relay::judge(direction& way) {
  while (!way.unjudged.empty()) {
    const auto step = way.validator.next(way.unjudged);
    if (step.fault != frame_fault::none) {
      end({refusal::bad_frame, step.fault, {}});
      return false;
    }
    way.unjudged.remove_prefix(step.consumed);
    if (!way.greeted && way.validator.greeted() && !greeting_admitted(way))
      return false;
    if (step.answers && settings_.waiting)
      settings_.waiting->answered(shared_.dialer.bytes, *step.answers);
    if (!finds_room(way, step)) {
      way.judged = step.pass;
      return true;
    }
    pass(way, step.pass);
  }
  return true;
}

void relay::pass(direction& way, std::string_view bytes) {
  std::copy(bytes.begin(), bytes.end(), way.ready.begin() + way.ready_bytes);
  way.ready_bytes += bytes.size();
}

bool relay::finds_room(direction& way, const frame_validator::step& announced) {
  if (way.from != sender::dialer || announced.announced == 0)
    return true;
  const auto on_granted = [weak = weak_from_this(), &way] {
    if (const auto self = weak.lock())
      boost::asio::post(self->io_, [self, &way] { self->on_room(way); });
  };
  way.asks = announced.asks;
  if (way.asks && settings_.waiting)
    way.waits = settings_.waiting->ask(settings_.peer, announced.announced, steady_clock::now(),
                                       on_granted);
  way.room.reset(); // of the payload before it, the end of which is in this piece
  if (announced.announced > payload_room::free_bytes && settings_.room)
    way.room = settings_.room->ask(settings_.peer, announced.announced, on_granted);
  return has_room(way);
}

bool relay::has_room(direction& way) {
  if ((way.room && !way.room->granted()) || (way.waits && !way.waits->granted()))
    return false;
  if (way.waits)
    way.asks_serial = settings_.waiting->passed(shared_.dialer.bytes, *way.asks,
                                                steady_clock::now(), std::move(way.waits));
  return true;
}

/// The peer is not read meanwhile.
void relay::wait_for_room(direction& way) {
  const bool is_for_requests = !way.room || way.room->granted();
  note_slowed(is_for_requests ? "requests" : "payloads");
  way.pause.expires_after(settings_.room_deadline);
  const auto why = is_for_requests ? refusal::requests_full : refusal::payloads_full;
  way.pause.async_wait([self = shared_from_this(), &way, why](error_code error) {
    if (!error && !self->ended_ && !way.judged.empty()
        && steady_clock::now() >= way.pause.expiry()) // else it was set anew meanwhile
      self->end({why, frame_fault::none, {}});
  });
}

void relay::on_room(direction& way) {
  // Until then what came before may still be on its way: it looks for itself when it is written.
  if (ended_ || way.judged.empty() || way.ready_bytes > 0 || !has_room(way))
    return;
  way.pause.cancel();
  go_on(way);
}

/// There is room now for the frame that has waited.
void relay::go_on(direction& way) {
  pass(way, std::exchange(way.judged, {}));
  const bool goes_on = judge(way);
  count(way, 0);
  if (goes_on)
    forward(way);
}

bool relay::greeting_admitted(direction& way) {
  way.greeted = true;
  if (of_dialer_.greeted && of_listener_.greeted)
    greeting_.cancel();
  if (way.from == sender::listener || !settings_.admit_dialer
      || settings_.admit_dialer(shared_.dialer))
    return true;
  end({refusal::bad_frame, frame_fault::node_id_taken, {}});
  return false;
}

void relay::forward(direction& way) {
  if (way.ready_bytes == 0)
    return after_piece(way);
  if (!settings_.faults)
    return write(way);
  const auto pause = settings_.faults->pause_before(number_, way.from, way.ready_bytes);
  if (pause && *pause == steady_clock::duration::zero())
    return write(way);
  way.pause.expires_after(pause ? *pause : held_recheck);
  way.pause.async_wait([self = shared_from_this(), &way, waited = pause.has_value()](error_code) {
    if (self->ended_)
      return;
    if (waited)
      self->write(way);
    else
      self->forward(way);
  });
}

void relay::write(direction& way) {
  way.writing_since = steady_clock::now();
  watch_for_stalls();
  way.target.write(boost::asio::buffer(way.ready.data(), way.ready_bytes),
                   [self = shared_from_this(), &way](error_code error, std::size_t) {
                     way.writing_since = {};
                     if (self->ended_)
                       return;
                     if (error)
                       return self->end_of_stream(error);
                     way.ready_bytes = 0;
                     if (!way.validator.within_payload() && way.judged.empty())
                       way.room.reset();
                     self->after_piece(way);
                   });
}

void relay::after_piece(direction& way) {
  if (way.judged.empty())
    read_when_due(way);
  else if (has_room(way))
    go_on(way);
  else
    wait_for_room(way);
}

/// One timer for both directions, set while there was something to write since it last rang: so an
/// idle connection has none, and a busy one sets it once in a while.
void relay::watch_for_stalls() {
  if (std::exchange(stall_watched_, true))
    return;
  stall_.expires_after(settings_.stall_deadline);
  stall_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && !self->ended_)
      self->on_stall_check();
  });
}

void relay::on_stall_check() {
  stall_watched_ = false;
  const auto late = steady_clock::now() - settings_.stall_deadline;
  bool writing = false;
  for (const auto* way : {&of_dialer_, &of_listener_}) {
    if (way->writing_since == steady_clock::time_point{})
      continue;
    writing = true;
    if (way->writing_since <= late)
      return end({refusal::stalled, frame_fault::none, {}});
  }
  if (writing)
    watch_for_stalls();
}

} // namespace holdfast::link
