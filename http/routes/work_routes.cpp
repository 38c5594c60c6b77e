#include "http/composed/waiting_requests.hpp"
#include "http/route_table.hpp"
#include "http/serve_operation.hpp"
#include "http/shapes/correction_shapes.hpp"
#include "http/shapes/removal_shapes.hpp"
#include "http/shapes/work_shapes.hpp"
#include "http/shapes/workflow_shapes.hpp"

namespace holdfast::http {

void add_work_routes(route_table& table) {
  add_composed<assignment_wanted>(table);
  add_operations_about<topic::work, topic::contributors>(table);
}

} // namespace holdfast::http
