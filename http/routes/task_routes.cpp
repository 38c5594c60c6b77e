#include "http/composed/task_requests.hpp"
#include "http/composed/waiting_requests.hpp"
#include "http/route_table.hpp"
#include "http/serve_operation.hpp"
#include "http/shapes/queue_action_shapes.hpp"
#include "http/shapes/task_shapes.hpp"

namespace holdfast::http {

void add_task_routes(route_table& table) {
  // --- producers ---
  add_composed<make_tasks>(table);
  add_composed<task_wanted>(table);
  // --- workers ---
  add_composed<claim_tasks>(table);
  add_composed<report_tasks>(table);
  add_composed<complete_task>(table);
  add_composed<fail_task>(table);
  add_composed<release_task>(table);
  add_composed<extend_task>(table);
  add_composed<save_task>(table);
  // --- one task, from outside ---
  add_composed<explain_task>(table);
  add_composed<eject_task>(table);
  add_composed<cancel_task>(table);
  add_composed<pause_task>(table);
  add_composed<resume_task>(table);
  add_composed<retry_task>(table);
  // --- queues ---
  add_composed<get_queue>(table);
  add_composed<pause_queue>(table);
  add_composed<resume_queue>(table);
  // The rest behind them: the reference lists the routes in this order.
  add_operations_about<topic::tasks, topic::queues>(table);
}

} // namespace holdfast::http
