#include "client/frame_guard.hpp"

#include "link/frame_rules.hpp"
#include "link/published_actors.hpp"

#include <caf/io/basp/header.hpp>
#include <caf/io/basp/message_type.hpp>

namespace holdfast::client {

namespace {

/// Whether a message, if that is what the header announces, may go to whom it is for.
bool is_for_outside(const link::frame_header& header) {
  constexpr std::uint64_t response_flag = std::uint64_t{1} << 63; // as caf/message_id.hpp has it
  const auto& published = link::published_actors::of_process();
  if (header.kind != link::frame_kind::direct_message || header.flags != 0
      || (header.data & response_flag) != 0 || !published.has_gateway())
    return true;
  return published.is_reached(header.destination, true);
}

} // namespace

} // namespace holdfast::client

namespace caf {
namespace io {
namespace basp {

/// Whether a frame may be parsed: the link's rules, in the place of CAF's. In a node also whether
/// its receiver takes messages from outside; answers to requests are for the link to judge, since
/// only it sees both directions.
__attribute__((visibility("default"), used)) bool valid(const header& frame) {
  holdfast::link::frame_header header;
  header.kind = static_cast<holdfast::link::frame_kind>(frame.operation);
  header.flags = frame.flags;
  header.payload_bytes = frame.payload_len;
  header.data = frame.operation_data;
  header.source = frame.source_actor;
  header.destination = frame.dest_actor;
  return holdfast::link::well_formed(header) && holdfast::client::is_for_outside(header);
}

} // namespace basp
} // namespace io
} // namespace caf

namespace holdfast::client {

void keep_frame_guard() {}

} // namespace holdfast::client
