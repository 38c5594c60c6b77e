#include "client/frame_guard.hpp"

#include "link/frame_rules.hpp"

#include <caf/io/basp/header.hpp>
#include <caf/io/basp/message_type.hpp>

namespace caf {
namespace io {
namespace basp {

/// Whether a frame may be parsed: the link's rules, in the place of CAF's.
__attribute__((visibility("default"), used)) bool valid(const header& frame) {
  holdfast::link::frame_header header;
  header.kind = static_cast<holdfast::link::frame_kind>(frame.operation);
  header.flags = frame.flags;
  header.payload_bytes = frame.payload_len;
  header.data = frame.operation_data;
  header.source = frame.source_actor;
  header.destination = frame.dest_actor;
  return holdfast::link::well_formed(header);
}

} // namespace basp
} // namespace io
} // namespace caf

namespace holdfast::client {

void keep_frame_guard() {}

} // namespace holdfast::client
