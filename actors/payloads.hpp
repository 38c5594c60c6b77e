#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "messages/errors.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/// Documents that are too large for a row, on their way into the object store and out of it
/// (docs/adr/0011, docs/adr/0032).
namespace holdfast::actors {

/// Whether the text is too large for a row.
bool is_large(const node_settings& settings, const std::string& text);

/// Whether nobody can have the text, however often they ask: it is missing, or damaged.
bool is_lost(const core::failure& why);

/// A text on its way into the store: where it is, and where its reference is to stand. These are
/// the same place when nobody needs the text itself any more.
struct large_text {
  std::string* whole = nullptr;
  std::string* ref = nullptr;
};

/// One outcome for each of the texts, in their order.
using payloads_done = std::function<void(const std::vector<core::failure>&)>;

/// Stores the texts and sets their references, then runs `then`: what is stored is durable then,
/// and what could not be stored has no reference. What holds the texts must live as long as `then`.
void put_payloads(caf::event_based_actor* self, const caf::actor& objects,
                  const std::vector<large_text>& texts, payloads_done then,
                  when_busy busy = when_busy::refuse);

/// References among texts, and where they stand.
struct wanted_payloads {
  get_objects request;
  std::vector<std::size_t> places;
};
wanted_payloads references_among(const std::vector<std::string*>& texts, when_busy busy);
/// Puts the documents in their places; one outcome for each text.
std::vector<core::failure> fill_in(const std::vector<std::string*>& texts,
                                   const std::vector<std::size_t>& places, objects_got& got);

/// Puts the documents in the place of those texts that are references, then runs `then`: at once
/// when none is. What cannot be had stays a reference. What holds the texts must live as long as
/// `then`.
template <class Self>
void get_payloads(Self* self, const caf::actor& objects, const std::vector<std::string*>& texts,
                  core::duration patience, payloads_done then, when_busy busy = when_busy::refuse) {
  auto wanted = references_among(texts, busy);
  if (wanted.places.empty())
    return then(std::vector<core::failure>(texts.size()));
  self->request(objects, patience, std::move(wanted.request))
      .then([=, places = wanted.places](objects_got& got) { then(fill_in(texts, places, got)); },
            [=, places = wanted.places](const caf::error& error) {
              std::vector<core::failure> outcomes(texts.size());
              for (const auto place : places)
                outcomes[place] = msg::failure_of(error);
              then(outcomes);
            });
}

/// The first failure; `none` when there is none.
core::failure first_failure(const std::vector<core::failure>& outcomes);

/// What may wait in all lines of one actor.
struct lines_limit {
  std::size_t requests = 0;
  std::uint64_t bytes = 0;
};

/// The requests of one caller are decided in the order in which they came: what it asks while one
/// of its payloads is being stored waits here. Of other callers nothing waits.
template <class Caller>
class payload_lines {
public:
  bool must_wait(const Caller& caller) const {
    return !lines_.empty() && lines_.count(caller) != 0;
  }
  /// Keeps a request of a caller who must wait, with that many `bytes` of documents. False when too
  /// many requests wait already, or too many bytes: those of one alone are never too many.
  bool wait(const Caller& caller, const lines_limit& most, std::size_t bytes,
            std::function<void()> decide) {
    if (waiting_ >= most.requests || (bytes_ > 0 && bytes_ + bytes > most.bytes))
      return false;
    ++waiting_;
    bytes_ += bytes;
    lines_.at(caller).waiting.push_back({bytes, std::move(decide)});
    return true;
  }
  /// The caller's next requests must wait, until `go_on`.
  void hold(const Caller& caller) { lines_[caller].held = true; }
  /// Decides the requests of the caller's line, until one holds it again.
  void go_on(const Caller& caller) {
    const auto found = lines_.find(caller);
    if (found == lines_.end())
      return;
    auto& [held, waiting] = found->second;
    held = false;
    while (!held && !waiting.empty()) {
      const auto next = std::move(waiting.front());
      waiting.pop_front();
      --waiting_;
      bytes_ -= next.bytes;
      next.decide();
    }
    if (!held)
      lines_.erase(caller);
  }

private:
  struct request {
    std::size_t bytes = 0;
    std::function<void()> decide;
  };
  struct line {
    bool held = true;
    std::deque<request> waiting;
  };
  std::unordered_map<Caller, line> lines_;
  std::size_t waiting_ = 0; ///< Requests, of all callers.
  std::uint64_t bytes_ = 0; ///< Of their documents.
};

} // namespace holdfast::actors
