// The part of `postgres_store` that is about what became of an item.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <map>
#include <unordered_map>

namespace holdfast::persistence {

namespace {

// All statements read the same page: the first unit of an item is its own root, and the index
// `units_by_root` has the others.
#define PAGE_OF_ITEM                                                                               \
  "WITH item AS MATERIALIZED (SELECT root_id FROM holdfast.units WHERE unit_id = $1::uuid),\n"     \
  "     page AS MATERIALIZED (\n"                                                                  \
  "       SELECT u.*\n"                                                                            \
  "         FROM (SELECT f.* FROM holdfast.units f\n"                                              \
  "                WHERE f.unit_id = (SELECT root_id FROM item)\n"                                 \
  "               UNION ALL\n"                                                                     \
  "               SELECT f.* FROM holdfast.units f\n"                                              \
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

constexpr statement units_of_item{"units_of_item", PAGE_OF_ITEM R"sql(
  SELECT u.unit_id, u.parent_id, u.step_id, u.source_key, u.input, u.state, u.slots, u.loops,
         u.part, u.reopened, u.truth IS NOT NULL, u.created_at, u.changed_at, u.result,
         u.confidence, u.route, u.route_reason, u.version, u.batch_id
    FROM page u ORDER BY u.created_at, u.unit_id)sql"};

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

// Of an item with judgments that cannot be read, and then those that can.

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
#undef PAGE_OF_ITEM

template <class T>
std::optional<T> optional_of(const query_result& r, std::size_t row, int column) {
  return r.is_null(row, column) ? std::nullopt : std::optional{r.get<T>(row, column)};
}

unit_history read_unit(const query_result& r, std::size_t row) {
  unit_history unit;
  unit.id = {r.get<core::uuid>(row, 0)};
  unit.parent = {optional_of<core::uuid>(r, row, 1).value_or(core::uuid{})};
  unit.step = {r.get<core::uuid>(row, 2)};
  unit.source_key = r.get<std::string>(row, 3);
  unit.input = r.get<std::string>(row, 4);
  unit.state = static_cast<core::unit_state>(r.get<reads::int2>(row, 5));
  unit.slots = reads::u32(r, row, 6);
  unit.loops = reads::u32(r, row, 7);
  unit.part = reads::u32(r, row, 8);
  unit.reopened = reads::u32(r, row, 9);
  unit.test_question = r.get<bool>(row, 10);
  unit.created_at = r.get<core::instant>(row, 11);
  unit.changed_at = optional_of<core::instant>(r, row, 12);
  unit.result = optional_of<std::string>(r, row, 13).value_or(std::string{});
  unit.confidence = optional_of<double>(r, row, 14).value_or(0);
  unit.route = optional_of<reads::int2>(r, row, 15).value_or(core::no_route);
  unit.route_reason = optional_of<std::string>(r, row, 16).value_or(std::string{});
  unit.version = static_cast<std::uint32_t>(r.get<reads::int2>(row, 17));
  unit.batch = {optional_of<core::uuid>(r, row, 18).value_or(core::uuid{})};
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

/// `judgments`: the statement that reads them.
std::vector<call> calls_for_item(core::unit_id unit, core::unit_id after, std::uint32_t limit,
                                 const statement& judgments) {
  const std::vector<std::string> position{wire::scalar(unit.value), wire::scalar(after.value)};
  auto page = position;
  page.push_back(reads::limit_parameter(limit));
  return reads::short_read({{&place_in_item, position},
                            {&units_of_item, page},
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

using judgments_by_id = std::map<core::judgment_id, judgment_history*>;

/// Those that are in the one table, or in the other.
judgments_by_id judgments_in(item_history& item, bool surplus) {
  judgments_by_id found;
  for (auto& unit : item.units)
    for (auto& judgment : unit.judgments)
      if (judgment.surplus == surplus)
        found.emplace(judgment.id, &judgment);
  return found;
}

void add_texts(const query_result& rows, const judgments_by_id& to) {
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    auto& judgment = *to.at({rows.get<core::uuid>(row, 0)});
    judgment.payload = rows.get<std::string>(row, 1);
    judgment.answer = rows.get<std::string>(row, 2);
  }
}

} // namespace

core::outcome<item_history> postgres_store::load_lineage(core::unit_id unit, core::unit_id after,
                                                         std::uint32_t limit) {
  const auto answer = run(calls_for_item(unit, after, limit, judgments_of_item));
  if (!answer)
    return answer.error();
  if (!answer->failed)
    return read_item(answer->results);
  if (!may_be_of_a_row(answer->failure))
    return error_of(answer->failure);
  const auto places = ask(calls_for_item(unit, after, limit, judgment_places_of_item));
  if (!places)
    return places.error();
  auto item = read_item(*places);
  if (!item)
    return item;
  for (const bool surplus : {false, true}) {
    const auto judgments = judgments_in(*item, surplus);
    std::vector<core::judgment_id> ids;
    for (const auto& [id, judgment] : judgments)
      ids.push_back(id);
    const apart_reader<core::judgment_id> rows{
        [&](const auto& some) {
          wire::array_of<core::uuid> wanted;
          for (const auto& id : some)
            wanted.add(id.value);
          return end_of(run({{surplus ? &surplus_texts : &judgment_texts, {wanted.take()}}}),
                        [&](const auto& results) { add_texts(results.front(), judgments); });
        },
        [&](const auto& id, const auto& why) { judgments.at(id)->unreadable = why.text(); }};
    if (auto failed = read_apart(ids, rows))
      return *failed;
  }
  return item;
}

} // namespace holdfast::persistence
