#pragma once

#include "link/frame_validator.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a link tells its surroundings: lines for the log, and numbers.
namespace holdfast::link {

enum class severity { info, warning, error };

/// One structured line: what happened, and the particulars as key and value.
using log_fields = std::vector<std::pair<std::string, std::string>>;

/// Called on the link's thread; must not block for long.
using logger = std::function<void(severity, const std::string& event, const log_fields&)>;

/// Why a connection was turned away or cut. What the other side did, unless it says otherwise.
enum class refusal : std::uint8_t {
  connections_full,  ///< As many connections are open as there may be.
  address_full,      ///< The same for one address.
  handshakes_full,   ///< As many handshakes are under way as there may be.
  handshake_timeout, ///< The handshake took longer than its deadline.
  not_tls,           ///< The first bytes were no TLS.
  old_protocol,      ///< Older than TLS 1.3.
  no_certificate,    ///< It showed none.
  unknown_authority, ///< Its certificate was not issued by ours, or is not meant for this.
  expired,           ///< Its certificate is past its time, or not yet in it.
  revoked,           ///< Its certificate is on the list of revoked ones.
  name_not_allowed,  ///< Its certificate has no name that we expect.
  handshake_failed,  ///< Another error of TLS, or it hung up.
  greeting_timeout,  ///< A proven peer that said nothing.
  bad_frame,         ///< It sent what may not reach CAF; `link_counters::faults` says what.
  stalled,           ///< It stopped reading.
  node_unavailable,  ///< The process that we stand before took no connection: ours, not theirs.
  foreign_user,      ///< On loopback: no open connection of a user who may use it.
  payloads_full,     ///< It sent a large payload, and payloads under way left no room for it.
  requests_full,     ///< Requests that wait for their answers left no room for one more.
  unread_full,       ///< It did not read its answers, and too many bytes of them have gathered.
};
inline constexpr std::size_t refusal_count = 20;

/// A word for logs and counters, such as `no_certificate`.
std::string_view to_string(refusal why);

/// The numbers of a link since its start. Written on its thread, read from any.
struct link_counters {
  using number = std::atomic<std::uint64_t>;

  number accepted{0};    ///< Connections that were taken from the system.
  number established{0}; ///< Of these, the ones that reached the process behind.
  number silent{0};      ///< Of those that were taken, the ones that hung up without a word.
  number open{0};        ///< Established and not yet ended.
  number frames{0};      ///< Passed, both ways.
  number dropped{0};     ///< CAF's greetings to `SpawnServ`.
  number bytes_from_dialers{0};
  number bytes_from_listeners{0};
  number reloads{0};       ///< Of certificates.
  number accept_pauses{0}; ///< Waits because of the rate, or because no descriptor was free.
  /// Waits before a peer was read again that sent more than it may, or a frame without room.
  number slowed{0};
  std::array<number, refusal_count> refused{};
  std::array<number, frame_fault_count> faults{};

  std::uint64_t refused_for(refusal why) const { return refused[static_cast<std::size_t>(why)]; }
  std::uint64_t faults_of(frame_fault what) const { return faults[static_cast<std::size_t>(what)]; }
};

} // namespace holdfast::link
