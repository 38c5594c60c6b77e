#include "app/gateway_port.hpp"

#include <caf/io/middleman.hpp>

#include <chrono>
#include <thread>
#include <utility>

namespace holdfast::app {

namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

/// CAF closes a listening socket on another thread, a moment after it says so.
constexpr auto close_patience = 2s;
constexpr auto close_pause = 5ms;

} // namespace

gateway_port::gateway_port(caf::actor_system& system, std::string address, std::uint16_t port)
    : system_(system), address_(std::move(address)), port_(port) {}

core::outcome<bool> gateway_port::publish(const msg::member_gateway_actor& gateway) {
  const bool had_the_port = open();
  close();
  const auto until = steady_clock::now() + close_patience;
  while (true) {
    // With SO_REUSEADDR, for the connections of an earlier life that still time out.
    const auto bound = system_.middleman().publish(gateway, port_, address_.c_str(), true);
    if (bound) {
      published_ = gateway;
      port_ = *bound;
      return true;
    }
    if (!had_the_port || steady_clock::now() > until)
      return core::failure{core::errc::already_exists, "cannot publish at " + address_ + ':'
                                                           + std::to_string(port_) + ": "
                                                           + system_.render(bound.error())};
    std::this_thread::sleep_for(close_pause);
  }
}

void gateway_port::close() {
  if (!published_)
    return;
  system_.middleman().unpublish(published_, port_);
  published_ = nullptr;
}

} // namespace holdfast::app
