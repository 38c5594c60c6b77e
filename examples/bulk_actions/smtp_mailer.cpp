#include "examples/bulk_actions/smtp_mailer.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <stdexcept>

namespace bulk {

namespace {

// A server that is there answers within seconds. The lease goes on meanwhile.
constexpr long connect_ms_max = 5'000;
constexpr long delivery_ms_max = 20'000;

/// The message on its way out.
struct outgoing {
  std::string text;
  std::size_t sent = 0;
  bool asked_for = false;
};

std::size_t hand_over(char* to, std::size_t size, std::size_t count, void* from) {
  auto& message = *static_cast<outgoing*>(from);
  message.asked_for = true;
  const auto bytes = std::min(size * count, message.text.size() - message.sent);
  std::copy_n(message.text.data() + message.sent, bytes, to);
  message.sent += bytes;
  return bytes;
}

struct end_handle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct end_list {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

class smtp_mailer : public mailer {
public:
  explicit smtp_mailer(const smtp_server& to) {
    static std::once_flag begun;
    std::call_once(begun, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    handle_.reset(curl_easy_init());
    if (!handle_)
      throw std::runtime_error{"libcurl has no handle"};
    const auto url = "smtp://" + to.host + ':' + std::to_string(to.port) + "/bulk.example";
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_UPLOAD, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, connect_ms_max);
    set(CURLOPT_TIMEOUT_MS, delivery_ms_max);
    set(CURLOPT_READFUNCTION, &hand_over);
    set(CURLOPT_PROXY, ""); // also where the environment names one
  }

  delivery send(const mail& what) override {
    outgoing message{message_of(what)};
    const std::unique_ptr<curl_slist, end_list> to{curl_slist_append(nullptr, what.to.c_str())};
    for (const auto& address : what.cc)
      curl_slist_append(to.get(), address.c_str());
    set(CURLOPT_MAIL_FROM, what.from.c_str());
    set(CURLOPT_MAIL_RCPT, to.get());
    set(CURLOPT_READDATA, &message);
    const auto how = curl_easy_perform(handle_.get());
    if (how == CURLE_OK)
      return {};
    long reply = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &reply);
    // MAIL and RCPT are refused with this code; after the message itself any other may come.
    const bool about_the_mail = how == CURLE_SEND_ERROR || message.asked_for;
    return {result_of_reply(reply, about_the_mail),
            std::string{curl_easy_strerror(how)} + ", reply " + std::to_string(reply)};
  }

private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(handle_.get(), option, value) != CURLE_OK)
      throw std::runtime_error{"libcurl refuses an option"};
  }

  std::unique_ptr<CURL, end_handle> handle_;
};

} // namespace

std::unique_ptr<mailer> open_smtp(const smtp_server& to) {
  return std::make_unique<smtp_mailer>(to);
}

delivery::result result_of_reply(long reply, bool about_the_mail) {
  // 55x is about a mailbox or a message (RFC 5321, 4.2.3). Other errors of 500 and above are about
  // commands or the right to use the server: for its operators, not for the recipient.
  if (about_the_mail && reply >= 550 && reply < 560)
    return delivery::result::refused;
  // A mailbox that is busy, or a server that lets strangers in at their second try only. 452 and
  // 421 are about the server, and so about everybody.
  if (about_the_mail && (reply == 450 || reply == 451))
    return delivery::result::later;
  return delivery::result::unavailable;
}

} // namespace bulk
