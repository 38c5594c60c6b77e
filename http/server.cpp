#include "http/server.hpp"

#include "http/server_state.hpp"

#include <utility>

namespace holdfast::http {

core::outcome<std::unique_ptr<server>> server::open(server_options options,
                                                    std::function<void(call_ptr)> serve) {
  auto state = std::make_unique<server_state>(std::move(options), std::move(serve));
  if (auto why = state->listen(); why.code != core::errc::none)
    return why;
  return std::unique_ptr<server>{new server{std::move(state)}};
}

server::server(std::unique_ptr<server_state> state) : state_(std::move(state)) {}

server::~server() = default;

std::uint16_t server::port() const { return state_->port(); }

void server::drain() { state_->drain(); }

bool server::wait_until_idle(core::duration most) const {
  return state_->core().wait_until_idle(most);
}

const server_counters& server::counters() const { return state_->core().counters(); }

} // namespace holdfast::http
