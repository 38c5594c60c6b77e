#include "persistence/postgres_reads.hpp"
#include "persistence/read_parts.hpp"

#include <utility>

namespace holdfast::persistence::reads {

namespace {

#define PLACE_OF_RESULT                                                                            \
  "SELECT u.unit_id, u.state, u.ordinal,\n"                                                        \
  "       (SELECT count(*) FROM holdfast.judgments j WHERE j.unit_id = u.unit_id)"
#define RESULT                                                                                     \
  PLACE_OF_RESULT ",\n"                                                                            \
                  "       u.source_key, CASE WHEN u.state = 3 THEN u.result END, u.confidence"
#define RESULTS_AFTER                                                                              \
  "\n  FROM holdfast.units u\n"                                                                    \
  " WHERE u.step_id = $1::uuid AND u.truth IS NULL AND u.ordinal > $2::bigint\n"                   \
  " ORDER BY u.ordinal LIMIT $3::integer"

constexpr statement results_after{"results_after", RESULT RESULTS_AFTER};

constexpr statement places_of_results_after{"result_places_after", PLACE_OF_RESULT RESULTS_AFTER};

constexpr statement results_of{"results_of",
                               RESULT "\n  FROM holdfast.units u\n"
                                      " WHERE u.unit_id = ANY ($1::uuid[]) ORDER BY u.ordinal"};

#undef PLACE_OF_RESULT
#undef RESULT
#undef RESULTS_AFTER

std::vector<std::string> results_behind(core::step_id step, std::uint64_t after,
                                        std::uint32_t limit) {
  return {wire::scalar(step.value), wire::scalar(static_cast<int8>(after)), limit_parameter(limit)};
}

result_place place_of(const query_result& rows, std::size_t row) {
  result_place place;
  place.unit = {rows.get<core::uuid>(row, 0)};
  place.state = static_cast<core::unit_state>(rows.get<int2>(row, 1));
  place.ordinal = u64(rows, row, 2);
  place.judgments = static_cast<std::uint32_t>(u64(rows, row, 3));
  return place;
}

} // namespace

std::vector<call> list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) {
  return {{&results_after, results_behind(step, after, limit)}};
}

void add_results(const results& r, std::pair<std::vector<unit_result>, std::uint64_t>& to) {
  for (std::size_t row = 0; row < r[0].rows(); ++row) {
    const auto place = place_of(r[0], row);
    add_unreadable_result(place, to);
    auto& result = to.first.back();
    result.source_key = r[0].get<std::string>(row, 4);
    if (!r[0].is_null(row, 5)) {
      result.result = r[0].get<std::string>(row, 5);
      result.confidence = r[0].get<double>(row, 6);
    }
  }
}

void add_unreadable_result(const result_place& place,
                           std::pair<std::vector<unit_result>, std::uint64_t>& to) {
  unit_result result;
  result.unit = place.unit;
  result.state = place.state;
  result.judgments = place.judgments;
  to.first.push_back(std::move(result));
  to.second = place.ordinal;
}

std::vector<call> result_places_after(core::step_id step, std::uint64_t after,
                                      std::uint32_t limit) {
  return {{&places_of_results_after, results_behind(step, after, limit)}};
}

std::vector<result_place> result_places(const results& r) {
  std::vector<result_place> places;
  for (std::size_t row = 0; row < r[0].rows(); ++row)
    places.push_back(place_of(r[0], row));
  return places;
}

std::vector<call> results_of_units(const std::vector<result_place>& places) {
  wire::array_of<core::uuid> units;
  for (const auto& place : places)
    units.add(place.unit.value);
  return {{&results_of, {units.take()}}};
}

} // namespace holdfast::persistence::reads
