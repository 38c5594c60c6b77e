#include "persistence/event_text.hpp"
#include "persistence/postgres_reads.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::persistence::reads {

namespace {

// Sequences have few gaps, so the rows that begin at or below `after + limit` hold the events asked
// for, and the first row behind a gap at least one of them; the row that holds `after + 1` is the
// last one to begin at or below it.
#define OUTBOX_AFTER                                                                               \
  "  FROM holdfast.outbox\n"                                                                       \
  " WHERE shard = $1::integer AND first_seq + count - 1 > $2::bigint\n"                            \
  "   AND first_seq >= coalesce((SELECT max(first_seq) FROM holdfast.outbox\n"                     \
  "                               WHERE shard = $1::integer\n"                                     \
  "                                 AND first_seq <= $2::bigint + 1), 1)\n"                        \
  "   AND first_seq <= greatest($2::bigint + $3::bigint,\n"                                        \
  "         (SELECT min(first_seq) FROM holdfast.outbox\n"                                         \
  "           WHERE shard = $1::integer AND first_seq + count - 1 > $2::bigint\n"                  \
  "             AND first_seq >= coalesce((SELECT max(first_seq) FROM holdfast.outbox\n"           \
  "                                         WHERE shard = $1::integer\n"                           \
  "                                           AND first_seq <= $2::bigint + 1), 1)))\n"            \
  " ORDER BY first_seq"

constexpr statement outbox_after{"outbox_after",
                                 "SELECT first_seq, count, committed_at, events\n" OUTBOX_AFTER};

constexpr statement outbox_rows_after{"outbox_rows_after",
                                      "SELECT first_seq, count, committed_at\n" OUTBOX_AFTER};

#undef OUTBOX_AFTER

constexpr statement outbox_of{"outbox_of", R"sql(
  SELECT first_seq, count, committed_at, events FROM holdfast.outbox
   WHERE shard = $1::integer AND first_seq = ANY ($2::bigint[]) ORDER BY first_seq)sql"};

std::vector<std::string> places_behind(core::shard_id shard, core::event_seq after,
                                       std::uint32_t limit) {
  return {wire::scalar(static_cast<int4>(shard)), wire::scalar(static_cast<int8>(after)),
          wire::scalar(static_cast<int8>(std::max<std::uint32_t>(limit, 1)))};
}

outbox_place place_of(const query_result& rows, std::size_t row, core::shard_id shard) {
  return {shard, u64(rows, row, 0), u32(rows, row, 1), rows.get<core::instant>(row, 2)};
}

} // namespace

std::vector<call> events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) {
  return {{&outbox_after, places_behind(shard, after, limit)}};
}

std::optional<core::failure> add_events(const results& r, core::shard_id shard,
                                        std::vector<core::sequenced_event>& to) {
  for (std::size_t row = 0; row < r[0].rows(); ++row) {
    auto read = events_from_text(place_of(r[0], row, shard), r[0].get<text>(row, 3));
    if (!read)
      return read.error();
    std::move(read->begin(), read->end(), std::back_inserter(to));
  }
  return std::nullopt;
}

std::vector<call> outbox_places_after(core::shard_id shard, core::event_seq after,
                                      std::uint32_t limit) {
  return {{&outbox_rows_after, places_behind(shard, after, limit)}};
}

std::vector<outbox_place> outbox_places(const results& r, core::shard_id shard) {
  std::vector<outbox_place> places;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    places.push_back(place_of(r[0], row, shard));
  return places;
}

std::vector<call> events_of(core::shard_id shard, const std::vector<outbox_place>& rows) {
  wire::array_of<int8> firsts;
  for (const auto& row : rows)
    firsts.add(static_cast<int8>(row.first_seq));
  return {{&outbox_of, {wire::scalar(static_cast<int4>(shard)), firsts.take()}}};
}

} // namespace holdfast::persistence::reads
