#include "core/history.hpp"

#include <algorithm>
#include <charconv>

namespace holdfast::core {

namespace {

void raise(shard_mark& known, const shard_mark& seen) {
  known.at = std::max(known.at, seen.at);
  known.batches = std::max(known.batches, seen.batches);
  known.events = std::max(known.events, seen.events);
}

std::string text_of(const shard_mark& mark) {
  return "epoch " + std::to_string(mark.at) + ", batch " + std::to_string(mark.batches) + ", event "
         + std::to_string(mark.events);
}

} // namespace

std::optional<server_place> server_place_in(std::string_view text) {
  const auto first = text.find('/');
  const auto last = text.rfind('/');
  if (first == std::string_view::npos || first == last)
    return std::nullopt;
  const auto number = text.substr(first + 1, last - first - 1);
  server_place place{std::string{text.substr(0, first)} + std::string{text.substr(last)}, 0};
  constexpr int hexadecimal = 16;
  const auto* end = number.data() + number.size();
  const auto read = std::from_chars(number.data(), end, place.timeline, hexadecimal);
  if (read.ec != std::errc{} || read.ptr != end)
    return std::nullopt;
  return place;
}

std::string seen_history::replaced(const cluster_view& view) const {
  const auto place = server_place_in(view.server);
  if (!place)
    return {};
  const auto known = timelines_.find(place->origin);
  if (known == timelines_.end() || place->timeline >= known->second
      || view.generation_began > generation_began_)
    return {};
  return "the database is on timeline " + std::to_string(place->timeline)
         + " of its server, and this node has worked on timeline " + std::to_string(known->second)
         + ": a standby was promoted in its place, and what is committed here would be lost";
}

std::string seen_history::look(const cluster_view& view, const shard_marks& written) {
  for (const auto& [shard, mark] : written)
    raise(marks_[shard], mark);
  shard_marks stored;
  for (const auto& shard : view.shards)
    stored[shard.shard] = {shard.at, shard.batches, shard.events};
  std::string forgotten;
  if (view.generation < generation_)
    forgotten = "it is of generation " + std::to_string(view.generation) + ", and generation "
                + std::to_string(generation_) + " was seen";
  std::size_t others = 0;
  for (const auto& [shard, known] : marks_) {
    const auto found = stored.find(shard);
    if (found != stored.end() && found->second.at >= known.at
        && found->second.batches >= known.batches && found->second.events >= known.events)
      continue;
    if (!forgotten.empty()) { // one tells enough
      ++others;
      continue;
    }
    forgotten = "shard " + std::to_string(shard)
                + (found == stored.end() ? " has no row" : " is at " + text_of(found->second))
                + ", and was at " + text_of(known);
  }
  if (others > 0)
    forgotten += "; " + std::to_string(others) + " more shards";
  for (const auto& [shard, mark] : stored)
    raise(marks_[shard], mark);
  generation_ = std::max(generation_, view.generation);
  generation_began_ = std::max(generation_began_, view.generation_began);
  if (const auto place = server_place_in(view.server)) {
    // Not the greater of both: what was let through may be an older history that goes on.
    timelines_[place->origin] = place->timeline;
  }
  return forgotten;
}

} // namespace holdfast::core
