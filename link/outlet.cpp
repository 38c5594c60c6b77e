#include "link/outlet.hpp"

#include "link/outlet_state.hpp"

#include <future>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::link {

core::outcome<std::unique_ptr<outlet>> outlet::open(io_thread& thread, outlet_options options) {
  auto live = live_credentials::read(options.tls, tls_role::dials);
  if (!live)
    return live.error();
  auto made =
      std::make_shared<outlet_state>(thread.inside().io, std::move(options), std::move(*live));
  core::failure failed;
  thread.call([&] { failed = made->listen(); });
  if (failed.code != core::errc::none)
    return failed;
  return std::unique_ptr<outlet>{new outlet{thread, std::move(made)}};
}

outlet::~outlet() {
  thread_.call([this] { state_->close(); });
}

core::outcome<bool> outlet::prepare() {
  // Shared: the answer may come from a handler that outlives the wait.
  const auto done = std::make_shared<std::promise<std::string>>();
  thread_.call(
      [&] { state_->prepare([done](const std::string& failure) { done->set_value(failure); }); });
  auto failure = done->get_future().get();
  if (failure.empty())
    return true;
  return core::failure{core::errc::unavailable, std::move(failure)};
}

void outlet::reload() {
  thread_.call([this] { state_->reload(); });
}

std::uint16_t outlet::port() const { return state_->port(); }

const link_counters& outlet::counters() const { return state_->counters(); }

std::string outlet::last_failure() const { return state_->last_failure(); }

} // namespace holdfast::link
