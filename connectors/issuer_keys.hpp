#pragma once

#include "connectors/jwk_set.hpp"
#include "core/outcome.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace holdfast::connectors {

/// One try to read the keys of an issuer.
struct keys_report {
  bool good = false;
  std::size_t keys = 0; ///< In force, also when the try failed.
  std::string detail;   ///< The failure, or the first key that is left out.
};

struct issuer_keys_options {
  std::string source; ///< The path of a file, or a URL that `is_safe_source` takes.
  std::string user_agent;
  /// How often a file is looked at.
  std::chrono::steady_clock::duration look_interval = std::chrono::seconds{1};
  /// How often a URL is fetched by itself: so long may a key be good that the issuer gave up.
  std::chrono::steady_clock::duration refresh_interval = std::chrono::minutes{5};
  /// The least time between two fetches, whatever tokens strangers show.
  std::chrono::steady_clock::duration fetch_interval = std::chrono::seconds{30};
  core::duration fetch_timeout = std::chrono::seconds{10};
  /// Told of every try that changes the keys, and of the first of several that fail alike. On the
  /// thread of the keys.
  std::function<void(const keys_report&)> report = [](const keys_report&) {};
};

/// The keys of an issuer, kept up to date by a thread: a file is read when it changes, a URL is
/// fetched from time to time. While neither can be had, the keys that were read last stay.
class issuer_keys {
public:
  /// `invalid_argument` when the source is a file that cannot be used now.
  static core::outcome<std::unique_ptr<issuer_keys>> open(issuer_keys_options options);
  ~issuer_keys();
  issuer_keys(const issuer_keys&) = delete;
  issuer_keys& operator=(const issuer_keys&) = delete;

  /// Null until a URL was fetched for the first time. For any thread, like all of these.
  std::shared_ptr<const jwk_set> keys() const;
  /// Reads the source anew, soon.
  void reload();
  /// Asks for keys that are newer, because a token names one that is not known. True while they are
  /// on their way; false when the source was read too short a time ago.
  bool ask_for_newer();

private:
  using time_point = std::chrono::steady_clock::time_point;

  explicit issuer_keys(issuer_keys_options options);
  void run();
  core::outcome<std::string> read_source();
  void take(const core::outcome<std::string>& text);
  bool file_has_changed();
  void tell(const keys_report& report, const std::string& text);

  const issuer_keys_options options_;
  const bool is_url_;
  std::atomic<bool> stopped_{false};
  std::string seen_of_file_; ///< Of the thread alone, as the next one.
  std::string told_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::shared_ptr<const jwk_set> keys_; ///< Under `mutex_`, as all below.
  bool wanted_ = false;
  bool is_reading_ = false;
  time_point read_at_{};
  std::thread thread_;
};

} // namespace holdfast::connectors
