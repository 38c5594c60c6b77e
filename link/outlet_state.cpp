#include "link/outlet_state.hpp"

#include "link/loopback_user.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace holdfast::link {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

/// What the remote certificate must be for.
void expect_name(SSL* stream, const outlet_options& options) {
  SSL_set_hostflags(stream, X509_CHECK_FLAG_NO_WILDCARDS);
  const auto& name = options.expected_name.empty() ? options.host : options.expected_name;
  error_code no_address;
  asio::ip::make_address(name, no_address);
  if (no_address)
    SSL_set1_host(stream, name.c_str());
  else
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(stream), name.c_str());
}

/// Why a handshake failed, for a person.
std::string what_failed(SSL* stream, const error_code& error) {
  const auto verdict = SSL_get_verify_result(stream);
  if (verdict == X509_V_OK)
    return error.message();
  return std::string{"its certificate is refused: "} + X509_verify_cert_error_string(verdict);
}

} // namespace

outlet_state::outlet_state(asio::io_context& io, outlet_options options, live_credentials live)
    : io_(io),
      options_(std::move(options)),
      where_(options_.host + ':' + std::to_string(options_.port)),
      live_(std::move(live)),
      acceptor_(io),
      accept_pause_(io) {}

core::failure outlet_state::listen() {
  error_code error;
  const tcp::endpoint where{asio::ip::address_v4::loopback(), 0};
  acceptor_.open(where.protocol(), error);
  if (!error)
    acceptor_.bind(where, error);
  if (!error)
    acceptor_.listen(static_cast<int>(options_.connections_max), error);
  if (error)
    return {core::errc::unavailable, "no port on loopback: " + error.message()};
  port_ = acceptor_.local_endpoint(error).port();
  accept();
  return {};
}

void outlet_state::accept() {
  acceptor_.async_accept([self = shared_from_this()](error_code error, tcp::socket socket) {
    if (self->closed_)
      return;
    if (!error) {
      self->take(std::move(socket));
      return self->accept();
    }
    self->accept_pause_.expires_after(accept_error_pause);
    self->accept_pause_.async_wait([self](error_code canceled) {
      if (!canceled && !self->closed_)
        self->accept();
    });
  });
}

void outlet_state::take(tcp::socket socket) {
  ++counters_.accepted;
  if (sessions_.size() >= options_.connections_max) {
    ++counters_.refused[static_cast<std::size_t>(refusal::connections_full)];
    return;
  }
  if (!is_of(socket.native_handle(), local_users::own()))
    return refuse_stranger();
  if (const auto one = std::exchange(ready_, nullptr)) {
    one->deadline.cancel();
    one->local = std::make_unique<wire>(std::move(socket));
    return start_relay(one);
  }
  const auto one = std::make_shared<outlet_session>(io_);
  one->local = std::make_unique<wire>(std::move(socket));
  sessions_.push_back(one);
  dial(one);
}

void outlet_state::refuse_stranger() {
  ++counters_.refused[static_cast<std::size_t>(refusal::foreign_user)];
  if (const auto left_out = refused_lines_.admit({}, core::log_limit::clock::now()))
    log(severity::warning, "outlet_refused",
        {{"remote", where_},
         {"what", "no open connection of a process of this user"},
         {"not_logged_before", std::to_string(*left_out)}});
}

void outlet_state::prepare(std::function<void(const std::string&)> done) {
  if (ready_)
    return done({});
  const auto one = std::make_shared<outlet_session>(io_);
  one->prepared = std::move(done);
  sessions_.push_back(one);
  dial(one);
}

void outlet_state::dial(const session& one) {
  one->remote = std::make_unique<wire>(tcp::socket{io_});
  one->deadline.expires_after(options_.dial_deadline);
  one->deadline.async_wait([self = shared_from_this(), one](error_code error) {
    if (!error && !one->over && !one->relayed && self->ready_ != one)
      self->fail(one, refusal::handshake_timeout, "no answer within the deadline");
  });
  one->resolver.async_resolve(
      options_.host, std::to_string(options_.port),
      [self = shared_from_this(), one](error_code error, const tcp::resolver::results_type& found) {
        if (one->over)
          return;
        if (error)
          return self->fail(one, refusal::node_unavailable, error.message());
        asio::async_connect(one->remote->plain(), found,
                            [self, one](error_code failed, const tcp::endpoint&) {
                              if (one->over)
                                return;
                              if (failed)
                                self->fail(one, refusal::node_unavailable, failed.message());
                              else
                                self->handshake(one);
                            });
      });
}

void outlet_state::handshake(const session& one) {
  reload();
  SSL_CTX_up_ref(live_.context().get());
  asio::ssl::context context{live_.context().get()};
  one->remote->secure(context);
  auto& stream = *one->remote->tls();
  expect_name(stream.native_handle(), options_);
  stream.async_handshake(asio::ssl::stream_base::client,
                         [self = shared_from_this(), one](error_code error) {
                           if (one->over)
                             return;
                           auto* raw = one->remote->tls()->native_handle();
                           if (error)
                             self->fail(one, reason_of_failure(raw, 0), what_failed(raw, error));
                           else
                             self->await_first_words(one);
                         });
}

/// What TLS 1.3 has to say about our certificate comes only now; if it is good, the process behind
/// greets.
void outlet_state::await_first_words(const session& one) {
  one->remote->read_some(asio::buffer(one->first_words), [self = shared_from_this(), one](
                                                             error_code error, std::size_t bytes) {
    if (one->over)
      return;
    const bool closed = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
    one->first_bytes = bytes;
    if (error)
      self->fail(one, refusal::handshake_failed,
                 closed ? "it hung up without a word" : error.message());
    else
      self->on_proven(one);
  });
}

void outlet_state::on_proven(const session& one) {
  one->deadline.cancel();
  if (one->local)
    return start_relay(one);
  ready_ = one;
  one->deadline.expires_after(options_.greeting_deadline);
  one->deadline.async_wait([self = shared_from_this(), one](error_code error) {
    if (!error && self->ready_ == one)
      self->finish(one);
  });
  remember({});
  std::exchange(one->prepared, nullptr)({});
}

void outlet_state::start_relay(const session& one) {
  // Dialing takes a while: what was a process of ours may have hung up.
  if (!is_of(one->local->plain().native_handle(), local_users::own())) {
    refuse_stranger();
    return finish(one);
  }
  relay_settings settings;
  settings.greeting_deadline = options_.greeting_deadline;
  settings.stall_deadline = options_.stall_deadline;
  settings.faults = options_.faults;
  settings.own = sender::dialer;
  settings.published = options_.published;
  settings.open = options_.open;
  settings.ended = [self = shared_from_this(), one](const relay_end& end) {
    if (!end.why)
      return self->finish(one);
    std::string what{to_string(*end.why)};
    if (end.fault != frame_fault::none) {
      ++self->counters_.faults[static_cast<std::size_t>(end.fault)];
      what += ": " + std::string{to_string(end.fault)};
    }
    self->fail(one, *end.why, what);
  };
  remember({});
  one->relayed = std::make_shared<relay>(io_, std::move(one->local), std::move(one->remote),
                                         counters_, std::move(settings));
  one->relayed->start({one->first_words.data(), one->first_bytes});
}

void outlet_state::reload() {
  const auto fresh = live_.refresh();
  if (!fresh)
    return log(severity::error, "link_reload_failed",
               {{"what", fresh.error().detail + "; what was read before stays in force"}});
  if (*fresh == live_credentials::change::none)
    return;
  ++counters_.reloads;
  for (const auto& one : std::vector<session>{sessions_}) {
    if (!one->relayed)
      continue;
    auto* stream = one->relayed->listener().tls()->native_handle();
    if (const auto why = objection_now(live_.context().get(), stream); !why.empty())
      fail(one, refusal::revoked, "its certificate is refused: " + why);
  }
}

void outlet_state::finish(const session& one) {
  if (std::exchange(one->over, true))
    return;
  one->deadline.cancel();
  one->resolver.cancel();
  for (auto* side : {one->local.get(), one->remote.get()})
    if (side != nullptr)
      side->close();
  if (one->relayed)
    one->relayed->close();
  if (ready_ == one)
    ready_ = nullptr;
  if (one->prepared)
    std::exchange(one->prepared, nullptr)("it was closed meanwhile");
  sessions_.erase(std::find(sessions_.begin(), sessions_.end(), one));
}

void outlet_state::fail(const session& one, refusal why, const std::string& what) {
  ++counters_.refused[static_cast<std::size_t>(why)];
  remember(what);
  log(severity::warning, "dial_failed",
      {{"remote", where_}, {"reason", std::string{to_string(why)}}, {"what", what}});
  if (one->prepared)
    std::exchange(one->prepared, nullptr)(what);
  finish(one); // last: who hears the end may ask why at once
}

void outlet_state::remember(const std::string& failure) {
  const std::lock_guard lock{mutex_};
  last_failure_ = failure;
}

std::string outlet_state::last_failure() const {
  const std::lock_guard lock{mutex_};
  return last_failure_;
}

void outlet_state::log(severity level, const std::string& event, const log_fields& fields) const {
  if (options_.log && !closed_)
    options_.log(level, event, fields);
}

void outlet_state::close() {
  closed_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  accept_pause_.cancel();
  for (const auto& one : std::vector<session>{sessions_})
    finish(one);
}

} // namespace holdfast::link
