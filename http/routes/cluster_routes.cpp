#include "http/composed/event_requests.hpp"
#include "http/composed/token_requests.hpp"
#include "http/composed/webhook_requests.hpp"
#include "http/route_table.hpp"
#include "http/serve_operation.hpp"
#include "http/shapes/audit_shapes.hpp"
#include "http/shapes/cluster_shapes.hpp"
#include "http/shapes/event_shapes.hpp"
#include "http/shapes/token_shapes.hpp"

namespace holdfast::http {

void add_cluster_routes(route_table& table) {
  add_composed<events_wanted>(table);
  add_operations_about<topic::events, topic::cluster>(table);
  add_composed<pause_webhook>(table);
  add_composed<resume_webhook>(table);
  add_composed<remove_webhook>(table);
  add_composed<replay_webhook>(table);
  add_composed<create_token>(table);
  add_composed<create_sign_in_link>(table);
}

} // namespace holdfast::http
