#include "connectors/http_webhook_sender.hpp"

#include "connectors/webhook_signature.hpp"
#include "files/private_file.hpp"

#include <curl/curl.h>
#include <fcntl.h>
#include <openssl/x509_vfy.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

namespace holdfast::connectors {

namespace {

constexpr std::size_t header_bytes_max = 64 * 1024;
constexpr std::size_t body_bytes_max = 64 * 1024;
constexpr std::size_t secret_bytes_max = 1024;
/// How long the thread sleeps when nobody wakes it and no transfer has anything to do.
constexpr int idle_ms = 60'000;
/// Posts under way. Each delivery has one; this bounds those that deliveries have given up, whose
/// receivers may hang until the timeout.
constexpr std::size_t posts_most = 10'000;
/// Idle connections that are kept for the next post.
constexpr long kept_connections = 64;

struct end_handle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct end_list {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
struct end_multi {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};

core::post_answer barred(std::string reason) {
  return {core::post_verdict::barred, 0, {}, std::move(reason)};
}

/// The keys of a secret, or why they cannot be had.
core::outcome<std::vector<webhook_key>> read_secret(const std::filesystem::path& path) {
  const auto wrong = [](const std::string& what) {
    return core::failure{core::errc::invalid_argument, "the secret cannot be used: " + what};
  };
  const auto text = files::read_secret(path.string(), secret_bytes_max);
  if (!text)
    return wrong(text.error().detail);
  auto keys = parse_secret(*text);
  if (!keys)
    return wrong(path.string() + ": " + keys.error().detail);
  return keys;
}

/// A post on its way.
struct transfer {
  transfer(webhook_post what, std::function<void(core::post_answer)> told)
      : post(std::move(what)), done(std::move(told)), handle(curl_easy_init()) {}

  webhook_post post;
  std::function<void(core::post_answer)> done;
  std::unique_ptr<CURL, end_handle> handle;
  std::unique_ptr<curl_slist, end_list> headers;
  std::size_t header_bytes = 0;
  std::size_t body_bytes = 0;
  const address_guard* guard = nullptr;
  std::string barred_address; ///< The last one that the guard did not permit.

  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(handle.get(), option, value) != CURLE_OK)
      throw std::runtime_error{"libcurl refuses option " + std::to_string(option)};
  }
  void add_header(const std::string& line) {
    auto* longer = curl_slist_append(headers.get(), line.c_str());
    if (longer == nullptr)
      throw std::runtime_error{"libcurl has no memory for a header"};
    static_cast<void>(headers.release()); // it is part of the longer one
    headers.reset(longer);
  }
};

std::size_t count_header(char*, std::size_t size, std::size_t count, void* of) {
  auto& one = *static_cast<transfer*>(of);
  one.header_bytes += size * count;
  return one.header_bytes <= header_bytes_max ? size * count : 0;
}

std::size_t drop_body(char*, std::size_t size, std::size_t count, void* of) {
  auto& one = *static_cast<transfer*>(of);
  one.body_bytes += size * count;
  return one.body_bytes <= body_bytes_max ? size * count : 0;
}

/// Asked for every address that is about to be connected to.
curl_socket_t open_socket(void* of, curlsocktype, curl_sockaddr* to) {
  auto& one = *static_cast<transfer*>(of);
  if (!one.guard->permits(to->addr, to->addrlen)) {
    one.barred_address = to_text(to->addr, to->addrlen);
    return CURL_SOCKET_BAD;
  }
  return ::socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

std::int64_t unix_seconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

long milliseconds(core::duration span) {
  return static_cast<long>(std::chrono::duration_cast<std::chrono::milliseconds>(span).count());
}

/// Why a transfer has got no answer.
std::string trouble_of(const transfer& one, CURLcode how) {
  if (how == CURLE_SSL_CACERT_BADFILE)
    return "this machine has no list of certificate authorities that can be read; install the "
           "package ca-certificates, or set webhooks.ca_file";
  if (how != CURLE_PEER_FAILED_VERIFICATION)
    return curl_easy_strerror(how);
  // What libcurl says when it looked at the host's name first, and that was wrong.
  constexpr long not_judged = X509_V_ERR_UNSPECIFIED;
  long verified = X509_V_OK;
  curl_easy_getinfo(one.handle.get(), CURLINFO_SSL_VERIFYRESULT, &verified);
  return std::string{"the receiver's certificate is refused: "}
         + (verified == X509_V_OK || verified == not_judged
                ? "it is not for this host"
                : X509_verify_cert_error_string(verified));
}

/// What came of the transfer, as far as a receiver has said anything.
core::post_answer answer_of(const transfer& one, CURLcode how) {
  long status = 0;
  curl_easy_getinfo(one.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  // Once the final status is there, what becomes of the rest of the answer does not matter.
  if (status >= 200) {
    core::post_answer answer;
    answer.status = static_cast<std::uint32_t>(status);
    answer.verdict = core::verdict_on(answer.status);
    curl_off_t seconds = 0;
    if (curl_easy_getinfo(one.handle.get(), CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK
        && seconds > 0)
      answer.retry_after = std::chrono::seconds{std::min<curl_off_t>(seconds, 7 * 24 * 3600)};
    if (answer.verdict != core::post_verdict::delivered)
      answer.reason = "the receiver answered HTTP " + std::to_string(status);
    if (status >= 300 && status < 400)
      answer.reason += "; redirects are not followed, so put the address it names";
    return answer;
  }
  if (!one.barred_address.empty())
    return barred("the host is at " + one.barred_address
                  + ", which is no address of the internet; allow its network with"
                    " webhooks.allowed_networks if it is meant");
  if (how == CURLE_URL_MALFORMAT || how == CURLE_UNSUPPORTED_PROTOCOL)
    return barred("the URL cannot be used: " + std::string{curl_easy_strerror(how)});
  return {core::post_verdict::again, 0, {}, "no answer: " + trouble_of(one, how)};
}

class http_sender : public webhook_sender {
public:
  explicit http_sender(http_sender_options options) : options_(std::move(options)) {
    static std::once_flag begun;
    std::call_once(begun, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    multi_.reset(curl_multi_init());
    if (!multi_)
      throw std::runtime_error{"libcurl has no handle"};
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kept_connections);
    thread_ = std::thread{[this] { run(); }};
  }

  ~http_sender() override {
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      stopping_ = true;
    }
    curl_multi_wakeup(multi_.get());
    thread_.join();
    for (const auto& [handle, one] : under_way_)
      curl_multi_remove_handle(multi_.get(), handle);
  }

  void send(webhook_post what, std::function<void(core::post_answer)> done) override {
    if (open_.fetch_add(1) >= posts_most) {
      --open_;
      return done({core::post_verdict::again, 0, {}, "too many posts are under way"});
    }
    auto counted = [this, done = std::move(done)](core::post_answer answer) {
      --open_;
      done(std::move(answer));
    };
    {
      const std::lock_guard<std::mutex> lock{mutex_};
      waiting_.push_back(std::make_unique<transfer>(std::move(what), std::move(counted)));
    }
    curl_multi_wakeup(multi_.get());
  }

private:
  void run() {
    while (auto begun = take_waiting()) {
      for (auto& one : *begun)
        begin(std::move(one));
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      finish();
      curl_multi_poll(multi_.get(), nullptr, 0, idle_ms, nullptr);
    }
  }

  /// None when it is time to end.
  std::optional<std::deque<std::unique_ptr<transfer>>> take_waiting() {
    const std::lock_guard<std::mutex> lock{mutex_};
    return stopping_ ? std::nullopt : std::optional{std::exchange(waiting_, {})};
  }

  void begin(std::unique_ptr<transfer> one) {
    const auto keys = read_secret(options_.secrets / one->post.secret);
    if (!keys)
      return one->done(barred(keys.error().detail));
    try {
      set_up(*one, *keys);
    } catch (const std::exception& e) {
      return one->done({core::post_verdict::again, 0, {}, e.what()});
    }
    auto* handle = one->handle.get();
    const auto& kept = *under_way_.emplace(handle, std::move(one)).first->second;
    if (curl_multi_add_handle(multi_.get(), handle) == CURLM_OK)
      return;
    const auto done = kept.done;
    under_way_.erase(handle);
    done({core::post_verdict::again, 0, {}, "libcurl takes no more transfers"});
  }

  void set_up(transfer& one, const std::vector<webhook_key>& keys) const {
    const auto& post = one.post;
    one.guard = &options_.guard;
    one.set(CURLOPT_URL, post.url.c_str());
    one.set(CURLOPT_PROTOCOLS_STR, "http,https");
    one.set(CURLOPT_FOLLOWLOCATION, 0L);
    one.set(CURLOPT_PROXY, ""); // also where the environment names one
    one.set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    one.set(CURLOPT_NOSIGNAL, 1L);
    one.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    one.set(CURLOPT_CONNECTTIMEOUT_MS,
            milliseconds(std::min(options_.connect_timeout, post.timeout)));
    one.set(CURLOPT_TIMEOUT_MS, milliseconds(post.timeout));
    one.set(CURLOPT_SSL_VERIFYPEER, 1L);
    one.set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options_.ca_file.empty())
      one.set(CURLOPT_CAINFO, options_.ca_file.c_str());
    one.set(CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    one.set(CURLOPT_OPENSOCKETDATA, &one);
    one.set(CURLOPT_HEADERFUNCTION, &count_header);
    one.set(CURLOPT_HEADERDATA, &one);
    one.set(CURLOPT_WRITEFUNCTION, &drop_body);
    one.set(CURLOPT_WRITEDATA, &one);
    one.set(CURLOPT_USERAGENT, options_.user_agent.c_str());
    one.set(CURLOPT_POST, 1L);
    one.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post.body.size()));
    one.set(CURLOPT_POSTFIELDS, post.body.c_str());
    const auto now = unix_seconds();
    one.add_header("content-type: application/json");
    one.add_header("webhook-id: " + post.id);
    one.add_header("webhook-timestamp: " + std::to_string(now));
    one.add_header("webhook-signature: " + signature_of(keys, post.id, now, post.body));
    if (!post.traceparent.empty())
      one.add_header("traceparent: " + post.traceparent);
    one.add_header("expect:"); // no question before the body: it costs a round trip
    one.set(CURLOPT_HTTPHEADER, one.headers.get());
  }

  void finish() {
    int left = 0;
    while (const auto* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE)
        continue;
      const auto how = message->data.result; // gone once the handle is removed
      const auto found = under_way_.find(message->easy_handle);
      const auto one = std::move(found->second);
      under_way_.erase(found);
      curl_multi_remove_handle(multi_.get(), one->handle.get());
      one->done(answer_of(*one, how));
    }
  }

  const http_sender_options options_;
  std::unique_ptr<CURLM, end_multi> multi_;
  std::map<CURL*, std::unique_ptr<transfer>> under_way_; ///< Of the thread alone.
  std::atomic<std::size_t> open_{0};                     ///< Posts that have not been answered.
  std::mutex mutex_;
  std::deque<std::unique_ptr<transfer>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

} // namespace

std::unique_ptr<webhook_sender> open_http_sender(http_sender_options options) {
  return std::make_unique<http_sender>(std::move(options));
}

} // namespace holdfast::connectors
