// The part of `postgres_store` that reads the trees of units of many items at once.

#include "persistence/postgres_reads.hpp"
#include "persistence/postgres_store.hpp"
#include "persistence/read_apart.hpp"
#include "persistence/read_parts.hpp"

#include <algorithm>

namespace holdfast::persistence {

namespace {

// Nothing of a text but its length, which the server knows without reading it: a unit that is
// damaged or large costs the page nothing. The item of a batch is looked up for gathered units
// alone.
#define CHAIN_UNIT(of)                                                                             \
  of ".unit_id, " of ".parent_id, " of ".root_id, " of ".step_id, " of ".state, " of               \
     ".version,\n" of ".loops, " of ".part, " of ".reopened, " of ".ungathered, " of               \
     ".parent_reopened,\n" of ".slots, " of ".route, " of ".batch_id,\n"                           \
     "CASE WHEN " of ".batch_id IS NOT NULL THEN\n"                                                \
     "  (SELECT b.root_id FROM holdfast.units b WHERE b.unit_id = " of                             \
     ".batch_id) END AS batch_root,\n" of ".confidence, " of ".created_at, " of ".changed_at,\n"   \
     "octet_length(" of ".input) AS input_bytes,\n"                                                \
     "coalesce(octet_length(" of ".result), 0) AS result_bytes\n"

// The index `units_by_ordinal` has the items of the page in their order, `units_by_root` the other
// units of each. How many ordinals are looked at is a bound of the work as well: a child that came
// back to the first step, or a test question, is passed over there.
constexpr statement chains_after{
    "chains_after",
    "SELECT r.ordinal, u.*\n"
    "  FROM holdfast.units r\n"
    " CROSS JOIN LATERAL (\n"
    "       SELECT " CHAIN_UNIT(
        "r") "       UNION ALL\n"
             "       SELECT " CHAIN_UNIT(
                 "f") "         FROM holdfast.units f\n"
                      "        WHERE f.root_id = r.unit_id AND f.parent_id IS NOT NULL\n"
                      "       OFFSET 0) u\n"
                      " WHERE r.step_id = $1::uuid AND r.ordinal >= $2::bigint\n"
                      "   AND r.ordinal <= $4::bigint\n"
                      "   AND r.parent_id IS NULL AND r.truth IS NULL\n"
                      "   AND (r.ordinal > $2::bigint OR u.unit_id > $3::uuid)\n"
                      " ORDER BY r.ordinal, u.unit_id LIMIT $5::integer"};

// The end of the index.
constexpr statement last_ordinal_of_step{"last_ordinal_of_step", R"sql(
  SELECT coalesce(max(u.ordinal), 0) FROM holdfast.units u WHERE u.step_id = $1::uuid)sql"};

constexpr statement chain_units_by_id{
    "chain_units_by_id",
    "SELECT 0::bigint, u.*\n"
    "  FROM unnest($1::uuid[]) AS t(unit_id)\n"
    " CROSS JOIN LATERAL (\n"
    "       SELECT " CHAIN_UNIT("f") "         FROM holdfast.units f\n"
                                     "        WHERE f.unit_id = t.unit_id OFFSET 0) u"};

#undef CHAIN_UNIT

constexpr statement parents_among{"parents_among", R"sql(
  SELECT p.unit_id
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (SELECT f.unit_id, f.reopened FROM holdfast.units f
                        WHERE f.unit_id = t.unit_id OFFSET 0) p
   WHERE EXISTS (SELECT FROM holdfast.units c
                  WHERE c.parent_id = p.unit_id AND c.parent_reopened = p.reopened))sql"};

constexpr statement texts_in_chains{"texts_in_chains", R"sql(
  SELECT u.*
    FROM unnest($1::uuid[], $2::boolean[]) AS t(unit_id, with_input)
   CROSS JOIN LATERAL (
         SELECT f.unit_id, f.source_key, f.result, CASE WHEN t.with_input THEN f.input END
           FROM holdfast.units f WHERE f.unit_id = t.unit_id
         OFFSET 0) u)sql"};

constexpr statement judges_in_chains{"judges_in_chains", R"sql(
  SELECT j.unit_id, j.contributor_id
    FROM unnest($1::uuid[]) AS t(unit_id)
   CROSS JOIN LATERAL (
         SELECT f.unit_id, f.contributor_id FROM holdfast.judgments f
          WHERE f.unit_id = t.unit_id AND NOT f.is_tainted
         OFFSET 0) j
   ORDER BY j.unit_id, j.contributor_id)sql"};

core::unit_id unit_or_nil(const query_result& r, std::size_t row, int column) {
  return {r.is_null(row, column) ? core::uuid{} : r.get<core::uuid>(row, column)};
}

core::chain_unit read_chain_unit(const query_result& r, std::size_t row) {
  core::chain_unit unit;
  unit.ordinal = reads::u64(r, row, 0);
  unit.id = {r.get<core::uuid>(row, 1)};
  unit.parent = unit_or_nil(r, row, 2);
  unit.root = {r.get<core::uuid>(row, 3)};
  unit.step = {r.get<core::uuid>(row, 4)};
  unit.state = static_cast<core::unit_state>(r.get<reads::int2>(row, 5));
  unit.version = static_cast<std::uint32_t>(r.get<reads::int2>(row, 6));
  unit.loops = reads::u32(r, row, 7);
  unit.part = reads::u32(r, row, 8);
  unit.reopened = reads::u32(r, row, 9);
  unit.ungathered = reads::u32(r, row, 10);
  unit.parent_reopened = reads::u32(r, row, 11);
  unit.slots = reads::u32(r, row, 12);
  unit.route = r.is_null(row, 13) ? core::no_route : r.get<reads::int2>(row, 13);
  unit.batch = unit_or_nil(r, row, 14);
  unit.batch_root = unit_or_nil(r, row, 15);
  unit.confidence = r.is_null(row, 16) ? 0 : r.get<double>(row, 16);
  unit.created_at = r.get<core::instant>(row, 17);
  if (!r.is_null(row, 18))
    unit.changed_at = r.get<core::instant>(row, 18);
  unit.input_bytes = reads::u32(r, row, 19);
  unit.result_bytes = reads::u32(r, row, 20);
  return unit;
}

std::string ids_parameter(const std::vector<core::unit_id>& units) {
  wire::array_of<core::uuid> ids;
  for (const auto& unit : units)
    ids.add(unit.value);
  return ids.take();
}

} // namespace

core::outcome<chain_page> postgres_store::list_chains(core::step_id first,
                                                      const core::result_place& after,
                                                      std::uint32_t ordinals, std::uint32_t units) {
  // A place within an item goes on in it, one behind an item with the next.
  const auto from = after.unit ? after.ordinal : after.ordinal + 1;
  const auto through = std::min<std::uint64_t>(from - 1 + ordinals, INT64_MAX);
  const auto answer = ask(reads::short_read(
      {{&last_ordinal_of_step, {wire::scalar(first.value)}},
       {&chains_after,
        {wire::scalar(first.value), wire::scalar(static_cast<reads::int8>(from)),
         wire::scalar(after.unit.value), wire::scalar(static_cast<reads::int8>(through)),
         reads::limit_parameter(units)}}}));
  if (!answer)
    return answer.error();
  const auto ends_with = reads::u64((*answer)[reads::preamble_short], 0, 0);
  const auto& rows = (*answer)[reads::preamble_short + 1];
  chain_page page;
  page.units.reserve(rows.rows());
  for (std::size_t row = 0; row < rows.rows(); ++row)
    page.units.push_back(read_chain_unit(rows, row));
  const bool is_cut = page.units.size() == units;
  if (is_cut)
    page.last = {page.units.back().ordinal, page.units.back().id};
  else
    page.last = {std::max(after.ordinal, std::min(through, ends_with)), {}};
  page.more = is_cut || page.last.ordinal < ends_with;
  return page;
}

core::outcome<std::vector<core::chain_unit>>
postgres_store::load_chain_units(const std::vector<core::unit_id>& units) {
  const auto answer = ask({{&chain_units_by_id, {ids_parameter(units)}}});
  if (!answer)
    return answer.error();
  std::vector<core::chain_unit> found;
  for (std::size_t row = 0; row < answer->front().rows(); ++row)
    found.push_back(read_chain_unit(answer->front(), row));
  return found;
}

core::outcome<std::set<core::unit_id>>
postgres_store::find_parents_in(const std::vector<core::unit_id>& units) {
  const auto answer = ask({{&parents_among, {ids_parameter(units)}}});
  if (!answer)
    return answer.error();
  std::set<core::unit_id> found;
  for (std::size_t row = 0; row < answer->front().rows(); ++row)
    found.insert({answer->front().get<core::uuid>(row, 0)});
  return found;
}

core::outcome<std::map<core::unit_id, chain_texts>>
postgres_store::load_chain_texts(const std::vector<core::unit_id>& units,
                                 const std::set<core::unit_id>& inputs) {
  std::map<core::unit_id, chain_texts> found;
  const apart_reader<core::unit_id> rows{
      [&](const auto& some) {
        wire::array_of<bool> with_input;
        for (const auto& unit : some)
          with_input.add(inputs.count(unit) > 0);
        return end_of(run({{&texts_in_chains, {ids_parameter(some), with_input.take()}}}),
                      [&](const auto& results) {
                        const query_result& r = results.front();
                        for (std::size_t row = 0; row < r.rows(); ++row) {
                          auto& texts = found[{r.template get<core::uuid>(row, 0)}];
                          texts.source_key = r.template get<std::string>(row, 1);
                          if (!r.is_null(row, 2))
                            texts.result = r.template get<std::string>(row, 2);
                          if (!r.is_null(row, 3))
                            texts.input = r.template get<std::string>(row, 3);
                        }
                      });
      },
      [&](const auto& unit, const auto& why) {
        found[unit] = {{}, {}, {}, why.text()};
      }};
  if (const auto failed = read_apart(units, rows))
    return *failed;
  return found;
}

core::outcome<std::map<core::unit_id, chain_judges>>
postgres_store::load_chain_judges(const std::vector<core::unit_id>& units) {
  std::map<core::unit_id, chain_judges> found;
  const apart_reader<core::unit_id> rows{
      [&](const auto& some) {
        return end_of(run({{&judges_in_chains, {ids_parameter(some)}}}), [&](const auto& results) {
          const query_result& r = results.front();
          for (std::size_t row = 0; row < r.rows(); ++row)
            found[{r.template get<core::uuid>(row, 0)}].contributors.push_back(
                r.template get<std::string>(row, 1));
        });
      },
      [&](const auto& unit, const auto& why) {
        found[unit] = {{}, why.text()};
      }};
  if (const auto failed = read_apart(units, rows))
    return *failed;
  return found;
}

} // namespace holdfast::persistence
