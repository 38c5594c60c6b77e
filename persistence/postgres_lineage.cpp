// The part of `postgres_store` that is about what became of an item.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <functional>
#include <map>
#include <unordered_map>

namespace holdfast::persistence {

namespace {

// All statements read the same page: the first unit of an item is its own root, and the index
// `units_by_root` has the others. It has keys alone, so that none of them reads a unit that is
// damaged but for the one that is about units.
#define PAGE_OF_ITEM                                                                               \
  "WITH item AS MATERIALIZED (SELECT root_id FROM holdfast.units WHERE unit_id = $1::uuid),\n"     \
  "     page AS MATERIALIZED (\n"                                                                  \
  "       SELECT u.unit_id, u.created_at\n"                                                        \
  "         FROM (SELECT f.unit_id, f.root_id, f.created_at FROM holdfast.units f\n"               \
  "                WHERE f.unit_id = (SELECT root_id FROM item)\n"                                 \
  "               UNION ALL\n"                                                                     \
  "               SELECT f.unit_id, f.root_id, f.created_at FROM holdfast.units f\n"               \
  "                WHERE f.root_id = (SELECT root_id FROM item) AND f.parent_id IS NOT NULL) u\n"  \
  "        WHERE $2::uuid = '00000000-0000-0000-0000-000000000000'\n"                              \
  "           OR (u.created_at, u.unit_id) > (\n"                                                  \
  "              SELECT a.created_at, a.unit_id FROM holdfast.units a\n"                           \
  "               WHERE a.unit_id = $2::uuid AND a.root_id = u.root_id)\n"                         \
  "        ORDER BY u.created_at, u.unit_id LIMIT $3::integer)\n"

// Whether there is such an item, and such a place in it.
constexpr statement place_in_item{"place_in_item", R"sql(
  SELECT u.root_id, $2::uuid = '00000000-0000-0000-0000-000000000000' OR a.unit_id IS NOT NULL
    FROM holdfast.units u
    LEFT JOIN holdfast.units a ON a.unit_id = $2::uuid AND a.root_id = u.root_id
   WHERE u.unit_id = $1::uuid)sql"};

// With their texts, or without these, which are what may be long.
#define UNITS_OF_ITEM(texts)                                                                       \
  PAGE_OF_ITEM                                                                                     \
  "SELECT u.unit_id, u.parent_id, u.step_id, u.state, u.slots, u.loops, u.part, u.reopened,\n"     \
  "       u.truth IS NOT NULL, u.created_at, u.changed_at, u.confidence, u.route, u.version,\n"    \
  "       u.batch_id, " texts "\n"                                                                 \
  "  FROM page p\n"                                                                                \
  " CROSS JOIN LATERAL (SELECT * FROM holdfast.units f WHERE f.unit_id = p.unit_id OFFSET 0) u\n"  \
  " ORDER BY p.created_at, p.unit_id"

constexpr statement units_of_item{"units_of_item",
                                  UNITS_OF_ITEM("u.source_key, u.input, u.result, u.route_reason")};

constexpr statement leases_of_item{"leases_of_item", PAGE_OF_ITEM R"sql(
  SELECT g.*
    FROM page u
   CROSS JOIN LATERAL (
         SELECT l.unit_id, l.assignment_id, l.contributor_id, l.token, l.granted_at, l.expires_at,
                NULL::smallint AS ending, NULL::timestamptz AS ended_at
           FROM holdfast.active_leases l WHERE l.unit_id = u.unit_id
         UNION ALL
         SELECT e.unit_id, e.assignment_id, e.contributor_id, e.token, e.granted_at, e.expires_at,
                e.ending, e.ended_at
           FROM holdfast.ended_leases e WHERE e.unit_id = u.unit_id
         UNION ALL
         SELECT j.unit_id, j.assignment_id, j.contributor_id, j.token, j.started_at,
                j.lease_expires_at, NULL, j.submitted_at
           FROM holdfast.judgments j WHERE j.unit_id = u.unit_id
         OFFSET 0) g
   ORDER BY g.unit_id, g.token)sql"};

// With payloads and answers, or without these, which are what may be long.
#define JUDGMENTS_OF_ITEM(payload_and_answer)                                                      \
  PAGE_OF_ITEM                                                                                     \
  "SELECT j.*\n"                                                                                   \
  "  FROM page u\n"                                                                                \
  " CROSS JOIN LATERAL (\n"                                                                        \
  "       SELECT f.unit_id, f.judgment_id, f.contributor_id, " payload_and_answer ",\n"            \
  "              f.trust_snapshot, f.submitted_at, f.tainted_at, f.test_question_correct,\n"       \
  "              f.is_late, false AS is_surplus, f.trust_questions, f.token\n"                     \
  "         FROM holdfast.judgments f WHERE f.unit_id = u.unit_id\n"                               \
  "       UNION ALL\n"                                                                             \
  "       SELECT s.unit_id, s.judgment_id, s.contributor_id, " payload_and_answer ",\n"            \
  "              s.trust_snapshot, s.submitted_at, NULL, NULL, true, true,\n"                      \
  "              s.trust_questions, s.token\n"                                                     \
  "         FROM holdfast.surplus_judgments s WHERE s.unit_id = u.unit_id\n"                       \
  "       OFFSET 0) j\n"                                                                           \
  " ORDER BY j.unit_id, j.submitted_at, j.token"

constexpr statement judgments_of_item{"judgments_of_item", JUDGMENTS_OF_ITEM("payload, answer")};

// Of an item with units or judgments that cannot be read, and then the texts of those that can.

constexpr statement unit_places_of_item{
    "unit_places_of_item", UNITS_OF_ITEM("''::text, ''::text, NULL::text, NULL::text")};

constexpr statement unit_texts{"unit_texts", R"sql(
  SELECT u.unit_id, u.source_key, u.input, u.result, u.route_reason
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (
         SELECT f.unit_id, f.source_key, f.input, f.result, f.route_reason
           FROM holdfast.units f WHERE f.unit_id = t.unit_id
         OFFSET 0) u)sql"};

constexpr statement judgment_places_of_item{
    "judgment_places_of_item", JUDGMENTS_OF_ITEM("''::text AS payload, ''::text AS answer")};

constexpr statement judgment_texts{"judgment_texts", R"sql(
  SELECT j.judgment_id, j.payload, j.answer
    FROM unnest($1::uuid[]) AS t(judgment_id)
   CROSS JOIN LATERAL (
         SELECT f.judgment_id, f.payload, f.answer FROM holdfast.judgments f
          WHERE f.judgment_id = t.judgment_id
         OFFSET 0) j)sql"};

constexpr statement surplus_texts{"surplus_texts", R"sql(
  SELECT j.judgment_id, j.payload, j.answer
    FROM unnest($1::uuid[]) AS t(judgment_id)
   CROSS JOIN LATERAL (
         SELECT f.judgment_id, f.payload, f.answer FROM holdfast.surplus_judgments f
          WHERE f.judgment_id = t.judgment_id
         OFFSET 0) j)sql"};

constexpr statement excluded_of_item{"excluded_of_item", PAGE_OF_ITEM R"sql(
  SELECT x.*
    FROM page u
   CROSS JOIN LATERAL (
         SELECT f.unit_id, f.contributor_id FROM holdfast.unit_exclusions f
          WHERE f.unit_id = u.unit_id
         OFFSET 0) x
   ORDER BY x.unit_id, x.contributor_id)sql"};

#undef JUDGMENTS_OF_ITEM
#undef UNITS_OF_ITEM
#undef PAGE_OF_ITEM

template <class T>
std::optional<T> optional_of(const query_result& r, std::size_t row, int column) {
  return r.is_null(row, column) ? std::nullopt : std::optional{r.get<T>(row, column)};
}

/// Four columns, beginning with `column`.
void read_texts(const query_result& r, std::size_t row, int column, unit_history& unit) {
  unit.source_key = r.get<std::string>(row, column);
  unit.input = r.get<std::string>(row, column + 1);
  unit.result = optional_of<std::string>(r, row, column + 2).value_or(std::string{});
  unit.route_reason = optional_of<std::string>(r, row, column + 3).value_or(std::string{});
}

unit_history read_unit(const query_result& r, std::size_t row) {
  unit_history unit;
  unit.id = {r.get<core::uuid>(row, 0)};
  unit.parent = {optional_of<core::uuid>(r, row, 1).value_or(core::uuid{})};
  unit.step = {r.get<core::uuid>(row, 2)};
  unit.state = static_cast<core::unit_state>(r.get<reads::int2>(row, 3));
  unit.slots = reads::u32(r, row, 4);
  unit.loops = reads::u32(r, row, 5);
  unit.part = reads::u32(r, row, 6);
  unit.reopened = reads::u32(r, row, 7);
  unit.test_question = r.get<bool>(row, 8);
  unit.created_at = r.get<core::instant>(row, 9);
  unit.changed_at = optional_of<core::instant>(r, row, 10);
  unit.confidence = optional_of<double>(r, row, 11).value_or(0);
  unit.route = optional_of<reads::int2>(r, row, 12).value_or(core::no_route);
  unit.version = static_cast<std::uint32_t>(r.get<reads::int2>(row, 13));
  unit.batch = {optional_of<core::uuid>(r, row, 14).value_or(core::uuid{})};
  read_texts(r, row, 15, unit);
  return unit;
}

lease_history read_lease(const query_result& r, std::size_t row) {
  const auto ending = optional_of<reads::int2>(r, row, 6);
  return {{{r.get<core::uuid>(row, 1)},
           r.get<std::string>(row, 2),
           reads::u64(r, row, 3),
           r.get<core::instant>(row, 4),
           r.get<core::instant>(row, 5)},
          ending ? std::optional{static_cast<core::lease_end>(*ending)} : std::nullopt,
          optional_of<core::instant>(r, row, 7)};
}

judgment_history read_judgment(const query_result& r, std::size_t row) {
  return {{r.get<core::uuid>(row, 1)},
          r.get<std::string>(row, 2),
          r.get<std::string>(row, 3),
          r.get<std::string>(row, 4),
          r.get<double>(row, 5),
          r.get<core::instant>(row, 6),
          optional_of<core::instant>(r, row, 7),
          optional_of<bool>(r, row, 8),
          r.get<bool>(row, 9),
          r.get<bool>(row, 10),
          reads::count_of(r, row, 11)};
}

/// Adds what `read` makes of each row to `list` of the unit that its first column names.
template <class T, class Read>
void distribute(const query_result& r, std::vector<unit_history>& units,
                const std::unordered_map<core::uuid, std::size_t>& places,
                std::vector<T> unit_history::*list, Read read) {
  for (std::size_t row = 0; row < r.rows(); ++row)
    (units[places.at(r.get<core::uuid>(row, 0))].*list).push_back(read(r, row));
}

/// `units` and `judgments`: the statements that read them.
std::vector<call> calls_for_item(core::unit_id unit, core::unit_id after, std::uint32_t limit,
                                 const statement& units, const statement& judgments) {
  const std::vector<std::string> position{wire::scalar(unit.value), wire::scalar(after.value)};
  auto page = position;
  page.push_back(reads::limit_parameter(limit));
  return reads::short_read({{&place_in_item, position},
                            {&units, page},
                            {&leases_of_item, page},
                            {&judgments, page},
                            {&excluded_of_item, page}});
}

core::outcome<item_history> read_item(const std::vector<query_result>& results) {
  const auto rows = [&](std::size_t which) -> const query_result& {
    return results[reads::preamble_short + which];
  };
  if (rows(0).rows() == 0)
    return core::failure{core::errc::not_found, "no such unit"};
  if (!rows(0).get<bool>(0, 1))
    return core::failure{core::errc::not_found, "no such unit in the item"};
  item_history item{{rows(0).get<core::uuid>(0, 0)}, {}};
  std::unordered_map<core::uuid, std::size_t> places;
  for (std::size_t row = 0; row < rows(1).rows(); ++row) {
    item.units.push_back(read_unit(rows(1), row));
    places.emplace(item.units.back().id.value, row);
  }
  distribute(rows(2), item.units, places, &unit_history::leases, read_lease);
  distribute(rows(3), item.units, places, &unit_history::judgments, read_judgment);
  distribute(rows(4), item.units, places, &unit_history::excluded,
             [](const query_result& r, std::size_t row) { return r.get<std::string>(row, 1); });
  return item;
}

template <class Id, class Row>
using found_by_id = std::map<Id, Row*>;

found_by_id<core::unit_id, unit_history> units_in(item_history& item) {
  found_by_id<core::unit_id, unit_history> found;
  for (auto& unit : item.units)
    found.emplace(unit.id, &unit);
  return found;
}

/// Those that are in the one table, or in the other.
found_by_id<core::judgment_id, judgment_history> judgments_in(item_history& item, bool surplus) {
  found_by_id<core::judgment_id, judgment_history> found;
  for (auto& unit : item.units)
    for (auto& judgment : unit.judgments)
      if (judgment.surplus == surplus)
        found.emplace(judgment.id, &judgment);
  return found;
}

void read_texts(const query_result& r, std::size_t row, int column, judgment_history& judgment) {
  judgment.payload = r.get<std::string>(row, column);
  judgment.answer = r.get<std::string>(row, column + 1);
}

using runner = std::function<core::outcome<pipeline_results>(const std::vector<call>&)>;

/// Adds their texts to these rows, or why they cannot be read. `what` reads them by their ids.
template <class Id, class Row>
std::optional<core::failure> add_texts(const found_by_id<Id, Row>& to, const statement& what,
                                       const runner& run) {
  std::vector<Id> ids;
  for (const auto& [id, row] : to)
    ids.push_back(id);
  const apart_reader<Id> rows{
      [&](const auto& some) {
        wire::array_of<core::uuid> wanted;
        for (const auto& id : some)
          wanted.add(id.value);
        return end_of(run({{&what, {wanted.take()}}}), [&](const auto& results) {
          const query_result& texts = results.front();
          for (std::size_t row = 0; row < texts.rows(); ++row)
            read_texts(texts, row, 1, *to.at({texts.template get<core::uuid>(row, 0)}));
        });
      },
      [&](const auto& id, const auto& why) { to.at(id)->unreadable = why.text(); }};
  return read_apart(ids, rows);
}

} // namespace

core::outcome<item_history> postgres_store::load_lineage(core::unit_id unit, core::unit_id after,
                                                         std::uint32_t limit) {
  const auto answer = run(calls_for_item(unit, after, limit, units_of_item, judgments_of_item));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return read_item(answer->results);
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto places =
      ask(calls_for_item(unit, after, limit, unit_places_of_item, judgment_places_of_item));
  if (!places)
    return places.error();
  auto item = read_item(*places);
  if (!item)
    return item;
  const runner reader = [this](const std::vector<call>& calls) { return run(calls); };
  if (auto failed = add_texts(units_in(*item), unit_texts, reader))
    return *failed;
  if (auto failed = add_texts(judgments_in(*item, false), judgment_texts, reader))
    return *failed;
  if (auto failed = add_texts(judgments_in(*item, true), surplus_texts, reader))
    return *failed;
  return item;
}

} // namespace holdfast::persistence
