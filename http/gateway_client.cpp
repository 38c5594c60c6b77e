#include "http/gateway_client.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <mutex>

namespace holdfast::http {

struct gateway_client::reached {
  std::mutex mutex;
  caf::actor gateway;
};

namespace {

caf::behavior asking(caf::event_based_actor* self) {
  return {[self](errand& what) { what.run(self); }};
}

} // namespace

gateway_client::gateway_client(caf::actor_system& system)
    : asker_(system.spawn(asking)), reached_(std::make_shared<reached>()) {}

void gateway_client::reach(const msg::gateway_actor& gateway) {
  const std::lock_guard lock{reached_->mutex};
  reached_->gateway = caf::actor_cast<caf::actor>(gateway);
}

void gateway_client::stop() {
  {
    const std::lock_guard lock{reached_->mutex};
    reached_->gateway = nullptr;
  }
  if (!asker_)
    return;
  caf::anon_send_exit(asker_, caf::exit_reason::user_shutdown);
  caf::scoped_actor self{asker_->home_system()};
  self->wait_for(asker_);
  asker_ = nullptr;
}

caf::actor gateway_client::gateway_of() const {
  const std::lock_guard lock{reached_->mutex};
  return reached_->gateway;
}

void gateway_client::run(std::function<void()> what, core::duration pause) const {
  if (pause <= core::duration::zero())
    return send({[what = std::move(what)](caf::event_based_actor*) { what(); }});
  send({[what = std::move(what), pause](caf::event_based_actor* self) {
    self->delayed_send(self, pause, errand{[what](caf::event_based_actor*) { what(); }});
  }});
}

void gateway_client::send(errand what) const { caf::anon_send(asker_, std::move(what)); }

} // namespace holdfast::http
