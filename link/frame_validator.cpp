#include "link/frame_validator.hpp"

#include <algorithm>

namespace holdfast::link {

namespace {

/// CAF writes words of at most ten characters as numbers, six bits for each
/// (caf/detail/atom_val.hpp of 0.17.6).
constexpr std::uint64_t atom(std::string_view word) {
  constexpr std::string_view alphabet =
      " 0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  std::uint64_t value = 0xF;
  for (const char c : word)
    value = value << 6 | alphabet.find(c);
  return value;
}

// As caf/message_id.hpp has them.
constexpr std::uint64_t response_flag = std::uint64_t{1} << 63;
constexpr std::uint64_t request_mask = 0x0FFFFFFFFFFFFFFFU;

/// The actor to which CAF's broker says hello when it meets a process.
constexpr auto spawn_server = atom("SpawnServ");
/// The kind of id that `client::node_identity` makes. CAF also knows URIs, of any length.
constexpr auto default_node_id = atom("default");

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Of `hf1.claim_tasks` and the like what is behind the point; empty for others.
std::string_view own_name_of(std::string_view type) {
  if (!begins_with(type, "hf"))
    return {};
  type.remove_prefix(2);
  const auto digits =
      static_cast<std::size_t>(std::find_if_not(type.begin(), type.end(), is_digit) - type.begin());
  if (digits == 0 || digits >= type.size() || type[digits] != '.')
    return {};
  return type.substr(digits + 1);
}

/// Takes from `all` what a message with this type in it does not allow.
void narrow(content& all, std::string_view type) {
  if (type == "@error" || type == "@unit") {
    all.has_error = all.has_error || type == "@error";
    return;
  }
  const auto name = own_name_of(type);
  if (name.empty()) {
    all.who = content::of::nobody;
    return;
  }
  const auto* row = core::find_access(name);
  if (row == nullptr)
    return;
  switch (row->who) {
  case core::said_by::clients:
    all.roles = all.roles.common(row->roles);
    return;
  case core::said_by::nodes:
    all.who = content::of::nodes;
    return;
  case core::said_by::answers:
  case core::said_by::parts:
    all.roles = {}; // a peer asks, and is asked nothing
    return;
  }
}

/// CAF's numbers of variable length; false when it does not end in `text` or is beyond what a list
/// of types may take.
bool take_length(std::string_view& text, std::size_t& length) {
  length = 0;
  for (unsigned shift = 0; shift <= 14 && !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    length |= static_cast<std::size_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0)
      return true;
  }
  return false;
}

} // namespace

std::string_view to_string(frame_fault fault) {
  switch (fault) {
  case frame_fault::none:
    return "none";
  case frame_fault::malformed_header:
    return "malformed_header";
  case frame_fault::too_large:
    return "too_large";
  case frame_fault::handshake_missing:
    return "handshake_missing";
  case frame_fault::handshake_repeated:
    return "handshake_repeated";
  case frame_fault::bad_node_id:
    return "bad_node_id";
  case frame_fault::node_id_taken:
    return "node_id_taken";
  case frame_fault::routed:
    return "routed";
  case frame_fault::named_receiver:
    return "named_receiver";
  case frame_fault::foreign_node:
    return "foreign_node";
  case frame_fault::foreign_content:
    return "foreign_content";
  case frame_fault::not_a_node:
    return "not_a_node";
  case frame_fault::not_of_role:
    return "not_of_role";
  case frame_fault::unpublished:
    return "unpublished";
  case frame_fault::actors_full:
    return "actors_full";
  }
  return "none";
}

content judge_content(std::string_view prefix) {
  // Stages, of which there are none; then 0 in 16 bits, for a name instead of a number.
  constexpr std::string_view no_stages_and_named{"\0\0\0", 3};
  if (!begins_with(prefix, no_stages_and_named))
    return {};
  prefix.remove_prefix(no_stages_and_named.size());
  std::size_t length = 0;
  if (!take_length(prefix, length) || length > prefix.size())
    return {};
  auto types = prefix.substr(0, length);
  constexpr std::string_view tuple = "@<>";
  if (!begins_with(types, tuple))
    return {};
  types.remove_prefix(tuple.size());
  content all;
  all.who = content::of::anybody;
  while (!types.empty()) {
    if (types.front() != '+')
      return {};
    types.remove_prefix(1);
    const auto name = types.substr(0, types.find('+'));
    narrow(all, name);
    if (all.who == content::of::nobody)
      return {};
    types.remove_prefix(name.size());
  }
  return all;
}

frame_validator::step frame_validator::next(std::string_view input) {
  if (fault_ != frame_fault::none)
    return {0, {}, fault_};
  if (rest_bytes_ == 0)
    return hold(input);
  const auto taken = std::min<std::size_t>(rest_bytes_, input.size());
  rest_bytes_ -= static_cast<std::uint32_t>(taken);
  return {taken, rest_passes_ ? input.substr(0, taken) : std::string_view{}, frame_fault::none};
}

frame_validator::step frame_validator::hold(std::string_view input) {
  const auto taken = std::min(wanted_bytes_ - held_bytes_, input.size());
  std::copy_n(input.begin(), taken, held_.begin() + held_bytes_);
  held_bytes_ += taken;
  if (held_bytes_ < wanted_bytes_)
    return {taken, {}, frame_fault::none};

  if (awaited_ == awaited::header) {
    header_ = read_header(held_.data());
    drops_ = answers_ = strays_ = false;
    fault_ = judge_header();
    if (fault_ != frame_fault::none)
      return {taken, {}, fault_};
    awaited_ = awaited::judgment;
    wanted_bytes_ += payload_to_hold();
    if (held_bytes_ < wanted_bytes_)
      return {taken, {}, frame_fault::none};
  }
  fault_ = judge_payload();
  if (fault_ == frame_fault::none)
    fault_ = count_senders();
  if (fault_ != frame_fault::none)
    return {taken, {}, fault_};

  const auto judged = held_bytes_;
  rest_bytes_ = header_.payload_bytes - static_cast<std::uint32_t>(judged - frame_header_bytes);
  awaited_ = awaited::header;
  held_bytes_ = 0;
  wanted_bytes_ = frame_header_bytes;
  rest_passes_ = !drops_;
  ++(rest_passes_ ? frames_ : dropped_);
  if (!rest_passes_)
    return {taken, {}, frame_fault::none};
  step found{taken, {held_.data(), judged}, frame_fault::none, header_.payload_bytes, {}, {}};
  name_request(found);
  return found;
}

void frame_validator::name_request(step& found) const {
  const auto number = header_.data & request_mask;
  if (header_.kind != frame_kind::direct_message || number == 0)
    return;
  if (from_outside() && !answers_)
    found.asks = request_key{header_.source, number};
  else if (!from_outside() && answers_)
    found.answers = request_key{header_.destination, number};
}

frame_fault frame_validator::judge_header() {
  if (header_.payload_bytes > frame_bytes_max
      || (header_.kind == frame_kind::down_message && header_.payload_bytes > down_bytes_max))
    return frame_fault::too_large;
  if (!well_formed(header_) || held_[1] != 0 || held_[2] != 0)
    return frame_fault::malformed_header;
  if (const auto fault = judge_order(); fault != frame_fault::none)
    return fault;
  switch (header_.kind) {
  case frame_kind::server_handshake:
    return header_.flags == 0 ? frame_fault::none : frame_fault::malformed_header;
  case frame_kind::client_handshake:
    selected_ = greeted();
    return frame_fault::none; // its flags are a matter of order
  case frame_kind::direct_message:
    if (header_.flags == 0)
      return judge_receiver();
    drops_ = header_.flags == named_receiver_flag && header_.destination == spawn_server;
    if (drops_)
      return frame_fault::none;
    return (header_.flags & named_receiver_flag) != 0 ? frame_fault::named_receiver
                                                      : frame_fault::malformed_header;
  case frame_kind::routed_message:
    return frame_fault::routed;
  case frame_kind::monitor_message:
    drops_ = from_outside() && !from_node()
             && !(shared_.published != nullptr
                  && shared_.published->is_reached(header_.destination, false));
    return header_.flags == 0 && header_.payload_bytes == 2 * node_key::size
               ? frame_fault::none
               : frame_fault::malformed_header;
  case frame_kind::down_message:
    return header_.flags == 0 && header_.payload_bytes > 2 * node_key::size
               ? frame_fault::none
               : frame_fault::malformed_header;
  case frame_kind::heartbeat:
    return header_.flags == 0 ? frame_fault::none : frame_fault::malformed_header;
  }
  return frame_fault::malformed_header;
}

frame_fault frame_validator::judge_receiver() {
  const bool is_response = (header_.data & response_flag) != 0;
  const auto request = header_.data & request_mask;
  answers_ = is_response;
  if (!from_outside()) {
    if (!is_response && request != 0) {
      if (shared_.open != nullptr)
        shared_.open->asked({other_key().bytes, header_.source, request});
    } else // the receiver has no use for the number of the sender, which may be an internal actor
      std::fill_n(held_.begin() + source_offset, sizeof header_.source, '\0');
    return frame_fault::none;
  }
  if (is_response) {
    drops_ = shared_.open == nullptr
             || !shared_.open->answered({own_key().bytes, header_.destination, request});
    return frame_fault::none;
  }
  if (header_.source == 0 && !from_node())
    return frame_fault::malformed_header; // nobody would know who has sent it
  if (shared_.published != nullptr
      && shared_.published->is_reached(header_.destination, from_node()))
    return frame_fault::none;
  drops_ = from_node();
  strays_ = !drops_; // what is wrong with its content comes first
  return frame_fault::none;
}

/// A dialer greets at once, and again when it has read the listener's greeting and stays; then it
/// talks. If it has a connection to that process already, it hangs up instead.
frame_fault frame_validator::judge_order() const {
  const auto greeting =
      from_ == sender::dialer ? frame_kind::client_handshake : frame_kind::server_handshake;
  const bool greets = header_.kind == greeting;
  if (!greeted())
    return greets && header_.flags == 0 ? frame_fault::none : frame_fault::handshake_missing;
  if (from_ == sender::dialer && !selected_)
    return greets && header_.flags == select_connection_flag ? frame_fault::none
                                                             : frame_fault::handshake_missing;
  if (header_.kind == frame_kind::server_handshake || header_.kind == frame_kind::client_handshake)
    return frame_fault::handshake_repeated;
  return frame_fault::none;
}

std::size_t frame_validator::payload_to_hold() const {
  switch (header_.kind) {
  case frame_kind::server_handshake:
  case frame_kind::client_handshake:
    return std::min<std::size_t>(header_.payload_bytes, node_key::size);
  case frame_kind::direct_message:
    return std::min<std::size_t>(header_.payload_bytes, payload_held_max);
  case frame_kind::monitor_message:
  case frame_kind::down_message:
    return 2 * node_key::size; // the header says that it is there
  case frame_kind::routed_message:
  case frame_kind::heartbeat:
    break;
  }
  return 0;
}

frame_fault frame_validator::judge_payload() {
  const std::string_view payload{held_.data() + frame_header_bytes,
                                 held_bytes_ - frame_header_bytes};
  switch (header_.kind) {
  case frame_kind::server_handshake:
  case frame_kind::client_handshake:
    return judge_greeting(payload);
  case frame_kind::direct_message:
    if ((header_.flags & named_receiver_flag) != 0)
      return frame_fault::none;
    if (const auto fault = judge_message(payload); fault != frame_fault::none)
      return fault;
    return strays_ ? frame_fault::unpublished : frame_fault::none;
  case frame_kind::monitor_message:
  case frame_kind::down_message:
    return judge_nodes(payload);
  case frame_kind::routed_message:
  case frame_kind::heartbeat:
    break;
  }
  return frame_fault::none;
}

frame_fault frame_validator::judge_message(std::string_view payload) const {
  const auto found = judge_content(payload);
  if (found.who == content::of::nobody)
    return frame_fault::foreign_content;
  if (from_node())
    return frame_fault::none;
  if (found.has_error && !answers_)
    return frame_fault::foreign_content;
  if (found.who == content::of::nodes)
    return frame_fault::not_a_node;
  return found.roles.meets(shared_.dialer_roles) ? frame_fault::none : frame_fault::not_of_role;
}

frame_fault frame_validator::count_senders() {
  if (drops_ || !from_outside() || from_node())
    return frame_fault::none;
  if (header_.kind == frame_kind::down_message)
    senders_.remove(header_.source);
  else if (header_.kind == frame_kind::direct_message && header_.source != 0
           && !senders_.add(header_.source, shared_.actors_max))
    return frame_fault::actors_full;
  return frame_fault::none;
}

frame_fault frame_validator::judge_greeting(std::string_view payload) {
  if (payload.size() < node_key::size
      || (from_ == sender::dialer && header_.payload_bytes != node_key::size))
    return frame_fault::bad_node_id;
  if (read_number(payload.data()) != default_node_id)
    return frame_fault::bad_node_id;
  node_key key;
  std::copy(payload.begin(), payload.begin() + node_key::size, key.bytes.begin());
  key.known = true;
  if (key == other_key() || (greeted() && key != own_key()))
    return frame_fault::bad_node_id;
  own_key() = key;
  return frame_fault::none;
}

/// Monitors and their ends name two processes, the sender's first. Others would have us forward, or
/// let one peer end what belongs to another.
frame_fault frame_validator::judge_nodes(std::string_view payload) const {
  if (!other_key().known)
    return frame_fault::foreign_node;
  const auto is = [](std::string_view bytes, const node_key& key) {
    return bytes == std::string_view{key.bytes.data(), key.bytes.size()};
  };
  return is(payload.substr(0, node_key::size), own_key())
                 && is(payload.substr(node_key::size), other_key())
             ? frame_fault::none
             : frame_fault::foreign_node;
}

} // namespace holdfast::link
