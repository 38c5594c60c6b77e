#include "persistence/postgres_taken_ids.hpp"

namespace holdfast::persistence {

namespace {

enum class kind_of_id : std::int16_t {
  workflow = 1,
  assignment = 2,
  judgment = 3,
  surplus = 4,
  task = 5,
  repair = 6,
};

// From the ids to the tables, row by row: see the remark on `LATERAL` in postgres_batch.cpp.
constexpr statement find_taken_ids{"find_taken_ids", R"sql(
  SELECT 1::smallint, t.id FROM unnest($1::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.workflows f WHERE f.workflow_id = t.id LIMIT 1) w
  UNION ALL
  SELECT 2::smallint, t.id FROM unnest($2::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.active_leases f WHERE f.assignment_id = t.id LIMIT 1) l
  UNION ALL
  SELECT 2::smallint, t.id FROM unnest($2::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.ended_leases f WHERE f.assignment_id = t.id LIMIT 1) l
  UNION ALL
  SELECT 2::smallint, t.id FROM unnest($2::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.judgments f WHERE f.assignment_id = t.id LIMIT 1) l
  UNION ALL
  SELECT 3::smallint, t.id FROM unnest($3::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.judgments f WHERE f.judgment_id = t.id LIMIT 1) j
  UNION ALL
  SELECT 4::smallint, t.id FROM unnest($4::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.surplus_judgments f
                        WHERE f.judgment_id = t.id LIMIT 1) j
  UNION ALL
  SELECT 5::smallint, t.id FROM unnest($5::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.tasks f WHERE f.task_id = t.id LIMIT 1) k
  UNION ALL
  SELECT 5::smallint, t.id FROM unnest($5::uuid[]) AS t(id)
   CROSS JOIN LATERAL (SELECT FROM holdfast.finished_tasks f WHERE f.task_id = t.id LIMIT 1) k
  UNION ALL
  SELECT 6::smallint, t.id FROM unnest($6::uuid[], $7::uuid[]) AS t(id, step_id)
   CROSS JOIN LATERAL (SELECT f.step_id FROM holdfast.repairs f
                        WHERE f.repair_id = t.id LIMIT 1) r
   WHERE r.step_id <> t.step_id)sql"};

template <class Ids>
std::string as_array(const Ids& ids) {
  wire::array_of<core::uuid> array;
  for (const auto& id : ids)
    array.add(id.value);
  return array.take();
}

} // namespace

// A key that is there already; or a statement of the batch that has found the id elsewhere, and has
// divided by zero.
bool may_be_taken(const query_failure& failure) {
  return failure.sqlstate == "23505" || failure.sqlstate == "22012";
}

call find_taken_call(const chosen_ids& ids) {
  wire::array_of<core::uuid> repairs;
  wire::array_of<core::uuid> steps;
  for (const auto& [repair, step] : ids.repairs) {
    repairs.add(repair.value);
    steps.add(step.value);
  }
  return {&find_taken_ids,
          {as_array(ids.workflows), as_array(ids.assignments), as_array(ids.judgments),
           as_array(ids.surplus), as_array(ids.tasks), repairs.take(), steps.take()}};
}

ids_in_use taken_of(const query_result& answer) {
  ids_in_use used;
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    const auto id = answer.get<core::uuid>(row, 1);
    switch (static_cast<kind_of_id>(answer.get<std::int16_t>(row, 0))) {
    case kind_of_id::workflow:
      used.workflows.insert(core::workflow_id{id});
      break;
    case kind_of_id::assignment:
      used.assignments.insert(core::assignment_id{id});
      break;
    case kind_of_id::judgment:
      used.judgments.insert(core::judgment_id{id});
      break;
    case kind_of_id::surplus:
      used.surplus.insert(core::judgment_id{id});
      break;
    case kind_of_id::task:
      used.tasks.insert(core::task_id{id});
      break;
    case kind_of_id::repair:
      used.repairs.insert(core::repair_id{id});
      break;
    }
  }
  return used;
}

} // namespace holdfast::persistence
