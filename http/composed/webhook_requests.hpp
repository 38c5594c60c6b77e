#pragma once

#include "http/door.hpp"
#include "http/routes.hpp"
#include "http/shapes/event_shapes.hpp"

#include <string_view>

/// Changes of webhooks: one operation whose verb is in the path here.
namespace holdfast::http {

/// The parts that the changes have in common.
struct webhook_change {
  using answer = msg::webhook_saved;
  msg::change_webhook change;
};

template <class Fields>
void describe(Fields& f, webhook_change& x) {
  describe(f, x.change);
}

struct pause_webhook : webhook_change {
  static constexpr route_row row{topic::events, verb::post, "/v1/webhooks/{name}/pause", 200,
                                 "Pause a webhook"};
  static constexpr std::string_view name = "pause_webhook";
  static void run(const door& through, const visit& from, pause_webhook asked);
};

struct resume_webhook : webhook_change {
  static constexpr route_row row{topic::events, verb::post, "/v1/webhooks/{name}/resume", 200,
                                 "Resume a webhook, also where delivery has stopped"};
  static constexpr std::string_view name = "resume_webhook";
  static void run(const door& through, const visit& from, resume_webhook asked);
};

struct remove_webhook : webhook_change {
  static constexpr route_row row{topic::events, verb::remove, "/v1/webhooks/{name}", 200,
                                 "Remove a webhook with its dead letters"};
  static constexpr std::string_view name = "remove_webhook";
  static void run(const door& through, const visit& from, remove_webhook asked);
};

struct replay_webhook {
  static constexpr route_row row{topic::events, verb::post, "/v1/webhooks/{name}/replay", 200,
                                 "Deliver events once more, or forget dead letters"};
  static constexpr std::string_view name = "replay_webhook";
  using answer = msg::webhook_replayed;
  msg::replay_webhook replay;
  static void run(const door& through, const visit& from, replay_webhook asked);
};

template <class Fields>
void describe(Fields& f, replay_webhook& x) {
  describe(f, x.replay);
}

} // namespace holdfast::http
