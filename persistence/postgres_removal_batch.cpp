#include "persistence/postgres_removal_batch.hpp"

namespace holdfast::persistence::batch {

namespace {

// Who is reinstated keeps what is known of the removal that is over (`core::after`).
constexpr statement put_removals{"put_removals", R"sql(
  INSERT INTO holdfast.contributor_removals AS r (contributor_id, scope, place_id, at, until,
                                                  ended_at, keeps_judgments, reason, by_whom)
  SELECT t.contributor_id, t.scope, t.place_id, t.at, t.until, t.ended_at, t.keeps_judgments,
         t.reason, t.by_whom
    FROM unnest($1::text[], $2::smallint[], $3::uuid[], $4::timestamptz[], $5::timestamptz[],
                $6::timestamptz[], $7::boolean[], $8::text[], $9::text[])
      AS t(contributor_id, scope, place_id, at, until, ended_at, keeps_judgments, reason, by_whom)
  ON CONFLICT (contributor_id, scope, place_id) DO UPDATE
     SET at = excluded.at, until = excluded.until, ended_at = excluded.ended_at,
         keeps_judgments = excluded.keeps_judgments, reason = excluded.reason,
         by_whom = excluded.by_whom, changed_in = excluded.changed_in)sql"};

constexpr statement end_removals{"end_removals", R"sql(
  INSERT INTO holdfast.contributor_removals AS r (contributor_id, scope, place_id, at, until,
                                                  ended_at, keeps_judgments, reason, by_whom)
  SELECT t.contributor_id, t.scope, t.place_id, t.at, t.until, t.ended_at, t.keeps_judgments,
         t.reason, t.by_whom
    FROM unnest($1::text[], $2::smallint[], $3::uuid[], $4::timestamptz[], $5::timestamptz[],
                $6::timestamptz[], $7::boolean[], $8::text[], $9::text[])
      AS t(contributor_id, scope, place_id, at, until, ended_at, keeps_judgments, reason, by_whom)
  ON CONFLICT (contributor_id, scope, place_id) DO UPDATE
     SET ended_at = coalesce(r.ended_at, excluded.ended_at),
         changed_in = excluded.changed_in)sql"};

using removal_columns =
    columns<text, int2, core::uuid, core::instant, core::instant, core::instant, bool, text, text>;

void add(removal_columns& to, const core::removal& row) {
  const auto add_or_null = [](auto& array, const std::optional<core::instant>& at) {
    if (at)
      array.add(*at);
    else
      array.add_null();
  };
  auto& [contributor, scope, place, at, until, ended, keeps, reason, by] = to.arrays;
  contributor.add(row.contributor);
  scope.add(static_cast<int2>(row.place.scope));
  place.add(row.place.id);
  at.add(row.at);
  add_or_null(until, row.until);
  add_or_null(ended, row.ended_at);
  keeps.add(row.keeps_judgments);
  reason.add(row.reason);
  by.add(row.by);
}

} // namespace

void removal_writes::operator()(const core::put_removal& w) {
  const std::pair key{w.row.contributor, w.row.place};
  const auto known = removals_.find(key);
  const bool ends = w.row.ended_at.has_value();
  if (known == removals_.end())
    removals_.emplace(key, written{w.row, !ends});
  else
    known->second = {core::after(known->second.row, w.row), known->second.replaces || !ends};
}

void removal_writes::append_to(std::vector<call>& calls) {
  removal_columns put;
  removal_columns ended;
  for (const auto& [key, w] : removals_)
    add(w.replaces ? put : ended, w.row);
  put.append_to(calls, put_removals);
  ended.append_to(calls, end_removals);
}

} // namespace holdfast::persistence::batch
