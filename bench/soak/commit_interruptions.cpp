#include "bench/soak/commit_interruptions.hpp"

#include <utility>

namespace holdfast::soak {

namespace {

constexpr std::size_t length_bytes = 4;
/// Numbers in place of a version, with which a client asks for TLS or for GSSAPI.
constexpr std::uint32_t tls_request = 80877103;
constexpr std::uint32_t gssapi_request = 80877104;

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < length_bytes; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// The text that begins there, up to its zero or the end.
std::string text_at(const std::string& message, std::size_t at) {
  return at < message.size() ? std::string{message.c_str() + at} : std::string{};
}

} // namespace

std::string postgres_messages::next(bool typed) {
  const auto left = std::string_view{bytes_}.substr(taken_);
  const std::size_t type_bytes = typed ? 1 : 0;
  if (left.size() >= type_bytes + length_bytes) {
    const auto size = type_bytes + big_endian(left, type_bytes);
    if (left.size() >= size) {
      taken_ += size;
      return std::string{left.substr(0, size)};
    }
  }
  bytes_.erase(0, taken_);
  taken_ = 0;
  return {};
}

bool asks_for_encryption(const std::string& first_message) {
  if (first_message.size() != 2 * length_bytes)
    return false;
  const auto what = big_endian(first_message, length_bytes);
  return what == tls_request || what == gssapi_request;
}

std::string start_parameter(const std::string& first_message, const std::string& name) {
  for (auto at = 2 * length_bytes; at < first_message.size();) {
    const auto key = text_at(first_message, at);
    if (key.empty())
      break;
    at += key.size() + 1;
    const auto value = text_at(first_message, at);
    if (key == name)
      return value;
    at += value.size() + 1;
  }
  return {};
}

bool binds_commit(const std::string& message) {
  if (message.empty() || message[0] != 'B')
    return false;
  const auto portal = text_at(message, 1 + length_bytes);
  return text_at(message, 1 + length_bytes + portal.size() + 1) == "commit";
}

bool says_committed(const std::string& message) {
  return !message.empty() && message[0] == 'C' && text_at(message, 1 + length_bytes) == "COMMIT";
}

std::string sqlstate_of(const std::string& message) {
  if (message.empty() || message[0] != 'E')
    return {};
  for (auto at = 1 + length_bytes; at < message.size() && message[at] != '\0';) {
    const auto value = text_at(message, at + 1);
    if (message[at] == 'C')
      return value;
    at += value.size() + 2;
  }
  return {};
}

void commit_interruptions::begin(std::string client, manner how) {
  const std::lock_guard lock{mutex_};
  client_ = std::move(client);
  how_ = how;
  active_ = true;
  open_.reset();
  seen_ = {};
}

void commit_interruptions::end() {
  const std::lock_guard lock{mutex_};
  active_ = false;
  if (open_ && !open_->done)
    open_.reset();
}

bool commit_interruptions::resolved() const {
  const std::lock_guard lock{mutex_};
  return !open_;
}

interrupted_commits commit_interruptions::seen() const {
  const std::lock_guard lock{mutex_};
  return seen_;
}

commit_fate commit_interruptions::on_commit(std::uint64_t session, const std::string& client,
                                            clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (!active_ || open_ || client != client_)
    return commit_fate::passes;
  open_ = interruption{session, commit_fate::silenced, now, false};
  if (how_ == manner::cuts) {
    open_->fate = cuts_after_ ? commit_fate::cut_after : commit_fate::cut_before;
    cuts_after_ = !cuts_after_;
  }
  if (open_->fate != commit_fate::cut_before)
    return commit_fate::passes; // until the server has committed it
  open_->done = true;
  ++seen_.cut_before;
  return commit_fate::cut_before;
}

commit_fate commit_interruptions::on_committed(std::uint64_t session, const std::string& client,
                                               clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (!open_)
    return commit_fate::passes;
  if (open_->session == session && !open_->done) {
    open_->done = true;
    ++(open_->fate == commit_fate::cut_after ? seen_.cut_after : seen_.silenced);
    return open_->fate;
  }
  if (is_next_try(session, client) && open_->fate == commit_fate::cut_before)
    resolve(seen_.found_absent, now);
  return commit_fate::passes;
}

void commit_interruptions::on_refused(std::uint64_t session, const std::string& client,
                                      const std::string& sqlstate, clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (!open_)
    return;
  if (open_->session == session && !open_->done)
    open_.reset();
  else if (is_next_try(session, client) && open_->fate != commit_fate::cut_before
           && sqlstate == fence_state)
    resolve(seen_.found_there, now);
}

void commit_interruptions::on_closed(std::uint64_t session) {
  const std::lock_guard lock{mutex_};
  if (open_ && open_->session == session && !open_->done)
    open_.reset(); // by something else
}

bool commit_interruptions::is_next_try(std::uint64_t session, const std::string& client) const {
  return open_->done && session > open_->session && client == client_;
}

void commit_interruptions::resolve(std::uint64_t& found, clock::time_point now) {
  ++found;
  seen_.stall_seconds.push_back(std::chrono::duration<double>(now - open_->sent).count());
  open_.reset();
}

} // namespace holdfast::soak
