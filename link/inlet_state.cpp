#include "link/inlet_state.hpp"

#include <boost/asio/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace holdfast::link {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// Local: either it is there at once or it is not.
constexpr auto upstream_deadline = std::chrono::seconds{2};

/// Connections that may wait in the system's queue while the rate holds us back.
constexpr int backlog = 256;

/// Bytes of the names in a refused certificate that the log shows: a stranger chose them.
constexpr std::size_t claims_logged = 200;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names)
    text += (text.empty() ? "" : ",") + name;
  return text;
}

/// For the log: `node`, or the roles with whom they are bound to.
std::string roles_in_words(const core::principal& who) {
  if (who.is_node)
    return "node";
  std::string text;
  for (const auto& one : who.grants) {
    text += (text.empty() ? "" : ",") + std::string{core::to_string(one.as)};
    if (!one.name.empty())
      text += '=' + one.name;
  }
  return text.empty() ? "none" : text;
}

/// The name by which a peer is counted: the first of its certificate. Empty for one that has shown
/// none.
std::string peer_of(const inlet_session& one) {
  return one.names.empty() ? std::string{} : one.names.front();
}

/// Adopts what is shared: the context that Asio wants frees what it is given.
asio::ssl::context for_asio(const tls_context& shared) {
  SSL_CTX_up_ref(shared.get());
  return asio::ssl::context{shared.get()};
}

} // namespace

inlet_state::inlet_state(asio::io_context& io, inlet_options options,
                         std::optional<live_credentials> live)
    : io_(io),
      options_(std::move(options)),
      live_(std::move(live)),
      acceptor_(io),
      accept_pause_(io),
      accepts_(options_.limits.accepts_per_second, options_.limits.accepts_per_second),
      room_(std::make_shared<payload_room>(options_.limits.payload_bytes_max,
                                           options_.limits.payload_bytes_per_peer_max)),
      waiting_(std::make_shared<waiting_requests>(options_.limits.waiting_bytes_max,
                                                  options_.limits.waiting_bytes_per_peer_max)) {}

core::failure inlet_state::listen() {
  error_code error;
  const auto address = asio::ip::make_address(options_.address, error);
  if (error)
    return {core::errc::invalid_argument, options_.address + " is not an IP address"};
  const tcp::endpoint where{address, options_.port};
  acceptor_.open(where.protocol(), error);
  if (!error)
    acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
  if (!error)
    acceptor_.bind(where, error);
  if (!error)
    acceptor_.listen(backlog, error);
  if (error)
    return {error == asio::error::address_in_use ? core::errc::already_exists
                                                 : core::errc::invalid_argument,
            "cannot listen on " + options_.address + ':' + std::to_string(options_.port) + ": "
                + error.message()};
  port_ = acceptor_.local_endpoint(error).port();
  accept_when_due();
  return {};
}

// ── taking connections ───────────────────────────────────────────────────────────────────────────

void inlet_state::accept_when_due() {
  if (!acceptor_.is_open())
    return;
  const auto wait = accepts_.wait(clock::now());
  if (wait > clock::duration::zero())
    pause_accepting(wait);
  else
    accept();
}

void inlet_state::pause_accepting(clock::duration span) {
  ++counters_.accept_pauses;
  accept_pause_.expires_after(span);
  accept_pause_.async_wait([self = shared_from_this()](error_code error) {
    if (!error)
      self->accept_when_due();
  });
}

void inlet_state::accept() {
  acceptor_.async_accept([self = shared_from_this()](error_code error, tcp::socket socket) {
    if (self->closed_ || error == asio::error::operation_aborted)
      return;
    if (error && error != asio::error::connection_aborted)
      return self->pause_accepting(accept_error_pause);
    self->accepts_.take(clock::now());
    if (!error)
      self->take(std::move(socket));
    self->accept_when_due();
  });
}

void inlet_state::take(tcp::socket socket) {
  ++counters_.accepted;
  error_code error;
  const auto from = socket.remote_endpoint(error);
  if (error)
    return; // gone already
  const auto one = std::make_shared<inlet_session>(io_);
  one->address = from.address().to_string();
  one->outer = std::make_unique<wire>(std::move(socket));
  if (const auto why = objection_to_newcomer(one->address)) {
    one->outer->close();
    return report(*why, {}, {{"address", one->address}});
  }
  sessions_.push_back(one);
  ++by_address_[one->address].connections;
  if (live_)
    handshake(one);
  else
    reach_node(one);
}

std::optional<refusal> inlet_state::objection_to_newcomer(const std::string& address) const {
  if (sessions_.size() >= options_.limits.connections_max)
    return refusal::connections_full;
  const auto known = by_address_.find(address);
  const auto here = known == by_address_.end() ? of_address{} : known->second;
  if (here.connections >= options_.limits.connections_per_address_max)
    return refusal::address_full;
  if (live_
      && (handshakes_ >= options_.limits.handshakes_max
          || here.handshakes >= options_.limits.handshakes_per_address_max))
    return refusal::handshakes_full;
  return std::nullopt;
}

// ── proving who it is ────────────────────────────────────────────────────────────────────────────

void inlet_state::handshake(const session& one) {
  refresh(false);
  auto context = for_asio(live_->context());
  one->outer->secure(context);
  one->handshaking = true;
  ++handshakes_;
  ++by_address_.at(one->address).handshakes;
  one->deadline.expires_after(options_.limits.handshake_deadline);
  one->deadline.async_wait([self = shared_from_this(), one](error_code error) {
    if (!error && one->handshaking)
      self->refuse(one, refusal::handshake_timeout);
  });
  auto& stream = *one->outer->tls();
  // Here, so that a peer which is not expected hears so in the handshake.
  stream.set_verify_callback([this, weak = std::weak_ptr{one}](bool good, auto& of_peer) {
    auto* check = of_peer.native_handle();
    const auto held = weak.lock(); // weak: the stream is a part of what it would keep alive
    if (!held || X509_STORE_CTX_get_error_depth(check) != 0)
      return good;
    auto* certificate = X509_STORE_CTX_get_current_cert(check);
    if (!good) {
      held->claims = joined(names_of(certificate)).substr(0, claims_logged);
      return false;
    }
    held->names = names_of(certificate);
    held->who = principal_of(certificate, options_.roles_without_one);
    if (is_allowed(held->names, options_.allowed))
      return true;
    X509_STORE_CTX_set_error(check, X509_V_ERR_APPLICATION_VERIFICATION);
    return false;
  });
  stream.async_handshake(asio::ssl::stream_base::server,
                         [self = shared_from_this(), one](error_code error) {
                           if (!one->over)
                             self->on_handshake(one, error);
                         });
}

void inlet_state::end_handshake(const session& one) {
  if (!std::exchange(one->handshaking, false))
    return;
  --handshakes_;
  --by_address_.at(one->address).handshakes;
}

void inlet_state::on_handshake(const session& one, const error_code& error) {
  end_handshake(one);
  one->deadline.cancel();
  auto* stream = one->outer->tls()->native_handle();
  if (!error)
    return reach_node(one);
  if (BIO_number_read(SSL_get_rbio(stream)) == 0) { // it only looked whether somebody listens
    ++counters_.silent;
    return finish(one);
  }
  const auto from_openssl = error.category() == asio::error::get_ssl_category();
  refuse(one,
         reason_of_failure(stream, from_openssl ? static_cast<unsigned long>(error.value()) : 0),
         frame_fault::none, error.message());
}

// ── to the process behind ────────────────────────────────────────────────────────────────────────

void inlet_state::reach_node(const session& one) {
  one->inner = std::make_unique<wire>(tcp::socket{io_});
  one->deadline.expires_after(upstream_deadline);
  one->deadline.async_wait([self = shared_from_this(), one](error_code error) {
    if (!error && !one->over && !one->relayed)
      self->refuse(one, refusal::node_unavailable, frame_fault::none, "it does not answer");
  });
  one->inner->plain().async_connect({asio::ip::address_v4::loopback(), options_.upstream_port},
                                    [self = shared_from_this(), one](error_code error) {
                                      if (one->over)
                                        return;
                                      one->deadline.cancel();
                                      if (error)
                                        self->refuse(one, refusal::node_unavailable,
                                                     frame_fault::none, error.message());
                                      else
                                        self->start_relay(one);
                                    });
}

void inlet_state::start_relay(const session& one) {
  error_code gone;
  one->inner_port = one->inner->plain().local_endpoint(gone).port();
  relay_settings settings;
  settings.greeting_deadline = options_.limits.greeting_deadline;
  settings.stall_deadline = options_.limits.stall_deadline;
  settings.faults = options_.faults;
  settings.dialer_is_node = !live_ || one->who.is_node; // nobody proves anything without TLS
  settings.dialer_roles = one->who.roles();
  settings.own = sender::listener;
  settings.published = options_.published;
  settings.open = options_.open;
  settings.admit_dialer = [this, one](const node_key& key) { return claim(one, key); };
  settings.room = room_;
  if (live_ && !one->who.is_node) // a node asks for many, and waits inside itself
    settings.waiting = waiting_;
  settings.room_deadline = options_.limits.room_deadline;
  settings.actors_max = options_.limits.actors_max;
  settings.peer = peer_of(*one);
  settings.rate = rate_of(one);
  settings.slowed = [this, one](std::string_view why) { note_slowed(one, why); };
  settings.ended = [self = shared_from_this(), one](const relay_end& end) {
    if (end.why)
      self->refuse(one, *end.why, end.fault);
    else
      self->finish(one);
  };
  one->relayed = std::make_shared<relay>(io_, std::move(one->outer), std::move(one->inner),
                                         counters_, std::move(settings));
  log_limited(severity::info, "peer_connected", peer_of(*one),
              {{"address", one->address},
               {"names", joined(one->names)},
               {"roles", roles_in_words(one->who)}});
  if (live_ && !one->who.is_node && one->who.roles().empty())
    log_limited(
        severity::warning, "peer_without_role", peer_of(*one),
        {{"names", joined(one->names)},
         {"what", "its certificate names no role, so it may send no request: issue it anew with"
                  " `holdfast certs peer --access`, or set `link.roles_without_one`"}});
  one->relayed->start();
}

std::shared_ptr<peer_rate> inlet_state::rate_of(const session& one) {
  if (one->names.empty())
    return nullptr;
  for (auto at = rates_.begin(); at != rates_.end();) // of those who are gone
    at = at->second.expired() ? rates_.erase(at) : std::next(at);
  auto& known = rates_[one->names.front()];
  auto rate = known.lock();
  if (!rate)
    known = rate = std::make_shared<peer_rate>(options_.limits.messages_per_second,
                                               options_.limits.bytes_per_second);
  return rate;
}

void inlet_state::note_slowed(const session& one, std::string_view why) {
  log_limited(
      severity::warning, "peer_slowed", std::string{why} + ' ' + peer_of(*one),
      {{"address", one->address}, {"names", joined(one->names)}, {"why", std::string{why}}});
}

bool inlet_state::claim(const session& one, const node_key& key) {
  auto& known = processes_[key.bytes];
  const auto name = peer_of(*one);
  if (known.connections > 0 && known.name != name)
    return false;
  known.name = name;
  ++known.connections;
  one->key = key;
  if (options_.directory)
    options_.directory->put(key.bytes, one->who);
  return true;
}

// ── the end ──────────────────────────────────────────────────────────────────────────────────────

void inlet_state::finish(const session& one) {
  if (std::exchange(one->over, true))
    return;
  end_handshake(one);
  one->deadline.cancel();
  for (auto* side : {one->outer.get(), one->inner.get()})
    if (side != nullptr)
      side->close();
  if (one->relayed)
    one->relayed->close();
  if (const auto claimed = processes_.find(one->key.bytes);
      one->key.known && claimed != processes_.end() && --claimed->second.connections == 0) {
    if (options_.directory)
      options_.directory->remove(claimed->first);
    processes_.erase(claimed);
  }
  if (const auto known = by_address_.find(one->address); --known->second.connections == 0)
    by_address_.erase(known);
  sessions_.erase(std::find(sessions_.begin(), sessions_.end(), one));
}

void inlet_state::refuse(const session& one, refusal why, frame_fault fault,
                         const std::string& detail) {
  if (one->over)
    return;
  log_fields fields{{"address", one->address}};
  if (!one->names.empty())
    fields.emplace_back("names", joined(one->names));
  if (!one->claims.empty())
    fields.emplace_back("claims", one->claims);
  if (fault != frame_fault::none) {
    ++counters_.faults[static_cast<std::size_t>(fault)];
    fields.emplace_back("fault", std::string{to_string(fault)});
  }
  if (!detail.empty())
    fields.emplace_back("what", detail);
  report(why, peer_of(*one), std::move(fields));
  finish(one); // last: who hears the end may look at the numbers at once
}

void inlet_state::report(refusal why, const std::string& peer, log_fields fields) {
  ++counters_.refused[static_cast<std::size_t>(why)];
  const std::string reason{to_string(why)};
  fields.insert(fields.begin(), {"reason", reason});
  log_limited(severity::warning, "peer_refused", reason + ' ' + peer, std::move(fields));
}

void inlet_state::log_limited(severity level, const std::string& event, const std::string& key,
                              log_fields fields) {
  const auto left_out = lines_.admit(event + ' ' + key, clock::now());
  if (!left_out)
    return;
  if (*left_out > 0)
    fields.emplace_back("not_logged_before", std::to_string(*left_out));
  log(level, event, fields);
}

void inlet_state::log(severity level, const std::string& event, const log_fields& fields) const {
  if (options_.log && !closed_)
    options_.log(level, event, fields);
}

void inlet_state::end_unread(std::uint16_t inner_port) {
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const session& one) {
    return one->relayed && one->inner_port == inner_port;
  });
  if (found != sessions_.end())
    refuse(session{*found}, refusal::unread_full);
}

void inlet_state::stop_accepting() {
  error_code ignored;
  acceptor_.close(ignored);
  accept_pause_.cancel();
}

void inlet_state::close() {
  closed_ = true;
  stop_accepting();
  for (const auto& one : std::vector<session>{sessions_})
    finish(one);
}

// ── credentials ──────────────────────────────────────────────────────────────────────────────────

void inlet_state::reload() { refresh(true); }

void inlet_state::refresh(bool now) {
  if (!live_)
    return;
  const auto changed = now ? live_->refresh() : live_->refresh(clock::now());
  if (!changed) {
    const log_fields fields{
        {"what", changed.error().detail + "; what was read before stays in force"}};
    if (now)
      log(severity::error, "link_reload_failed", fields);
    else // by a connection that came
      log_limited(severity::error, "link_reload_failed", {}, fields);
    return;
  }
  if (*changed == live_credentials::change::none)
    return;
  ++counters_.reloads;
  log(severity::info, "link_reloaded", {});
  cut_what_is_not_good_any_more();
}

void inlet_state::cut_what_is_not_good_any_more() {
  for (const auto& one : std::vector<session>{sessions_}) {
    if (!one->relayed)
      continue;
    auto* stream = one->relayed->dialer().tls()->native_handle();
    const auto why = objection_now(live_->context().get(), stream);
    if (!why.empty())
      refuse(one, refusal::revoked, frame_fault::none, why);
  }
}

} // namespace holdfast::link
