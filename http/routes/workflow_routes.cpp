
#include "http/composed/data_requests.hpp"
#include "http/composed/result_requests.hpp"

#include "http/composed/step_requests.hpp"
#include "http/route_table.hpp"
#include "http/serve_operation.hpp"
#include "http/shapes/correction_shapes.hpp"
#include "http/shapes/lineage_shapes.hpp"
#include "http/shapes/workflow_shapes.hpp"

namespace holdfast::http {

void add_workflow_routes(route_table& table) {
  add_operations_about<topic::workflows, topic::steps, topic::units>(table);
  add_composed<workflow_update>(table);
  add_composed<workflow_validation>(table);
  add_composed<data_load>(table);
  add_composed<workflow_results_wanted>(table);
  add_composed<steps_wanted>(table);
  add_composed<step_change>(table);
  add_composed<unit_wanted>(table);
  add_composed<unit_result_wanted>(table);
  add_composed<unit_change>(table);
  add_composed<unit_explanation_wanted>(table);
}

} // namespace holdfast::http
