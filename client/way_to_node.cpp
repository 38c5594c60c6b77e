#include "client/way_to_node.hpp"

#include "link/io_thread.hpp"
#include "link/outlet.hpp"

#include <utility>

namespace holdfast::client {

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
    auto opened = link::outlet::open(*thread_, std::move(options));
    if (!opened)
      return opened.error();
    outlet_ = std::move(*opened);
  }
  if (const auto ready = outlet_->prepare(); !ready)
    return ready.error();
  return near_end{"127.0.0.1", outlet_->port()};
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
