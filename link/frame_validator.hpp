#pragma once

#include "core/access.hpp"
#include "link/frame_rules.hpp"
#include "link/named_actors.hpp"
#include "link/open_requests.hpp"
#include "link/published_actors.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace holdfast::link {

/// Why a stream of frames is not fit for CAF.
enum class frame_fault : std::uint8_t {
  none,
  malformed_header,   ///< Not what the protocol allows for its kind, or no kind at all.
  too_large,          ///< Above `frame_bytes_max`, or `down_bytes_max` of its kind.
  handshake_missing,  ///< Something else came first.
  handshake_repeated, ///< A second greeting, or one of the other side's kind.
  bad_node_id,        ///< A greeting with no id, or with an id of a kind that we do not use.
  node_id_taken,      ///< The id belongs to another peer; found by the relay.
  routed,             ///< For or from a third process: nothing is forwarded.
  named_receiver,     ///< To an actor by name: no name is reachable from outside.
  foreign_node,       ///< About actors of a process other than the two that talk.
  foreign_content,    ///< Not a message of ours: CAF's own, such as `exit`, come from inside only;
                      ///< or a peer's error that answers nothing.
  not_a_node,         ///< A message that only nodes send each other, from a peer.
  not_of_role,        ///< A request that none of the roles of the peer's certificate may send.
  unpublished,        ///< From a peer to an actor that takes no messages from outside.
  actors_full,        ///< A peer has named `conversation::actors_max` senders, and none has ended.
};
inline constexpr std::size_t frame_fault_count = 15;

/// A word for logs and counters, such as `too_large`.
std::string_view to_string(frame_fault fault);

/// The bytes by which a process names itself in its greeting.
struct node_key {
  static constexpr std::size_t size = 32; ///< An atom (8), a process id (4), a host (20).

  std::array<char, size> bytes{};
  bool known = false;

  friend bool operator==(const node_key& a, const node_key& b) {
    return a.known == b.known && a.bytes == b.bytes;
  }
  friend bool operator!=(const node_key& a, const node_key& b) { return !(a == b); }
};

/// A request between two processes, by the actor that asks and CAF's number for the request.
struct request_key {
  std::uint64_t actor = 0;
  std::uint64_t number = 0;
};

/// Which end of a connection sends.
enum class sender : std::uint8_t { dialer, listener };

/// What the two directions of a connection know of each other.
struct conversation {
  node_key dialer;
  node_key listener;
  /// Whether the dialer may say what only nodes say. Whoever is dialed is a node: nobody else has
  /// an inlet.
  bool dialer_is_node = true;
  /// The roles whose requests a dialer that is no node may send.
  core::role_set dialer_roles = core::role_set::all();
  /// The end that is this process.
  sender own = sender::listener;
  /// The actors of this process that take messages; null: none does.
  const published_actors* published = nullptr;
  /// The requests of this process; null: it asks nothing.
  open_requests* open = nullptr;
  /// Actors that a dialer that is no node may name as senders before one of them has ended.
  std::size_t actors_max = std::numeric_limits<std::size_t>::max();
};

/// Reads one direction of a connection, cut into pieces in any way, and says which bytes may go on
/// to CAF. Holds back what it cannot judge yet, at most `held_bytes_max` bytes; needs no memory
/// besides, but for the numbers of a peer's actors.
///
/// Besides the rules of headers it insists on: the sender's greeting first and once; messages to
/// actors by number, to actors of this process only if they are published or have asked for the
/// answer; content that is one of our own messages, an error or nothing, between nodes alone what
/// only nodes say, and from a peer requests of its roles; monitors and their ends between these two
/// processes. CAF greets each new process with a message to its actor `SpawnServ`, which makes
/// actors on request: that one is dropped, not refused. So is an answer that nobody waits for, what
/// a node sends to an actor that is not published, and a peer's monitor of one.
///
/// A message of this process that is no request passes without the number of the actor that sends
/// the message: nobody learns the numbers of internal actors.
class frame_validator {
public:
  static constexpr std::size_t payload_held_max = 256;
  static constexpr std::size_t held_bytes_max = frame_header_bytes + payload_held_max;

  /// `shared` belongs to both directions of the connection and must outlive them. The directions
  /// take turns: they are not meant for two threads.
  frame_validator(sender from, conversation& shared) : from_(from), shared_(shared) {}

  struct step {
    std::size_t consumed = 0; ///< Bytes of the input that are dealt with.
    std::string_view pass;    ///< May go on, now; in the input or held by us, until the next call.
    frame_fault fault = frame_fault::none; ///< The stream is over: nothing more may go on.
    std::uint32_t announced = 0;       ///< Size of the payload whose header begins `pass`, else 0.
    std::optional<request_key> asks{}; ///< The request from outside that begins `pass`.
    std::optional<request_key> answers{}; ///< The request from outside whose answer begins `pass`.
  };

  /// Takes some of `input`. To be called again with the rest until all is consumed or there is a
  /// fault; after a fault it says the same for ever.
  step next(std::string_view input);

  /// Whether the sender has greeted.
  bool greeted() const { return own_key().known; }
  /// Whether a payload has begun and not ended.
  bool within_payload() const { return rest_bytes_ > 0; }
  /// Frames that were judged and passed.
  std::uint64_t frames() const { return frames_; }
  /// Frames that were dropped: greetings to `SpawnServ`, and what nobody takes.
  std::uint64_t dropped() const { return dropped_; }

private:
  enum class awaited : std::uint8_t { header, judgment };

  step hold(std::string_view input);
  /// What is wrong with the header that is held, by itself and by its place.
  frame_fault judge_header();
  frame_fault judge_order() const;
  /// The same for the payload's beginning.
  frame_fault judge_payload();
  frame_fault judge_message(std::string_view payload) const;
  /// Names the request that the frame is or answers, if it is one from outside.
  void name_request(step& found) const;
  /// The fault of the receiver of a message; notes our own requests.
  frame_fault judge_receiver();
  bool from_outside() const { return from_ != shared_.own; }
  bool from_node() const { return from_ == sender::listener || shared_.dialer_is_node; }
  /// Follows which actors of a peer CAF hears of; the fault of one too many.
  frame_fault count_senders();
  frame_fault judge_greeting(std::string_view payload);
  frame_fault judge_nodes(std::string_view payload) const;
  std::size_t payload_to_hold() const;
  node_key& own_key() { return from_ == sender::dialer ? shared_.dialer : shared_.listener; }
  const node_key& own_key() const {
    return from_ == sender::dialer ? shared_.dialer : shared_.listener;
  }
  const node_key& other_key() const {
    return from_ == sender::dialer ? shared_.listener : shared_.dialer;
  }

  sender from_;
  conversation& shared_;
  frame_header header_;
  std::array<char, held_bytes_max> held_{};
  std::size_t held_bytes_ = 0;
  std::size_t wanted_bytes_ = frame_header_bytes; ///< Held before anything is decided.
  awaited awaited_ = awaited::header;
  std::uint32_t rest_bytes_ = 0; ///< Of a payload whose beginning is judged.
  bool rest_passes_ = false;
  bool drops_ = false;    ///< The frame that is held.
  bool answers_ = false;  ///< It is a response.
  bool strays_ = false;   ///< It is a peer's for an actor that takes no messages.
  bool selected_ = false; ///< The dialer's second greeting has come.
  frame_fault fault_ = frame_fault::none;
  named_actors senders_; ///< A peer's.
  std::uint64_t frames_ = 0;
  std::uint64_t dropped_ = 0;
};

/// The content of a message, as far as it decides which senders may send the message.
struct content {
  /// Whether our processes send it at all, and whether only nodes do.
  enum class of : std::uint8_t { nobody, anybody, nodes };

  of who = of::nobody;
  bool has_error = false;                       ///< Ends an actor that has not asked for it.
  core::role_set roles = core::role_set::all(); ///< Of peers, one of which the sender must have.
};

/// Judges the message whose payload begins with `prefix`. Ours have no stages, and nothing but
/// types named `hf<version>.<name>`, errors and units; a list of types that does not end in
/// `prefix` is nobody's. A name that this program does not know is anybody's: nothing answers it.
content judge_content(std::string_view prefix);

} // namespace holdfast::link
