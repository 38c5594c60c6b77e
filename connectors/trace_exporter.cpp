#include "connectors/trace_exporter.hpp"

#include "core/backoff.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace holdfast::connectors {

namespace {

using steady = std::chrono::steady_clock;

/// Of an answer, which nobody reads.
constexpr std::size_t export_answer_bytes_max = 64UL * 1024;
/// A collector that asks for more is asked again after this.
constexpr std::chrono::seconds export_pause_max{60};

struct end_export {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct end_export_headers {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// The end of one request.
struct export_answer {
  bool is_taken = false;
  bool may_be_repeated = false;
  std::optional<std::chrono::seconds> retry_after{};
  std::string reason{};
};

std::size_t drop_export_answer(char*, std::size_t size, std::size_t count, void* of) {
  auto& bytes = *static_cast<std::size_t*>(of);
  bytes += size * count;
  return bytes <= export_answer_bytes_max ? size * count : 0;
}

class otlp_exporter final : public trace_exporter {
public:
  explicit otlp_exporter(trace_exporter_options options)
      : options_(std::move(options)), random_(options_.seed), pauses_(options_.seed) {
    static std::once_flag begun;
    std::call_once(begun, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    thread_ = std::thread{[this] { run(); }};
  }
  ~otlp_exporter() override { end(core::duration::zero()); }

  core::instant now() const override {
    return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
  }
  std::uint64_t random() override {
    const std::lock_guard lock{random_mutex_};
    return random_();
  }
  bool samples(const std::optional<core::trace_context>& caller) override {
    const bool needs_luck = !caller && options_.sample_percent > 0;
    return core::decide_sampling(caller, options_.sample_percent, needs_luck ? random() : 0);
  }
  void take(core::span ended) override {
    {
      const std::lock_guard lock{mutex_};
      if (is_over_ || waiting_.size() >= options_.queue_max) {
        ++dropped_;
        return;
      }
      waiting_.push_back(std::move(ended));
      if (waiting_.size() != 1 && waiting_.size() != options_.batch_max)
        return; // the thread knows of them, and waits for more
    }
    wake_.notify_one();
  }

  std::uint64_t sent() const override { return sent_; }
  std::uint64_t dropped() const override { return dropped_; }
  void finish(core::duration time) override { end(time); }

private:
  void end(core::duration time) {
    {
      const std::lock_guard lock{mutex_};
      if (!until_)
        until_ = steady::now() + time;
    }
    wake_.notify_one();
    const std::lock_guard joining{join_mutex_};
    if (thread_.joinable())
      thread_.join();
  }

  void run() {
    for (auto batch = next_batch(); !batch.empty(); batch = next_batch())
      deliver(batch);
    const std::lock_guard lock{mutex_};
    is_over_ = true;
    dropped_ += waiting_.size();
    waiting_.clear();
  }

  /// Empty when it is time to end.
  std::vector<core::span> next_batch() {
    std::unique_lock lock{mutex_};
    wake_.wait(lock, [this] { return until_ || !waiting_.empty(); });
    wake_.wait_for(lock, options_.flush_interval,
                   [this] { return until_ || waiting_.size() >= options_.batch_max; });
    if (until_ && steady::now() >= *until_)
      return {};
    const auto count = std::min(waiting_.size(), options_.batch_max);
    const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<core::span> batch{std::make_move_iterator(waiting_.begin()),
                                  std::make_move_iterator(last)};
    waiting_.erase(waiting_.begin(), last);
    return batch;
  }

  /// Until the collector has taken the batch, refuses it, or is given up.
  void deliver(const std::vector<core::span>& batch) {
    const auto body = otlp_json(options_.resource, batch);
    for (unsigned attempt = 1;; ++attempt) {
      const auto answer = post(body);
      if (answer.is_taken) {
        sent_ += batch.size();
        return tell({});
      }
      if (!answer.may_be_repeated || attempt >= options_.tries_max || !pause(attempt, answer)) {
        dropped_ += batch.size();
        return tell(answer.reason);
      }
    }
  }

  /// False when the time is over before.
  bool pause(unsigned attempt, const export_answer& answer) {
    const core::duration wait =
        answer.retry_after
            ? std::min(*answer.retry_after, export_pause_max)
            : core::full_jitter(attempt, options_.retry_min, options_.retry_max, pauses_());
    const auto again = steady::now() + wait;
    std::unique_lock lock{mutex_};
    // Whoever ends the exporter wants the rest to be sent at once, and not to wait.
    wake_.wait_until(lock, again, [this] { return until_.has_value(); });
    return !until_ || steady::now() < *until_;
  }

  static int is_time_over(void* of, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    auto& self = *static_cast<otlp_exporter*>(of);
    const std::lock_guard lock{self.mutex_};
    return self.until_ && steady::now() >= *self.until_ ? 1 : 0;
  }

  export_answer post(const std::string& body) {
    const auto headers = parse_headers(options_.headers ? options_.headers() : std::string{});
    if (!headers)
      return {false, false, {}, headers.error().detail};
    if (!handle_)
      handle_.reset(curl_easy_init());
    if (!handle_)
      return {false, true, {}, "libcurl has no handle"};
    curl_easy_reset(handle_.get()); // its connection stays open
    std::unique_ptr<curl_slist, end_export_headers> lines;
    bool is_set_up = true;
    const auto add_line = [&](const std::string& line) {
      auto* longer = curl_slist_append(lines.get(), line.c_str());
      if (longer == nullptr) {
        is_set_up = false;
        return;
      }
      static_cast<void>(lines.release()); // it is part of the longer one
      lines.reset(longer);
    };
    add_line("content-type: application/json");
    add_line("expect:"); // no question before the body: it costs a round trip
    for (const auto& [name, value] : *headers)
      // One without a value is written so; else libcurl takes the header away.
      add_line(value.empty() ? name + ';' : name + ": " + value);
    std::size_t answer_bytes = 0;
    const auto set = [&](CURLoption option, auto value) {
      is_set_up = curl_easy_setopt(handle_.get(), option, value) == CURLE_OK && is_set_up;
    };
    set(CURLOPT_URL, options_.endpoint.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, ""); // also where the environment names one
    set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_TIMEOUT_MS,
        static_cast<long>(
            std::chrono::duration_cast<std::chrono::milliseconds>(options_.timeout).count()));
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options_.ca_file.empty())
      set(CURLOPT_CAINFO, options_.ca_file.c_str());
    set(CURLOPT_USERAGENT, options_.user_agent.c_str());
    set(CURLOPT_WRITEFUNCTION, &drop_export_answer);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&answer_bytes));
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &is_time_over);
    set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    set(CURLOPT_POSTFIELDS, body.c_str());
    set(CURLOPT_HTTPHEADER, lines.get());
    if (!is_set_up)
      return {false, false, {}, "libcurl refuses an option"};
    const auto how = curl_easy_perform(handle_.get());
    return judge(how);
  }

  export_answer judge(CURLcode how) {
    long status = 0;
    curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300)
      return {true, false, {}, {}};
    if (status == 0 || how == CURLE_OPERATION_TIMEDOUT || how == CURLE_RECV_ERROR)
      return {false,
              true,
              {},
              std::string{"the collector gives no answer: "} + curl_easy_strerror(how)};
    export_answer answer;
    answer.reason = "the collector answered HTTP " + std::to_string(status);
    answer.may_be_repeated = status == 429 || status == 502 || status == 503 || status == 504;
    curl_off_t seconds = 0;
    if (curl_easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0)
      answer.retry_after =
          std::chrono::seconds{std::min<curl_off_t>(seconds, export_pause_max.count())};
    return answer;
  }

  void tell(const std::string& why) {
    if (why == told_)
      return;
    told_ = why;
    if (options_.report)
      options_.report(why);
  }

  const trace_exporter_options options_;
  std::mutex random_mutex_;
  std::mt19937_64 random_;
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> dropped_{0};

  // --- of the thread alone ---
  std::mt19937_64 pauses_;
  std::unique_ptr<CURL, end_export> handle_;
  std::string told_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<core::span> waiting_;
  std::optional<steady::time_point> until_; ///< Since the exporter is to end: when at the latest.
  bool is_over_ = false;
  std::mutex join_mutex_;
  std::thread thread_;
};

} // namespace

std::shared_ptr<trace_exporter> open_trace_exporter(trace_exporter_options options) {
  return std::make_shared<otlp_exporter>(std::move(options));
}

} // namespace holdfast::connectors
