#include "persistence/postgres_reads.hpp"
#include "persistence/read_parts.hpp"

namespace holdfast::persistence::reads {

namespace {

constexpr statement webhooks_by_name{"webhooks_by_name", R"sql(
  SELECT webhook_id, name, definition, paused, revision, created_at FROM holdfast.webhooks
   WHERE $1::text = '' OR name = $1::text ORDER BY name)sql"};

constexpr statement names_of_webhooks{"names_of_webhooks", R"sql(
  SELECT webhook_id, name FROM holdfast.webhooks ORDER BY name)sql"};

constexpr statement places_of_webhook{"places_of_webhook", R"sql(
  SELECT p.shard, p.seq, s.event_seq, p.stopped_revision, coalesce(p.reason, ''),
         (SELECT count(*) FROM holdfast.dead_letters d
           WHERE d.webhook_id = p.webhook_id AND d.shard = p.shard)
    FROM holdfast.webhook_positions p
    JOIN holdfast.shard_leases s ON s.shard = p.shard
   WHERE p.webhook_id = $1
   ORDER BY p.shard)sql"};

#define PLACE_OF_LETTER "SELECT seq, status, died_at, replayed"
#define LETTERS_AFTER                                                                              \
  "  FROM holdfast.dead_letters\n"                                                                 \
  " WHERE webhook_id = $1 AND shard = $2 AND seq > $3 AND (replayed OR NOT $5::boolean)\n"         \
  " ORDER BY seq LIMIT $4::integer"

constexpr statement dead_letters_after{"dead_letters_after",
                                       PLACE_OF_LETTER ", event, reason\n" LETTERS_AFTER};

constexpr statement letter_places_after{"letter_places_after", PLACE_OF_LETTER "\n" LETTERS_AFTER};

constexpr statement letters_of{
    "letters_of",
    PLACE_OF_LETTER ", event, reason\n"
                    "  FROM holdfast.dead_letters\n"
                    " WHERE webhook_id = $1 AND shard = $2 AND seq = ANY ($3::bigint[])\n"
                    " ORDER BY seq"};

#undef PLACE_OF_LETTER
#undef LETTERS_AFTER

std::vector<std::string> letters_behind(const dead_letter_filter& filter) {
  return {wire::scalar(filter.webhook.value), wire::scalar(static_cast<int4>(filter.shard)),
          wire::scalar(static_cast<int8>(filter.after)), limit_parameter(filter.limit),
          wire::scalar(filter.replayed_only)};
}

dead_letter place_of(const query_result& rows, std::size_t row, const dead_letter_filter& filter) {
  dead_letter letter;
  letter.made.webhook = filter.webhook;
  letter.made.event = {filter.shard, u64(rows, row, 0)};
  letter.made.status = u32(rows, row, 1);
  letter.made.at = rows.get<core::instant>(row, 2);
  letter.replayed = rows.get<bool>(row, 3);
  return letter;
}

} // namespace

std::vector<call> list_webhooks(const std::string& name) { return {{&webhooks_by_name, {name}}}; }

std::vector<call> webhook_names() { return {{&names_of_webhooks, {}}}; }

std::vector<stored_webhook> webhooks_by_their_names(const results& r) {
  std::vector<stored_webhook> found;
  for (std::size_t row = 0; row < r[0].rows(); ++row) {
    stored_webhook one;
    one.id = {r[0].get<core::uuid>(row, 0)};
    one.name = r[0].get<std::string>(row, 1);
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<stored_webhook> list_webhooks(const results& r) {
  std::vector<stored_webhook> found;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    found.push_back({{r[0].get<core::uuid>(row, 0)},
                     r[0].get<std::string>(row, 1),
                     r[0].get<std::string>(row, 2),
                     r[0].get<bool>(row, 3),
                     u64(r[0], row, 4),
                     r[0].get<core::instant>(row, 5)});
  return found;
}

std::vector<call> webhook_places(core::webhook_id webhook) {
  return long_read({{&places_of_webhook, {wire::scalar(webhook.value)}}});
}

std::vector<webhook_place> webhook_places(const results& r) {
  const auto& rows = r[preamble_long];
  std::vector<webhook_place> found;
  for (std::size_t row = 0; row < rows.rows(); ++row)
    found.push_back({u32(rows, row, 0), u64(rows, row, 1), u64(rows, row, 2), u64(rows, row, 3),
                     rows.get<std::string>(row, 4), u64(rows, row, 5)});
  return found;
}

std::vector<call> list_dead_letters(const dead_letter_filter& filter) {
  return {{&dead_letters_after, letters_behind(filter)}};
}

void add_dead_letters(const results& r, const dead_letter_filter& filter,
                      std::vector<dead_letter>& to) {
  for (std::size_t row = 0; row < r[0].rows(); ++row) {
    auto letter = place_of(r[0], row, filter);
    letter.made.json = r[0].get<std::string>(row, 4);
    letter.made.reason = r[0].get<std::string>(row, 5);
    to.push_back(std::move(letter));
  }
}

std::vector<call> dead_letter_places(const dead_letter_filter& filter) {
  return {{&letter_places_after, letters_behind(filter)}};
}

std::vector<dead_letter> dead_letter_places(const results& r, const dead_letter_filter& filter) {
  std::vector<dead_letter> places;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    places.push_back(place_of(r[0], row, filter));
  return places;
}

std::vector<call> dead_letters_of(const dead_letter_filter& filter,
                                  const std::vector<dead_letter>& places) {
  wire::array_of<int8> seqs;
  for (const auto& place : places)
    seqs.add(static_cast<int8>(place.made.event.seq));
  return {{&letters_of,
           {wire::scalar(filter.webhook.value), wire::scalar(static_cast<int4>(filter.shard)),
            seqs.take()}}};
}

} // namespace holdfast::persistence::reads
