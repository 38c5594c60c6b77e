#include "link/inlet.hpp"

#include "link/inlet_state.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <optional>
#include <utility>

namespace holdfast::link {

namespace asio = boost::asio;

bool is_loopback(const std::string& address) {
  boost::system::error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  return !error && parsed.is_loopback();
}

core::outcome<std::unique_ptr<inlet>> inlet::open(io_thread& thread, inlet_options options) {
  if (!options.tls && !is_loopback(options.address))
    return core::failure{core::errc::invalid_argument,
                         "without TLS only loopback addresses are listened on, not "
                             + options.address};
  std::optional<live_credentials> live;
  if (options.tls) {
    auto read = live_credentials::read(*options.tls, tls_role::accepts);
    if (!read)
      return read.error();
    live.emplace(std::move(*read));
  }
  auto made =
      std::make_shared<inlet_state>(thread.inside().io, std::move(options), std::move(live));
  core::failure failed;
  thread.call([&] { failed = made->listen(); });
  if (failed.code != core::errc::none)
    return failed;
  return std::unique_ptr<inlet>{new inlet{thread, std::move(made)}};
}

inlet::~inlet() {
  thread_.call([this] { state_->close(); });
}

std::uint16_t inlet::port() const { return state_->port(); }

const link_counters& inlet::counters() const { return state_->counters(); }

void inlet::reload() {
  thread_.call([this] { state_->reload(); });
}

void inlet::end_unread(std::uint16_t inner_port) {
  asio::post(thread_.inside().io, [state = state_, inner_port] { state->end_unread(inner_port); });
}

void inlet::stop_accepting() {
  thread_.call([this] { state_->stop_accepting(); });
}

} // namespace holdfast::link
