#include "client/way_to_node.hpp"

#include "link/io_thread.hpp"
#include "link/outlet.hpp"
#include "messages/errors.hpp"
#include "messages/protocol.hpp"

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <utility>

namespace holdfast::client {

namespace {

/// For the first answer of a gateway. It has nothing to look up for it.
constexpr std::chrono::seconds greeting_timeout{4};

} // namespace

way_to_node::way_to_node(endpoint where) : where_(std::move(where)) {}
way_to_node::~way_to_node() = default;

std::string way_to_node::address() const { return where_.host + ':' + std::to_string(where_.port); }

core::outcome<way_to_node::near_end> way_to_node::prepare() {
  if (!where_.tls)
    return near_end{where_.host, where_.port};
  if (!outlet_) {
    if (!thread_)
      thread_ = std::make_unique<link::io_thread>();
    link::outlet_options options;
    options.host = where_.host;
    options.port = where_.port;
    options.expected_name = where_.expected_name;
    options.tls = *where_.tls;
    options.dial_deadline = where_.dial_deadline;
    options.stall_deadline = where_.stall_deadline;
    auto opened = link::outlet::open(*thread_, std::move(options));
    if (!opened)
      return opened.error();
    outlet_ = std::move(*opened);
  }
  if (const auto ready = outlet_->prepare(); !ready)
    return ready.error();
  return near_end{"127.0.0.1", outlet_->port()};
}

core::outcome<bool> way_to_node::compare_protocols(caf::actor_system& system,
                                                   const caf::actor& gateway) {
  core::outcome<bool> result = true;
  const auto judge = [&](const msg::protocol_range& other, const std::string& version) {
    newest_protocol_ = other.newest;
    if (auto why = msg::why_not_understood(msg::own_protocols, other, version); !why.empty())
      result = core::failure{core::errc::wrong_state, std::move(why)};
  };
  const caf::scoped_actor self{system};
  self->request(gateway, greeting_timeout,
                msg::get_protocols{msg::own_protocols.oldest, msg::own_protocols.newest})
      .receive(
          [&](const msg::protocols& its) {
            judge({its.oldest, its.newest}, its.version);
          },
          [&](const caf::error& error) {
            auto why = msg::failure_of(error);
            if (why.code == core::errc::invalid_argument)
              judge(msg::protocols_before_they_were_told, "unknown");
            else
              result = core::failure{core::errc::unavailable,
                                     "it does not say what it speaks: " + why.detail};
          });
  return result;
}

void way_to_node::reload() {
  if (outlet_)
    outlet_->reload();
}

core::failure way_to_node::failed(const std::string& by_caf) const {
  const auto why = outlet_ ? outlet_->last_failure() : std::string{};
  return {core::errc::unavailable, why.empty() ? by_caf : why};
}

} // namespace holdfast::client
