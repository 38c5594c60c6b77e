#include "http/composed/webhook_requests.hpp"
#include "http/route_table.hpp"
#include "http/serve_operation.hpp"
#include "http/shapes/audit_shapes.hpp"
#include "http/shapes/cluster_shapes.hpp"
#include "http/shapes/event_shapes.hpp"

namespace holdfast::http {

void add_cluster_routes(route_table& table) {
  add_operations_about<topic::events, topic::cluster>(table);
  add_composed<pause_webhook>(table);
  add_composed<resume_webhook>(table);
  add_composed<remove_webhook>(table);
  add_composed<replay_webhook>(table);
}

} // namespace holdfast::http
